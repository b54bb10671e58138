import { expect, test } from 'bun:test'
import { callOf, contentRules, contract, csvLine, type Endpoint, optionKeys, optionRow, withoutTrailingSlashes } from './index.ts'
import { inputSchema } from './json-schema.ts'

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
  const calls = Object.values(contract).flatMap((noun): readonly Endpoint[] => Object.values(noun))
  for (const call of calls)
    for (const [name, { type }] of Object.entries(inputSchema(call).properties ?? {})) {
      if (type === 'integer' || type === 'boolean') continue
      const found = slow(texts, (text) => call.input.safeParse({ id: 1, [name]: text }))
      expect([callOf(call), name, found]).toEqual([callOf(call), name, []])
    }
}, 300_000)

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
