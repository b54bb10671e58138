import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { runOver, type SetClock, setClock, setOptions, until } from '../../../test/channel-scene.ts'

let app: TestApp
let clock: SetClock
let lookWhetherDue: () => Promise<unknown>

beforeAll(async () => {
  clock = setClock()
  app = await testApp({
    clock,
    schedule: (jobs) => {
      lookWhetherDue = () => jobs.find(({ name }) => name === 'test-channels')?.run() ?? Promise.reject(new Error('there is no such job'))
      return () => {}
    },
  })
  await app.make.channel()
})
afterAll(() => app.close())

/** Moves the clock and runs the job. @returns how many channels were tested */
async function testedAfter(ms: number): Promise<number> {
  clock.advance(ms)
  await lookWhetherDue()
  await runOver(app)
  return app.upstream.received.length
}

test('all channels are tested each time that the minutes of the option have passed, and never if it is 0', async () => {
  expect(await testedAfter(86_400_000)).toBe(0)
  await setOptions(app, { ChannelTestFrequency: 10 })
  expect(await testedAfter(0)).toBe(1)
  expect(await testedAfter(599_999)).toBe(1)
  expect(await testedAfter(1)).toBe(2)
  expect(await testedAfter(0)).toBe(2)
  await setOptions(app, { ChannelTestFrequency: 20 })
  expect(await testedAfter(600_000)).toBe(2)
  expect(await testedAfter(600_000)).toBe(3)
  await setOptions(app, { ChannelTestFrequency: 0 })
  expect(await testedAfter(86_400_000)).toBe(3)
  await app.app.ledger.drain()
  const rows = (await app.data(contract.log.list, { type: 4 })).filter(({ event }) => event === 'channel_test')
  expect(rows.map(({ username, channel }) => [username, channel])).toEqual([
    ['', 1],
    ['', 1],
    ['', 1],
  ])
})

test('no second run starts if the previous one still runs when the next is due', async () => {
  await setOptions(app, { ChannelTestFrequency: 10 })
  const before = app.upstream.received.length
  app.upstream.script([{ do: 'wait', name: 'slow' }])
  clock.advance(600_000)
  await lookWhetherDue()
  await until(
    async () => app.upstream.received.length,
    (received) => received === before + 1,
  )
  clock.advance(600_000)
  await lookWhetherDue()
  expect(app.upstream.received.length).toBe(before + 1)
  app.upstream.release('slow')
  await runOver(app)
  expect(await testedAfter(0)).toBe(before + 2)
})
