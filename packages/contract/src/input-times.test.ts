import { expect, test } from 'bun:test'
import { callOf, contentRules, contract, csvLine, type Endpoint, optionKeys, optionRow, timeMax, withoutTrailingSlashes } from './index.ts'
import { inputSchema } from './json-schema.ts'

const calls = Object.values(contract).flatMap((noun): readonly Endpoint[] => Object.values(noun))

/** What makes expressions slow: characters that two neighbouring parts of one take, and a last one that neither takes. */
const parts = [
  ' ',
  '\t',
  '\n',
  ',',
  ':',
  '/',
  '.',
  '-',
  '_',
  '@',
  '*',
  '(',
  '"',
  '<',
  '[',
  '{',
  '0',
  'a',
  'a,',
  'a.',
  '::',
  ':1',
  '\\',
  '=',
  '中',
]
const ends = ['', '\0', 'x']
const hostile = (length: number): readonly string[] =>
  parts.flatMap((part) => ends.map((end) => part.repeat(Math.ceil(length / part.length)).slice(0, length - end.length) + end))

/** Steps that grow as the square of 64 KiB take seconds. */
const msMax = 250

/** Texts that take long in both of two tries: the first one may have to wait for the machine. */
function slow(texts: readonly string[], run: (text: string) => unknown): readonly string[] {
  const isSlow = (text: string): boolean => {
    const startMs = performance.now()
    run(text)
    return performance.now() - startMs > msMax
  }
  return texts.filter((text) => isSlow(text) && isSlow(text)).map((text) => `${text.slice(0, 4)}...${text.slice(-2)}`)
}

/** As long as the shorter and the longer fields may be. */
const texts = [2_048, 65_536].flatMap(hostile)

test('no text in an input takes long to check', () => {
  for (const call of calls)
    for (const [name, { type }] of Object.entries(inputSchema(call).properties ?? {})) {
      if (type === 'integer' || type === 'boolean') continue
      const slowTexts = slow(texts, (text) => call.input.safeParse({ id: 1, [name]: text }))
      expect([callOf(call), name, slowTexts]).toEqual([callOf(call), name, []])
    }
}, 300_000)

/** The names of inputs that are times, in seconds since the epoch. */
const timeNames = /(?:_time|_at|_timestamp|^until)$/

test('no input is a time that a date cannot hold, or that cannot be written with four digits of the year', () => {
  const times = calls.flatMap((call) =>
    Object.keys(inputSchema(call).properties ?? {})
      .filter((name) => timeNames.test(name))
      .map((name) => ({ call, name })),
  )
  // Tokens, codes and access tokens, the filters of lists and exports, and the deletion of the log.
  expect(times.length).toBeGreaterThan(20)
  for (const { call, name } of times)
    for (const seconds of [timeMax + 1, 8_640_000_000_001, Number.MAX_SAFE_INTEGER]) {
      const { data, error } = call.input.safeParse({ id: 1, [name]: seconds })
      const isRefused = error?.issues.some(({ path }) => path[0] === name) === true
      const taken = Reflect.get(data ?? {}, name)
      // Other members are missing: then nothing is known of a time that was taken.
      const isLimited = isRefused || (typeof taken === 'number' && taken <= timeMax)
      expect([callOf(call), name, seconds, isLimited]).toEqual([callOf(call), name, seconds, true])
    }
})

test('no text of an option takes long to parse', () => {
  for (const key of optionKeys) {
    const { lengthMax, parse } = optionRow(key)
    expect([key, slow(hostile(lengthMax), (text) => parse(text))]).toEqual([key, []])
  }
}, 300_000)

test('no other text takes long', () => {
  const run = (text: string) => {
    withoutTrailingSlashes(text)
    csvLine([text])
    for (const tag of ['a', 'img', 'iframe', 'p']) for (const name of ['href', 'src', 'style']) contentRules.valueOf(tag, name, text)
  }
  expect(slow(hostile(65_536), run)).toEqual([])
  const styles = ['a:b;', 'url(', 'url(http://', 'a:(b(c)', '((', '(a)', 'image ', 'var ', '"', '/*'].flatMap((part) =>
    [4_096, 262_144].map((length) => part.repeat(length / part.length)),
  )
  expect(slow(styles, (text) => contentRules.valueOf('p', 'style', text))).toEqual([])
}, 300_000)
