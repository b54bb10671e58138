import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { excessOf, indexKeysMax, JsonCounter, JsonTally, marksMax } from './json-counter.ts'
import { depthMax } from './nesting.ts'

const encoder = new TextEncoder()

function counted(texts: readonly string[]): JsonTally {
  const tally = new JsonTally()
  const counter = new JsonCounter(tally)
  for (const text of texts) counter.push(encoder.encode(text))
  return tally
}

/** A plain count over the parsed value, by the definition of an array index. */
function indexKeysIn(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0
  const own = Array.isArray(value)
    ? 0
    : Object.keys(value).filter((key) => String(Number(key) >>> 0) === key && key !== '4294967295').length
  return Object.values(value).reduce((sum: number, inner) => sum + indexKeysIn(inner), own)
}

const oddKeys = [
  '0',
  '00',
  '01',
  '-1',
  '-0',
  '1',
  '9',
  '1e3',
  '1.0',
  ' 1',
  '1 ',
  '4294967294',
  '4294967295',
  '4294967296',
  '99999999999',
  '',
]
const oddKey = fc.oneof(
  fc.constantFrom(...oddKeys, '1"', '\\1', '1\\', '\\u0031', '１', '12é'),
  fc.nat({ max: 2 ** 32 }).map(String),
  fc.string(),
)
const value = fc.letrec((tie) => ({
  node: fc.oneof(
    { maxDepth: 4 },
    fc.jsonValue({ maxDepth: 1 }),
    oddKey,
    fc.dictionary(oddKey, tie('node'), { maxKeys: 5 }),
    fc.array(tie('node'), { maxLength: 4 }),
  ),
})).node

/** JSON with white space around its marks, and with escapes in its strings. */
function spelled(json: string, escapes: boolean): string {
  return json.replaceAll(/"(?:[^"\\]|\\.)*"|[[\]{},:]/g, (part) => {
    if (!part.startsWith('"')) return ` \n${part}\t`
    return escapes ? part.replaceAll(/(?<!\\[^"]*)\d/g, (digit) => `\\u003${digit}`) : part
  })
}

/** The text in chunks of the given lengths, again and again. */
function piecesOf(text: string, lengths: readonly number[]): readonly string[] {
  const pieces: string[] = []
  for (let at = 0, turn = 0; at < text.length; turn += 1) {
    const end = at + (lengths[turn % lengths.length] ?? 1)
    pieces.push(text.slice(at, end))
    at = end
  }
  return pieces
}

describe('the count of what JSON is made of', () => {
  test('is the one of the parsed value, however the JSON is spelled and cut', () => {
    const lengths = fc.array(fc.integer({ min: 1, max: 70 }), { minLength: 1, maxLength: 5 })
    fc.assert(
      fc.property(value, fc.boolean(), lengths, (input, escapes, cuts) => {
        const json = JSON.stringify(input)
        const text = spelled(json, escapes)
        expect(JSON.parse(text)).toEqual(JSON.parse(json))
        const whole = counted([text])
        expect(whole.indexKeys).toBe(indexKeysIn(JSON.parse(json)))
        expect(whole.marks).toBe(json.replaceAll(/"(?:[^"\\]|\\.)*"/g, '').replaceAll(/[^[\]{},:]/g, '').length)
        expect(counted(piecesOf(text, cuts))).toEqual(whole)
      }),
      { numRuns: 2_000 },
    )
  })

  test.each([
    ['{"0":1,"00":1,"-1":1,"1e3":1,"01":1,"":1}', 1],
    ['{"4294967294":1,"4294967295":1,"4294967296":1}', 1],
    ['{"\\u0031\\u0032":1,"1\\u0032":1,"\\\\u0031":1,"\\u003a":1,"\\u0030\\u0031":1}', 2],
    ['{"\\u0034\\u0032\\u0039\\u0034\\u0039\\u0036\\u0037\\u0032\\u0039\\u0034":1}', 1],
    ['{"1" \n\t:1,"2":"3","a":"4"}', 2],
    ['["1","2"]', 0],
    ['{"1":{"1":{"1":[{"1":1}]}}}', 4],
    ['{"1\\"":1,"\\"1":1,"1\\\\":1}', 0],
  ])('of %s has its members with whole numbers as names', (text, keys) => {
    expect(counted([text]).indexKeys).toBe(keys)
    expect(counted([...text]).indexKeys).toBe(keys)
  })

  test('reports when every bracket is closed', () => {
    const counter = new JsonCounter()
    const states = ['', '{"a', '":"}"', ',"b":[', ']', '}', ' '].map((piece) => {
      counter.push(encoder.encode(piece))
      return counter.isClosed
    })
    expect(states).toEqual([false, false, false, false, false, true, true])
  })

  test('goes on over several texts, and ends at the limit', () => {
    const tally = new JsonTally()
    const text = encoder.encode(`[${'0,'.repeat(marksMax / 2)}0]`)
    new JsonCounter(tally).push(text)
    expect(tally.excess).toBeNull()
    new JsonCounter(tally).push(text)
    expect(tally.excess).toBe('too many values')
    new JsonCounter(tally).push(text)
    expect(tally.marks).toBe(marksMax + 1)
  })
})

describe('a text that is parsed', () => {
  const keys = (count: number): string => `{${Array.from({ length: count }, (_, index) => `"${7_919 * index}":1`).join(',')}}`

  test('may be as large as the limits, and no larger', () => {
    expect(excessOf(keys(indexKeysMax))).toBeNull()
    expect(excessOf(keys(indexKeysMax + 1))).toContain('names are integers')
    expect(excessOf(`[${'0,'.repeat(marksMax - 2)}0]`)).toBeNull()
    expect(excessOf(`[${'0,'.repeat(marksMax)}0]`)).toContain('too many values')
    expect(excessOf(`${'['.repeat(depthMax + 1)}"${'x'.repeat(200_000)}"`)).toContain('too deeply')
  })

  test('has no marks within its strings', () => {
    expect(excessOf(`{"a":${JSON.stringify(keys(2 * indexKeysMax))}}`)).toBeNull()
    expect(excessOf(`["${'\\",'.repeat(marksMax + 1)}"]`)).toBeNull()
  })
})
