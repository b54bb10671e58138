import { describe, expect, test } from 'bun:test'
import { randomBytes } from 'node:crypto'
import { tmpdir } from 'node:os'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { createSpool } from './spool.ts'
import { createUnpacker, type Unpacker } from './unpack.ts'

const bytesMax = 8 * 1024 * 1024
const create = (): Unpacker => createUnpacker(() => createSpool({ reached: () => undefined, folders: [tmpdir()] }))

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
}

async function* endingWith(last: Promise<Uint8Array>, bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes
  yield await last
}

/** Reads the rest. @returns its length */
async function lengthOf(chunks: AsyncGenerator<Uint8Array>): Promise<number> {
  let length = 0
  for await (const chunk of chunks) length += chunk.length
  return length
}

describe('packed bodies', () => {
  // Random bytes do not shrink, so this is a long body when packed, too.
  const noise = randomBytes(256 * 1024)
  const long = gzipSync(noise)

  test('that have not arrived completely occupy no decoder', async () => {
    const unpacker = create()
    const short = gzipSync('short')
    const waiting = [long, long, short, short, short].map((bytes) => {
      const last = Promise.withResolvers<Uint8Array>()
      const length = lengthOf(unpacker.unpack(endingWith(last.promise, bytes.subarray(0, -1)), 'gzip', bytesMax))
      return { length, end: () => last.resolve(bytes.subarray(-1)) }
    })
    expect(await lengthOf(unpacker.unpack(once(long), 'gzip', bytesMax))).toBe(noise.length)
    expect(await lengthOf(unpacker.unpack(once(zstdCompressSync('short')), 'zstd', bytesMax))).toBe('short'.length)
    for (const { end } of waiting) end()
    expect(await Promise.all(waiting.map(({ length }) => length))).toEqual([noise.length, noise.length, 5, 5, 5])
  })

  test('are decompressed one after another if they are long, while short ones do not wait', async () => {
    const unpacker = create()
    const first = unpacker.unpack(once(long), 'gzip', bytesMax)
    expect((await first.next()).done).toBe(false)
    const second = unpacker.unpack(once(long), 'gzip', bytesMax)
    let hasBegun = false
    const begun = second.next().then(() => {
      hasBegun = true
    })
    expect(await lengthOf(unpacker.unpack(once(gzipSync('short')), 'gzip', bytesMax))).toBe('short'.length)
    expect(hasBegun).toBe(false)
    await lengthOf(first)
    await begun
    expect(hasBegun).toBe(true)
    await lengthOf(second)
  })

  test('leave their decoder to the next one when their reader stops, or when they are malformed', async () => {
    const unpacker = create()
    const stopped = unpacker.unpack(once(long), 'gzip', bytesMax)
    await stopped.next()
    await stopped.return(undefined)
    await expect(lengthOf(unpacker.unpack(once(randomBytes(256 * 1024)), 'gzip', bytesMax))).rejects.toMatchObject({
      code: 'encoding_invalid',
    })
    expect(await lengthOf(unpacker.unpack(once(long), 'gzip', bytesMax))).toBe(noise.length)
  })
})
