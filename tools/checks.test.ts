import { expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { allMutations } from './all-mutations.ts'
import { type Check, checkPrefixes, faultsOf, readChecks } from './checks.ts'
import { notYet } from './checks-not-yet.ts'
import { readSources } from './sources.ts'
import { titlesOf } from './test-titles.ts'

const list = readFileSync(join(import.meta.dir, '../apps/console/CHECKS.md'), 'utf8')
const checks = readChecks(list)
const testFiles = (await readSources()).filter(({ path }) => /\.(?:test|spec)\.tsx?$/.test(path))
const titles = new Map(testFiles.map((source) => [source.path, titlesOf(source)]))

test('every line of the check list names tests that exist', () => {
  expect(checks.length).toBeGreaterThan(200)
  expect(faultsOf(checks, { titles, notYet: Object.keys(notYet) })).toEqual([])
})

test('every part of the check list has lines', () => {
  const used = new Set(checks.map(({ id }) => id.replace(/\d.*/, '')))
  expect(Object.keys(checkPrefixes).filter((prefix) => !used.has(prefix))).toEqual([])
})

test('nothing in the check list looks like a line or a test without being read as one', () => {
  const lines = list.split('\n').filter((line) => /^\s*[-*] /.test(line))
  expect(lines).toHaveLength(checks.length + checks.reduce((total, check) => total + check.tests.length, 0))
})

test('the walk refuses wrong lines', () => {
  const known = { titles: new Map([['a.test.ts', ['works', 'in %s › works']]]), notYet: ['G9'] }
  const check = (id: string, ...tests: Check['tests']): Check => ({ id, sentence: 'It works.', tests })
  const works = { file: 'a.test.ts', title: 'works' }
  expect(faultsOf([check('G1', works), check('G2a', { file: 'a.test.ts', title: 'in %s › works' }), check('G9')], known)).toEqual([])
  const faults = faultsOf(
    [
      check('G1', works),
      check('G1', works),
      check('Q1', works),
      check('G', works),
      check('G2'),
      check('G3', { file: 'b.test.ts', title: 'works' }),
      check('G4', { file: 'a.test.ts', title: 'in en › works' }),
      check('G9', works),
    ],
    known,
  )
  expect(faults.map((fault) => fault.slice(0, fault.indexOf(':')))).toEqual(['G1', 'Q1', 'G', 'G9', 'G2', 'G3', 'G4'])
})

test('the list is read as it is written', () => {
  expect(readChecks('# Title\n\nText.\n\n- **G1** It works.\n  - `a.test.ts` › in a block › works\n')).toEqual([
    { id: 'G1', sentence: 'It works.', tests: [{ file: 'a.test.ts', title: 'in a block › works' }] },
  ])
})

test('deliberate faults break lines of the check list all over the console, and the tests of the line notice them', () => {
  const breaking = allMutations.filter(({ check }) => check !== undefined)
  const wrong = breaking.filter(({ check, tests, only }) => {
    const named = checks.find(({ id }) => id === check)?.tests ?? []
    const isNamed = named.filter(({ file, title }) => tests.includes(file) && new RegExp(only ?? '').test(title))
    return isNamed.length === 0
  })
  expect(wrong.map(({ name, check }) => `${check}: ${name}`)).toEqual([])
  expect(breaking.length).toBeGreaterThanOrEqual(20)
  expect(new Set(breaking.map(({ check }) => check?.replace(/\d.*/, ''))).size).toBeGreaterThanOrEqual(12)
})
