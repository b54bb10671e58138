import { expect, test } from 'bun:test'
import { createSampler } from './sampler.ts'

test('one of many alike goes through in a while, with how many were kept back; others are not held up by it', () => {
  let nowMs = 0
  const sample = createSampler({ nowMs: () => nowMs, monotonicMs: () => nowMs }, 1_000)
  expect([sample('down'), sample('down'), sample('down'), sample('busy')]).toEqual([0, null, null, 0])
  nowMs = 1_000
  expect([sample('down'), sample('down')]).toEqual([2, null])
})
