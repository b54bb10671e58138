import { describe, expect, test } from 'bun:test'
import { waitIn } from './retry-after.ts'

const now = Date.parse('2026-11-23T00:00:00Z')
const wait = (headers: Readonly<Record<string, string>>): number | null => waitIn((name) => headers[name] ?? null, now)

describe('the time after which a vendor wants requests again', () => {
  test.each([
    [{ 'retry-after': '7' }, 7],
    [{ 'retry-after': '1.2' }, 2],
    [{ 'retry-after': 'Mon, 23 Nov 2026 00:00:09 GMT' }, 9],
    [{ 'retry-after': '900' }, 60],
    [{ 'retry-after-ms': '2400' }, 3],
    [{ 'retry-after-ms': '2400', 'retry-after': '7' }, 3],
    [{ 'retry-after-ms': 'soon', 'retry-after': '7' }, 7],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now + 8_500) }, 9],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now / 1000 + 8) }, 8],
    [{ 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '4' }, 4],
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '12s' }, 12],
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '1m2.5s' }, 60],
    [{ 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '0m2.5s' }, 3],
    [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '120ms' }, 1],
    [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '7.66' }, 8],
    [{ 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '6m0s' }, 60],
    [{ 'retry-after': '3', 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '12s' }, 3],
    [{ 'anthropic-ratelimit-requests-remaining': '0', 'anthropic-ratelimit-requests-reset': new Date(now + 7_200).toISOString() }, 8],
    [{ 'anthropic-ratelimit-output-tokens-remaining': '0', 'anthropic-ratelimit-output-tokens-reset': '2100-01-01T00:00:00Z' }, 60],
  ])('is read of %p', (headers, seconds) => {
    expect(wait(headers)).toBe(seconds)
  })

  test('is the later one of two limits that are used up', () => {
    const both = { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '2s', 'x-ratelimit-remaining-tokens': '0' }
    expect(wait({ ...both, 'x-ratelimit-reset-tokens': '5s' })).toBe(5)
  })

  test.each([
    {},
    { 'retry-after': 'soon' },
    { 'x-ratelimit-remaining-requests': '3', 'x-ratelimit-reset-requests': '12s' },
    { 'anthropic-ratelimit-tokens-remaining': '0', 'anthropic-ratelimit-tokens-reset': new Date(now - 1_000).toISOString() },
    { 'anthropic-ratelimit-tokens-remaining': '500', 'anthropic-ratelimit-tokens-reset': new Date(now + 8_000).toISOString() },
    { 'anthropic-ratelimit-tokens-remaining': '0', 'anthropic-ratelimit-tokens-reset': '2026-99-01T00:00:00Z' },
    { 'x-ratelimit-remaining-requests': '0' },
    { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': String(now - 1_000) },
    { 'x-ratelimit-remaining': '3', 'x-ratelimit-reset': String(now + 8_500) },
    { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': 'a minute' },
  ])('is not known of %p', (headers) => {
    expect(wait(headers)).toBeNull()
  })
})
