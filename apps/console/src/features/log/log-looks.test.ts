import { expect, test } from 'bun:test'
import { brokenEnds, logEvents, logType } from '@sluice/contract'
import { endLooks, logKindOf, logLooks } from './log-looks.ts'

test('every type and event of the log, and every end of a request, has its look', () => {
  const types = Object.values(logType).filter((type) => type !== logType.all)
  const kinds = [...types, ...logEvents.filter((event) => event !== '')]
  expect(Object.keys(logLooks.byStatus).sort()).toEqual(kinds.map(String).sort())
  expect(Object.keys(endLooks.byStatus).sort()).toEqual(['complete', ...brokenEnds].sort())
})

test('a row with an event is shown by it, not by its type', () => {
  expect(logKindOf({ type: logType.system, event: 'channel_test' })).toBe('channel_test')
  expect(logKindOf({ type: logType.consume, event: '' })).toBe(logType.consume)
})
