import { expect, test } from 'bun:test'
import { until } from '../../test/server-process.ts'
import { createLog } from '../log.ts'
import { schedule } from './schedule.ts'

const silent = createLog('silent')

test('a job runs repeatedly until it is stopped, also after a failure', async () => {
  const lines: string[] = []
  let runs = 0
  const run = async (): Promise<void> => {
    runs += 1
    if (runs === 1) throw new Error('the first time goes wrong')
  }
  const stop = schedule([{ name: 'flaky', everyMs: 1, run }], createLog('error', { write: (line) => void lines.push(line) }))
  await until(() => runs >= 3)
  stop()
  expect(lines).toHaveLength(1)
  expect(lines[0]).toContain('"job":"flaky"')
  const before = runs
  // The other job's runs show that time has passed.
  let turns = 0
  const stopOther = schedule([{ name: 'other', everyMs: 1, run: async () => void turns++ }], silent)
  await until(() => turns >= 5)
  stopOther()
  expect(runs).toBe(before)
})

test('a job is not started again while it still runs', async () => {
  const gate = Promise.withResolvers<void>()
  let started = 0
  let turns = 0
  const slow = {
    name: 'slow',
    everyMs: 1,
    run: () => {
      started += 1
      return gate.promise
    },
  }
  const stop = schedule([slow, { name: 'quick', everyMs: 1, run: async () => void turns++ }], silent)
  await until(() => turns >= 5)
  expect(started).toBe(1)
  gate.resolve()
  await until(() => started >= 2)
  stop()
})
