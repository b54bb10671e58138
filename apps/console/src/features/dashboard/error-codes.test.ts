import { expect, test } from 'bun:test'
import { frequentCodes, unnamedFailures } from './error-codes.ts'

const noEnds = { client_gone: 0, upstream_cut: 0, out_of_quota: 0, timed_out: 0, too_long: 0, shut_down: 0, failed: 0, crashed: 0 }

test('the most frequent codes have lines, and all other failures are one line', () => {
  const rare = Object.fromEntries(Array.from({ length: 9 }, (_, index) => [`rare_${index}`, 1]))
  const times = [
    { ends: { ...noEnds, failed: 15 }, errors: { upstream_timeout: 2, ...rare } },
    { ends: { ...noEnds, failed: 5 }, errors: { upstream_timeout: 1, channel_auth_failed: 4 } },
  ]
  const codes = frequentCodes(times)
  expect(codes.slice(0, 2)).toEqual(['channel_auth_failed', 'upstream_timeout'])
  expect(codes).toHaveLength(8)
  expect(times.map((one) => unnamedFailures(one, codes))).toEqual([15 - 2 - 6, 0])
})
