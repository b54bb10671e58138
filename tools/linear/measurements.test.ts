import { expect, test } from 'bun:test'
import { join } from 'node:path'
import { type Part, rankBy } from './assignment.ts'
import { type Case, judge } from './measure.ts'
import { describeOffender, measureAll } from './measure-all.ts'
import { readsHostilePart } from './observe-reads.ts'
import { onceSlow } from './once-slow.ts'
import { type Exported, keyOf } from './read-functions.ts'
import { readSubject } from './read-subject.ts'
import { seedOfDay } from './seed.ts'

/** Processor time of the sample; what is not measured then is measured on another day, and by `npm run linear`. */
const sampleCpuMs = 8_000
/** Longest time of the sample on a busy machine. */
const sampleMs = 100_000
const bytesMax = 32 * 1024

/** What was slow once, with more cases each, and then the other exports as the seed orders them. */
function sampleOf(exports: readonly Exported[]): readonly Part[] {
  const isOnceSlow = (exported: Exported): boolean => onceSlow.includes(keyOf(exported))
  return [
    ...exports.filter(isOnceSlow).map((exported) => ({ exported, casesMax: 40 })),
    ...rankBy(exports, keyOf, seedOfDay).flatMap((exported) => (isOnceSlow(exported) ? [] : [{ exported, casesMax: 6 }])),
  ]
}

test(`a sample of hostile inputs takes time in proportion to its length (LINEAR_SEED=${seedOfDay})`, async () => {
  const { exports, documents } = await readSubject()
  const assignment = { parts: sampleOf(exports), documents, firstCase: 0, seed: seedOfDay, bytesMax, cpuMsMax: sampleCpuMs }
  const { cases, offenders, unreached } = await measureAll(assignment, sampleMs)
  expect(cases).toBeGreaterThan(100)
  expect(offenders.map(describeOffender)).toEqual([])
  expect(unreached.filter((key) => onceSlow.includes(key))).toEqual([])
}, 120_000)

const caseOf = (call: (text: string) => unknown): Case => ({
  name: 'a case',
  prepare: (bytes) => {
    const input = 'a'.repeat(bytes)
    return { input, call: () => call(input) }
  },
})

/** These two take long for few bytes. */
const smallest = 2 * 1024

const quadratic = (text: string): number => {
  let sum = 0
  for (let one = 0; one < text.length; one += 1) for (let other = 0; other < text.length; other += 1) sum += text.charCodeAt(other)
  return sum
}

const slow = (text: string): number => {
  let sum = 0
  for (let at = 0; at < text.length; at += 1) for (let times = 0; times < 2_000; times += 1) sum += Math.sqrt(text.charCodeAt(at) * times)
  return sum
}

test('a linear function passes', async () => {
  const search = caseOf((text) => text.indexOf('b'))
  expect(await judge(search, bytesMax)).toBeNull()
})

test('a quadratic function fails', async () => {
  expect((await judge(caseOf(quadratic), smallest))?.growth).toBeGreaterThan(2.5)
})

test('a function that does much for each byte fails', async () => {
  expect((await judge(caseOf(slow), smallest))?.factor).toBeGreaterThan(20)
})

test('a case that does not end ends the process that measures', async () => {
  const thread = JSON.stringify(join(import.meta.dir, 'end-if-stuck.ts'))
  const counter = 'new Int32Array(new SharedArrayBuffer(4))'
  const program = `new (require('node:worker_threads').Worker)(${thread}, { workerData: { counter: ${counter}, cpuMsMax: 200 } }); for (;;);`
  const child = Bun.spawn([process.execPath, '--no-orphans', '-e', program], { stdout: 'ignore', stderr: 'inherit' })
  await child.exited
  expect(child.signalCode).toBe('SIGKILL')
})

interface Document {
  readonly id: string
  readonly items: readonly { readonly text: string }[]
}

const document = { id: 'a', items: [{ text: 'b'.repeat(200) }] }

const reads = (call: (value: Document) => unknown): Promise<boolean> =>
  readsHostilePart({
    name: 'a case',
    prepare: (_, watch = (input) => input) => {
      // Holds: a watched document has its members.
      const input = watch(document) as Document
      return { input, call: () => call(input) }
    },
  })

const readsText = (call: (text: string) => unknown): Promise<boolean> =>
  readsHostilePart({
    name: 'a case',
    prepare: (_, watch = (input) => input) => {
      const input = String(watch(JSON.stringify(document)))
      return { input, call: () => call(input) }
    },
  })

test('a place that a call reads is distinguished from one that it does not read', async () => {
  expect(await reads(({ id }) => id)).toBe(false)
  expect(await reads(({ items }) => items.length)).toBe(false)
  expect(await reads(({ items }) => items.map(({ text }) => text))).toBe(true)
  expect(await reads((value) => JSON.stringify(value))).toBe(true)
  expect(await reads(({ items }) => ({ ...items[0] }))).toBe(true)
})

test('a place in JSON is read if its member is, and a text that is not parsed is read', async () => {
  expect(await readsText((text) => JSON.parse(text).id)).toBe(false)
  expect(await readsText((text) => JSON.parse(text).items[0].text)).toBe(true)
  expect(await readsText((text) => text.indexOf('}'))).toBe(true)
})
