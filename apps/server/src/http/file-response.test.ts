import { expect, test } from 'bun:test'
import { ClientAbort } from '@sluice/http1/client-abort'
import { fileHead, streamedResponse } from './file-response.ts'

/** A client that takes one part at a time, and a file of many parts. */
function scene() {
  const seen = { made: 0, written: '', end: '', reports: 0 }
  const signal = new ClientAbort()
  async function* parts() {
    try {
      while (seen.made < 100) {
        seen.made += 1
        yield `${seen.made} `
      }
    } finally {
      seen.end += 'closed '
    }
  }
  const stream = {
    drained: () => {},
    write: (bytes: Uint8Array) => {
      seen.written += new TextDecoder().decode(bytes)
      return false
    },
    end: () => {
      seen.end += 'end'
    },
    reset: () => {
      seen.end += 'reset'
    },
  }
  const file = { name: 'log.csv', parts: parts() }
  const report = (): void => {
    seen.reports += 1
  }
  const response = streamedResponse(fileHead(file), file, { signal, report })
  if (typeof response.body === 'function') response.body(stream)
  const settled = () => new Promise((resolve) => setImmediate(resolve))
  return { seen, stream, signal, settled, response }
}

test('the next part is made when the client has taken the one before', async () => {
  const { seen, stream, settled, response } = scene()
  expect(response.headers['content-disposition']).toBe('attachment; filename="log.csv"')
  await settled()
  expect(seen.written).toBe('1 ')
  stream.drained()
  await settled()
  expect(seen.written).toBe('1 2 ')
  for (let part = 3; part <= 101; part++) {
    stream.drained()
    await settled()
  }
  expect([seen.made, seen.end]).toEqual([100, 'closed end'])
})

test('no part is made after the client has gone, and the reading is ended', async () => {
  const { seen, signal, settled } = scene()
  await settled()
  signal.report()
  await settled()
  expect(seen).toEqual({ made: 1, written: '1 ', end: 'closed reset', reports: 0 })
})
