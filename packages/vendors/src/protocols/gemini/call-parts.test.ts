import { expect, test } from 'bun:test'
import fc from 'fast-check'
import { anyJson } from '../../../test/chats.ts'
import type { JsonObject } from '../../core/json.ts'
import { CallParts, type WholeCall } from './call-parts.ts'

/** The calls of a response, from all of its parts. */
function callsOf(parts: readonly JsonObject[]): readonly WholeCall[] {
  const reader = new CallParts()
  const calls = parts.flatMap((part) => reader.take(part, part['name'] === 'weather' ? 'sig' : undefined))
  return [...calls, ...reader.end()]
}

const part = (jsonPath: string, value: JsonObject): JsonObject => ({ partialArgs: [{ jsonPath, ...value }], willContinue: true })
const text = (jsonPath: string, stringValue: string): JsonObject => part(jsonPath, { stringValue })

test('a call whose arguments come in parts is one call with all of them', () => {
  const weather = { id: 'w1', name: 'weather', willContinue: true }
  const args = [
    text('$.city', 'Por'),
    text('$.city', 'to'),
    part('$.days[0].n', { numberValue: 1.5 }),
    part('$.days[1].n', { boolValue: true }),
  ]
  const more = [part('$[\'a b\']["c"]', { nullValue: 'NULL_VALUE' }), {}]
  expect(callsOf([weather, ...args, ...more, { name: 'plain', args: { x: 1 } }])).toEqual([
    { id: 'w1', name: 'weather', args: { city: 'Porto', days: [{ n: 1.5 }, { n: true }], 'a b': { c: null } }, signature: 'sig' },
    { id: '', name: 'plain', args: { x: 1 }, signature: undefined },
  ])
})

test.each([
  ['another one begins', [{ name: 'a', willContinue: true }, text('$.x', '1'), { name: 'b', args: {} }]],
  ['another one begins in parts', [{ name: 'a', willContinue: true }, text('$.x', '1'), { name: 'b', willContinue: true }]],
  ['the answer ends', [{ name: 'a', willContinue: true }, text('$.x', '1')]],
])('an unfinished call is whole when %s', (_, parts) => {
  expect(callsOf(parts)[0]).toEqual({ id: '', name: 'a', args: { x: '1' }, signature: undefined })
})

test('paths of a hostile vendor change nothing but the arguments, and take no memory of their own', () => {
  const paths = ['$.__proto__.x', '$.list[999999]', '$', 'x', '$..x', '$[', `$${'.a'.repeat(600)}`, '$.list[0][0][0]', '$[0]']
  const [call] = callsOf([{ name: 'a', willContinue: true }, ...paths.map((path) => text(path, 'v')), {}])
  expect(JSON.parse(JSON.stringify(call?.args))).toEqual(JSON.parse('{"__proto__":{"x":"v"},"list":[[["v"]]],"0":"v"}'))
  expect(({} as { readonly x?: string }).x).toBeUndefined()
})

test('whatever comes, calls are read without an error', () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.record(
          {
            name: anyJson(),
            args: anyJson(),
            willContinue: anyJson(),
            partialArgs: fc.array(fc.record({ jsonPath: fc.string({ unit: fc.constantFrom(...'$.[]"\'a0') }), stringValue: anyJson() })),
          },
          { requiredKeys: [] },
        ),
      ),
      (parts) => {
        expect(callsOf(parts as readonly JsonObject[]).every(({ args }) => typeof JSON.stringify(args) === 'string')).toBe(true)
      },
    ),
    { verbose: true },
  )
})
