import { describe, expect, test } from 'bun:test'
import { createHash } from 'node:crypto'
import type { BodySink, UpstreamResponse } from './http1/client.ts'
import { readCapped } from './read-capped.ts'

const mebi = 1024 * 1024

/** A response whose bytes the test sends. */
function response(length: number | null = null) {
  let sink: BodySink | null = null
  const calls: string[] = []
  const upstream: UpstreamResponse = {
    status: 200,
    header: (name) => (name === 'content-length' && length !== null ? String(length) : null),
    pipe: (next) => {
      sink = next
    },
    pause: () => void calls.push('pause'),
    resume: () => void calls.push('resume'),
    abort: () => void calls.push('abort'),
  }
  return { upstream, calls, send: (bytes: Uint8Array) => sink?.data(bytes), end: () => sink?.end() }
}

const noise = Buffer.from(Array.from({ length: 3 * mebi + 77 }, (_, at) => (at * 31) % 251))
const hash = (bytes: Uint8Array): string => createHash('sha1').update(bytes).digest('hex')

describe('a body', () => {
  test.each([
    ['of known length', noise.length],
    ['of unknown length', null],
    ['that is longer than its packed length', 1_000],
  ])('%s is the bytes that came, in pieces of any size', async (_, length) => {
    for (const pieceBytes of [100_003, 700_001, noise.length]) {
      const { upstream, send, end } = response(length)
      const body = readCapped(upstream, 8 * mebi)
      for (let at = 0; at < noise.length; at += pieceBytes) send(Buffer.from(noise.subarray(at, at + pieceBytes)))
      end()
      const { bytes, isCut } = await body
      expect([isCut, hash(bytes)]).toEqual([false, hash(noise)])
    }
  })

  test('that is too long is not read on', async () => {
    for (const { bytesMax, byteCount, kept } of [
      { bytesMax: 10, byteCount: 5_000, kept: 10 },
      { bytesMax: 2 * mebi, byteCount: 3 * mebi, kept: 0 },
    ]) {
      const { upstream, calls, send } = response()
      const body = readCapped(upstream, bytesMax)
      send(noise.subarray(0, byteCount))
      const { bytes, isCut } = await body
      expect([isCut, bytes.length, calls]).toEqual([true, kept, ['abort']])
    }
  })

  test('is not read while other bodies use up the memory of all', async () => {
    const { upstream, calls, send, end } = response()
    const free = Promise.withResolvers<void>()
    const counted: number[] = []
    const share = {
      begin: () => null,
      grow(bytes: number) {
        counted.push(bytes)
        return counted.length === 2 ? free.promise : null
      },
      keep: () => undefined,
    }
    const body = readCapped(upstream, 8 * mebi, { openShare: () => share })
    for (const end of [100, 1_000_000, 2_000_000]) send(noise.subarray(0, end))
    expect(calls).toEqual(['pause'])
    free.resolve()
    await free.promise
    await Promise.resolve()
    expect(calls).toEqual(['pause', 'resume'])
    end()
    expect(counted).toEqual([1_000_100, 3_000_100])
    expect((await body).bytes.length).toBe(3_000_100)
  })
})
