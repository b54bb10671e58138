import { expect, test } from 'bun:test'
import { setClock } from '../../../test/channel-scene.ts'
import { createDeadlines } from '../../lib/deadlines.ts'
import type { FileStore } from './file-store.ts'
import { timedFiles } from './file-store-timeouts.ts'

/** A store that responds when the test says so, and remembers which of its files are closed. */
function slowStore() {
  const clock = setClock()
  const opened = Promise.withResolvers<ReadableStream<Uint8Array> | null>()
  const part = Promise.withResolvers<Uint8Array>()
  const closed = Promise.withResolvers<unknown>()
  let parts = 0
  const file = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        parts += 1
        controller.enqueue(await part.promise)
      },
      cancel: closed.resolve,
    },
    { highWaterMark: 0 },
  )
  const store: FileStore = {
    write: async () => undefined,
    read: () => opened.promise,
    remove: async () => undefined,
    fileBytesMax: Number.POSITIVE_INFINITY,
    room: async () => 1,
    addressOf: () => null,
  }
  return {
    files: timedFiles(store, { clock, deadlines: createDeadlines(clock) }),
    open: () => opened.resolve(file),
    miss: () => opened.resolve(null),
    send: () => part.resolve(Buffer.from('a part')),
    pass: () => clock.advance(31_000),
    closed: closed.promise,
    requestedParts: () => parts,
  }
}

const silence = 'the result store timed out'

test('a file that opens after its time is closed', async () => {
  const { files, open, pass, closed } = slowStore()
  const reading = files.read('film', 0, 10)
  pass()
  await expect(reading).rejects.toThrow(silence)
  open()
  expect(await closed).toBeUndefined()
})

test('a file that is found missing after its time is no file', async () => {
  const { files, miss, pass } = slowStore()
  const reading = files.read('film', 0, 10)
  pass()
  await expect(reading).rejects.toThrow(silence)
  miss()
})

test('a file whose next part does not come in time is closed under the reader', async () => {
  const { files, open, pass, closed } = slowStore()
  open()
  const reader = (await files.read('film', 0, 10))?.getReader()
  const part = reader?.read()
  pass()
  await expect(part).rejects.toThrow(silence)
  expect(await closed).toEqual(new Error(silence))
})

test('a file that the reader gives up is closed, and one that nobody reads is not begun', async () => {
  const { files, open, send, closed, requestedParts } = slowStore()
  open()
  const file = await files.read('film', 0, 10)
  expect(requestedParts()).toBe(0)
  const reader = file?.getReader()
  send()
  expect(await reader?.read()).toEqual({ done: false, value: Buffer.from('a part') })
  await reader?.cancel('enough')
  expect(await closed).toBe('enough')
})
