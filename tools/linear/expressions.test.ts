import { describe, expect, test } from 'bun:test'
import { parseSources, readSources } from '../sources.ts'
import { analyzeExpression } from './analyze-expression.ts'
import { rankBy } from './assignment.ts'
import { boundedExpressions, boundedMs, computedExpressions } from './bounded-expressions.ts'
import { isFasterThan, timeExpression } from './judge-expression.ts'
import { readProven } from './proven-expressions.ts'
import { readExpressions } from './read-expressions.ts'
import { seedOfDay } from './seed.ts'

const expressions = readExpressions(await readSources())
const proven = readProven()
const literals = new Set(expressions.flatMap(({ text, isComputed }) => (isComputed ? [] : [text])))
const examples = Object.values(computedExpressions).flatMap((rows) => rows.flatMap((row) => row.examples))

/** How many are analysed again in one run. */
const provenMax = 10
const analysisMs = 2_000
/** How many are timed again in one run: each gets some hundred texts. */
const boundedMax = 3
const timedMax = 1

const addHere = 'run `npm run linear -- expressions`, or make it linear, or give its bound in tools/linear/bounded-expressions.ts'

const sample = (texts: readonly string[], most: number): readonly string[] => rankBy(texts, (text) => text, seedOfDay).slice(0, most)

const isListed = (text: string): boolean => proven.has(text) || text in boundedExpressions

describe('regular expressions', () => {
  test('are each proven linear, or have a row with their bound', () => {
    const missing = expressions.filter(({ text, isComputed }) => !isComputed && !isListed(text))
    expect(missing.map(({ place, text }) => `${place}: ${text} is not known to be linear: ${addHere}`)).toEqual([])
    expect(examples.filter((text) => !isListed(text))).toEqual([])
  })

  test('that are made of texts have a row each', () => {
    const counts = new Map<string, number>()
    for (const { place, isComputed } of expressions) {
      const [file = ''] = place.split(':')
      if (isComputed) counts.set(file, (counts.get(file) ?? 0) + 1)
    }
    expect(Object.fromEntries(counts)).toEqual(
      Object.fromEntries(Object.entries(computedExpressions).map(([file, rows]) => [file, rows.length])),
    )
  })

  test('that are gone have no row', () => {
    const stale = [...proven.keys(), ...Object.keys(boundedExpressions)].filter((text) => !literals.has(text) && !examples.includes(text))
    expect(stale.map((text) => `${text} is in no source: ${addHere}`)).toEqual([])
  })

  test(`with a bound take less than ${boundedMs} ms for the longest text (a sample, LINEAR_SEED=${seedOfDay})`, () => {
    const slow = sample(Object.keys(boundedExpressions), boundedMax).filter((text, index) => {
      // The analysis takes the longest: the attack that it finds is tried for one of them, its own words for all.
      const verdict = index === 0 ? analyzeExpression(text, analysisMs) : null
      const attack = verdict?.kind === 'attacked' ? verdict.attack : null
      return !isFasterThan(boundedMs, text, { length: boundedExpressions[text]?.charactersMax ?? 0, attack })
    })
    expect(slow).toEqual([])
  })

  test(`that are proven cannot be attacked (a sample, LINEAR_SEED=${seedOfDay})`, () => {
    const claimed = [...proven].flatMap(([text, how]) => (how === 'proven' ? [text] : []))
    expect(sample(claimed, provenMax).filter((text) => analyzeExpression(text, analysisMs).kind === 'attacked')).toEqual([])
  })

  test(`that the analysis cannot judge grow no faster than their text (a sample, LINEAR_SEED=${seedOfDay})`, async () => {
    const timed = [...proven].flatMap(([text, how]) => (how === 'timed' ? [text] : []))
    const findings = []
    for (const text of sample(timed, timedMax)) findings.push(await timeExpression(text, null))
    expect(findings.filter((finding) => finding !== null)).toEqual([])
  })

  test.each([
    '/\\/+$/',
    '/\\..*$/',
    '/^\\s*```(?:json)?\\s*\\n([\\s\\S]*?)\\n?\\s*```\\s*$/',
    '/^([\\w-]+):[ \\t]*([^\\r\\n\\0]*?)[ \\t]*$/',
  ])('that once blocked the server are recognized: %s', (text) => {
    expect(analyzeExpression(text, 20_000).kind).toBe('attacked')
  })

  test('are found wherever they are written, and super-linear ones are recognized', async () => {
    const text = "const a = /x+$/\n// /in a comment/\nconst b = '/in a text/'\nconst c = new RegExp(a.source)\nconst d = 4 / 2 / 1"
    const parsed = readExpressions(await parseSources({ 'packages/vendors/src/a.ts': text }))
    expect(parsed).toEqual([
      { place: 'packages/vendors/src/a.ts:1', text: '/x+$/', isComputed: false },
      { place: 'packages/vendors/src/a.ts:4', text: 'new RegExp(a.source)', isComputed: true },
    ])
    expect([analyzeExpression('/x+$/', analysisMs).kind, analyzeExpression('/^x+$/', analysisMs).kind]).toEqual(['attacked', 'proven'])
    expect(await timeExpression('/x+$/', null)).toMatchObject({ growth: expect.any(Number) })
    expect(await timeExpression('/^x+$/', null)).toBeNull()
  })
})
