import { afterEach, expect, setSystemTime, test } from 'bun:test'
import { QueryClient } from '@tanstack/react-query'
import { noteOpening, prefetch } from './preload.ts'

const startMs = Date.UTC(2026, 10, 28)

afterEach(() => setSystemTime())

/** Starts reads of one row, at seconds after the start. */
function reader() {
  const client = new QueryClient()
  let calls = 0
  const read = async () => {
    calls += 1
    return Promise.resolve('row')
  }
  return {
    calls: () => calls,
    async start(second: number): Promise<void> {
      setSystemTime(startMs + second * 1000)
      prefetch(client, { queryKey: ['row'], queryFn: read })
      // The response is there when the event loop turns.
      await new Promise(setImmediate)
    },
    open(second: number): void {
      setSystemTime(startMs + second * 1000)
      noteOpening()
    },
    invalidate: () => client.invalidateQueries({ queryKey: ['row'] }),
  }
}

test('a page that rendered, and has its data, before its preload is called reads it once', async () => {
  const row = reader()
  row.open(1)
  await row.start(2)
  await row.start(3)
  expect(row.calls()).toBe(1)
})

test('what was read while a link was pointed at is read again when the page opens, and what changed or is older than five seconds too', async () => {
  const row = reader()
  await row.start(0)
  row.open(1)
  await row.start(2)
  expect(row.calls()).toBe(2)
  await row.invalidate()
  await row.start(3)
  expect(row.calls()).toBe(3)
  await row.start(9)
  expect(row.calls()).toBe(4)
})
