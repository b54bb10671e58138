import { expect, test } from 'bun:test'
import type { Case } from './measure.ts'
import { judge } from './measure.ts'
import { describeOffender, measureAll } from './measure-all.ts'
import { readSubject } from './read-subject.ts'

const seed = Number(process.env['LINEAR_SEED'] ?? Math.floor(Date.now() / 86_400_000))
/** Time of the sample; what is not measured then is measured on another day, and by `npm run linear`. */
const sampleMs = 30_000
const casesMax = 6
const bytesMax = 32 * 1024

test(`a sample of hostile inputs takes time in proportion to its length (LINEAR_SEED=${seed})`, async () => {
  const { exports, documents } = await readSubject()
  const { cases, offenders } = await measureAll({ exports, documents, firstCase: 0, casesMax, seed, bytesMax }, sampleMs)
  expect(cases).toBeGreaterThan(100)
  expect(offenders.map(describeOffender)).toEqual([])
}, 120_000)

const caseOf = (call: (text: string) => unknown): Case => ({
  name: 'a case',
  prepare: (bytes) => {
    const input = 'a'.repeat(bytes)
    return { input, call: () => call(input) }
  },
})

const quadratic = (text: string): number => {
  let sum = 0
  for (let one = 0; one < text.length; one += 1) for (let other = 0; other < text.length; other += 64) sum += text.charCodeAt(other)
  return sum
}

const slow = (text: string): number => {
  let sum = 0
  for (let at = 0; at < text.length; at += 1) for (let times = 0; times < 400; times += 1) sum += Math.sqrt(text.charCodeAt(at) * times)
  return sum
}

test('a linear function passes', async () => {
  const search = caseOf((text) => text.indexOf('b'))
  expect(await judge(search, bytesMax)).toBeNull()
})

test('a quadratic function fails', async () => {
  expect((await judge(caseOf(quadratic), bytesMax))?.growth).toBeGreaterThan(2.5)
})

test('a function that does much for each byte fails', async () => {
  expect((await judge(caseOf(slow), bytesMax))?.factor).toBeGreaterThan(20)
})
