import { describe, expect, test } from 'bun:test'
import type { Json } from '@sluice/vendors/core/json'
import type { SubmittedTask, TaskReport } from '@sluice/vendors/core/task'
import { hostileValues } from '../../../test/hostile/values.ts'
import { parseSubmittedTask, parseTaskReport, UnusableValue } from './parse-task.ts'

const audio = {
  state: 'completed',
  progress: 100,
  results: [
    { variant: 'video', url: 'https://vendor.example/a.mp4?sign=b', contentType: 'video/mp4' },
    { variant: 'text', text: 'first line\nsecond\tline' },
  ],
  error: { code: 'moderation_blocked', message: 'no' },
  counts: { seconds: 4.5, credits: 1_000_000, images: 2, calls: 1, size: '1080p', quality: 'silent' },
  expiresAt: 2_000_000_000,
  data: { id: 'v1', list: [1.5, null] },
} as const satisfies TaskReport

const submitted = { vendorId: 'v1', memo: { polling_url: 'https://vendor.example/v1' }, report: audio } as const satisfies SubmittedTask

/** The report with another value at a place. */
function withValue<Whole extends object>(whole: Whole, path: readonly (string | number)[], value: unknown): Whole {
  const copy = structuredClone(whole)
  const [last = ''] = path.slice(-1)
  const parent = path.slice(0, -1).reduce<Record<string | number, unknown>>(
    // Holds: every path of the test leads through objects and lists.
    (at, name) => at[name] as Record<string | number, unknown>,
    // Holds: it is an object.
    copy as Record<string | number, unknown>,
  )
  parent[last] = value
  return copy
}

const numbers = (value: unknown): readonly number[] => {
  if (typeof value === 'number') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbers) : []
}
const texts = (value: unknown): readonly string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(texts) : []
}

describe('a report about a task', () => {
  test('is unchanged if all of its values can be stored', () => {
    expect(parseTaskReport(audio)).toEqual(audio)
    expect(parseSubmittedTask(submitted)).toEqual(submitted)
  })

  test('has whole seconds for the time when its results are deleted', () => {
    expect(parseTaskReport({ ...audio, expiresAt: 2_000_000_000.5 }).expiresAt).toBe(2_000_000_000)
  })

  const paths = [
    ...[['progress'], ['expiresAt'], ['error', 'code'], ['error', 'message']],
    ...['seconds', 'credits', 'images', 'calls', 'size', 'quality'].map((name) => ['counts', name]),
    ...['url', 'base64', 'contentType', 'text'].map((name) => ['results', 0, name]),
  ]

  test.each(paths.map((path) => [path.join('.'), path] as const))('has at %s no value that cannot be stored or charged', (_, path) => {
    for (const [kind, value] of hostileValues) {
      const parsed = parseTaskReport(withValue(audio, path, value))
      const { data: _data, ...stored } = parsed
      for (const number of numbers(stored)) expect([kind, Number.isFinite(number) && number >= 0 && number < 1e12]).toEqual([kind, true])
      for (const text of texts({ ...stored, results: stored.results?.map(({ base64: _base64, ...rest }) => rest) }))
        expect([kind, text.isWellFormed(), text.includes('\0'), text.length <= 70_000]).toEqual([kind, true, false, true])
      for (const whole of [parsed.progress, parsed.expiresAt, parsed.counts?.images, parsed.counts?.calls])
        expect([kind, whole === undefined || Number.isSafeInteger(whole)]).toEqual([kind, true])
      expect([kind, (parsed.error?.code.length ?? 0) <= 100, (parsed.error?.message.length ?? 0) <= 2_000]).toEqual([kind, true, true])
    }
  })

  test('has no data that is too long, or too deep to be written', () => {
    let deep: Json = []
    for (let level = 0; level < 100_000; level++) deep = [deep]
    expect(parseTaskReport({ ...audio, data: deep }).data).toBeNull()
    expect(parseTaskReport({ ...audio, data: 'x'.repeat(2 * 1024 * 1024) }).data).toBeNull()
  })

  test('has no content type that a browser would run', () => {
    const [result] = parseTaskReport(withValue(audio, ['results', 0, 'contentType'], 'text/html')).results ?? []
    expect(result).toEqual({ variant: 'video', url: 'https://vendor.example/a.mp4?sign=b' })
  })

  test('has at most a hundred results', () => {
    const results = Array.from({ length: 5_000 }, () => audio.results[0])
    expect(parseTaskReport({ ...audio, results }).results).toHaveLength(100)
  })
})

test.each(hostileValues.filter(([kind]) => kind !== 'a number as a text' && kind !== 'a word that JavaScript reads as no number'))(
  'a submitted task whose id is %s cannot be used',
  (_, value) => {
    expect(() => parseSubmittedTask(withValue(submitted, ['vendorId'], value))).toThrow(UnusableValue)
  },
)
