import { describe, expect, test } from 'bun:test'
import { parseSources } from '../sources.ts'
import { planFor } from './cases.ts'
import { factorNames } from './factors.ts'
import { onceSlow } from './once-slow.ts'
import { parameterNames } from './parameter-names.ts'
import { parameterTypes } from './parameter-types.ts'
import { keyOf, readExports, typeOf } from './read-functions.ts'
import { readSubject } from './read-subject.ts'
import { rows } from './rows.ts'

const subject = await readSubject()
const plans = await Promise.all(subject.exports.map(async (exported) => ({ exported, plan: await planFor(exported, subject.documents) })))
const keys = new Set(subject.exports.map(keyOf))

const addHere =
  'add the type of the parameter to tools/linear/parameter-types.ts (hostile values of it), or to uncalled-types.ts (why it holds no data from outside), or give the export a row in tools/linear/rows-of-*.ts'

describe('exported functions of the packages that get data from outside', () => {
  test('are each called with hostile input, or have the reason why not', () => {
    const missing = plans.flatMap(({ exported, plan }) => (plan.kind === 'missing' ? [`${keyOf(exported)}: ${plan.what}; ${addHere}`] : []))
    expect(missing).toEqual([])
    expect(plans.filter(({ plan }) => plan.kind === 'called').length).toBeGreaterThan(500)
  })

  test('that are gone have no row', () => {
    expect(Object.keys(rows).filter((key) => !keys.has(key))).toEqual([])
    expect(onceSlow.filter((key) => !keys.has(key))).toEqual([])
    expect(factorNames.filter((name) => ![...keys].some((key) => key.startsWith(name)))).toEqual([])
  })

  test('use every type of the tables', () => {
    const used = subject.exports.flatMap(({ parameters }) => parameters ?? [])
    const types = new Set([...used.map(typeOf), ...alsoOfMembers])
    expect(Object.keys(parameterTypes).filter((type) => !types.has(type))).toEqual([])
    expect(Object.keys(parameterNames).filter((parameter) => !used.includes(parameter))).toEqual([])
  })

  test('are found with the types of their parameters, however they are written', async () => {
    const text = [
      'export function a(x: string, { y }: JsonObject = {}, z = 1): void {}',
      'export const b = (list: readonly string[]): number => list.length',
      'export const c: Signer = (request, context) => request',
      'export const d = { e: 1 }',
      'export class F {}',
      'function hidden(x: string): void {}',
      'export type G = string',
    ].join('\n')
    const [source] = await parseSources({ 'packages/vendors/src/a.ts': text })
    const parsed = source === undefined ? [] : readExports(source).map(({ name, parameters, type }) => [name, parameters, type])
    expect(parsed).toEqual([
      ['a', ['x: string', '{}: JsonObject', 'z: number'], null],
      ['b', ['list: readonly string[]'], null],
      ['c', ['{}: of Signer'], 'Signer'],
      ['d', null, null],
      ['F', null, 'class'],
    ])
  })

  test('without a known parameter are reported', async () => {
    const exported = { file: 'packages/vendors/src/core/duration.ts', name: 'secondsOf', parameters: ['text: Unheard'], type: null }
    expect(await planFor(exported, {})).toEqual({ kind: 'missing', what: 'nothing says what a hostile `Unheard` is' })
  })
})

/** Types that only functions within records have. */
const alsoOfMembers = new Set(['TaskResponses'])
