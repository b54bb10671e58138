import { expect, test } from 'bun:test'
import { createSampler, sampleErrors } from './sampler.ts'

test('one event of a name passes in each interval, with the number of suppressed ones; other names are not affected', () => {
  let nowMs = 0
  const sample = createSampler({ nowMs: () => nowMs, monotonicMs: () => nowMs }, 1_000)
  expect([sample('down'), sample('down'), sample('down'), sample('busy')]).toEqual([0, null, null, 0])
  nowMs = 1_000
  expect([sample('down'), sample('down')]).toEqual([2, null])
})

test('of repeated errors one of each name is reported in each interval', () => {
  let nowMs = 0
  const reports: unknown[] = []
  const report = sampleErrors({ nowMs: () => nowMs, monotonicMs: () => nowMs }, 1_000, (error, keptBack) => reports.push([error, keptBack]))
  const [one, other] = [new Error('one'), new TypeError('other')]
  for (const error of [one, one, one, other, 'words']) report(error)
  nowMs = 1_000
  report(one)
  expect(reports).toEqual([
    [one, 0],
    [other, 0],
    ['words', 0],
    [one, 2],
  ])
})
