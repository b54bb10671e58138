import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { brokenRules } from '../../../test/anthropic-rules.ts'
import { targetOf } from '../../../test/channel.ts'
import { chats, nonsense } from '../../../test/chats.ts'
import { freeze, jsonFilesIn, onTheWire } from '../../../test/files.ts'
import type { JsonObject } from '../../core/json.ts'
import { anthropic } from './dialect.ts'

/** One model of each generation with other fields. */
const models = [
  'claude-3-haiku-20240307',
  'claude-3-5-sonnet-20241022',
  'claude-3-7-sonnet-20250219',
  'claude-opus-4-20250514',
  'claude-sonnet-4-5-20250929',
  'claude-sonnet-4-6',
  'claude-opus-4-8',
  'claude-sonnet-5',
  'claude-fable-5',
  'claude-sonnet-5-5',
  'claude-opus-5-5',
  'somebody-elses-model',
] as const

/** A chat and the request it becomes. */
interface Fixture {
  readonly why: string
  readonly model: string
  readonly chat: JsonObject
  readonly expected: unknown
}

describe('a chat in the vendor’s form', () => {
  for (const [name, file] of jsonFilesIn(join(import.meta.dir, 'fixtures/requests'))) {
    // Holds: the files are written as this interface says; a wrong one fails the comparison.
    const { why, model, chat, expected } = file as Fixture
    test(`${name}: ${why}`, () => {
      const { path, headers, body, ...rest } = anthropic.request(chat, targetOf({ model, stream: chat['stream'] === true }))
      expect(path).toBe('/v1/messages')
      const { 'anthropic-version': version, ...others } = headers
      expect(version).toBe('2023-06-01')
      expect(onTheWire({ ...(Object.keys(others).length === 0 ? {} : { headers: others }), body, ...rest })).toEqual(onTheWire(expected))
    })
  }
})

describe('every chat', () => {
  test('becomes a request that obeys the vendor’s rules, and is not changed itself', () => {
    fc.assert(
      fc.property(chats, fc.constantFrom(...models), fc.boolean(), (chat, model, hasBudget) => {
        const own = hasBudget && !/^claude-3-(?:haiku|5)/.test(model) ? { thinking: { type: 'enabled', budget_tokens: 2048 } } : {}
        const { body, refused } = anthropic.request(freeze({ ...chat, ...own }), targetOf({ model, stream: false }))
        const broken = brokenRules(body)
        if (refused === undefined) expect(broken).toEqual([])
        else expect(broken).toContain('the model takes no forced tool')
      }),
      { numRuns: 2000 },
    )
  })

  test('with invalid members still becomes a request', () => {
    fc.assert(
      fc.property(nonsense, fc.constantFrom(...models), (chat, model) => {
        const { body } = anthropic.request(freeze(chat), targetOf({ model, stream: false }))
        expect(Number(body['max_tokens'])).toBeGreaterThan(0)
      }),
      { numRuns: 500 },
    )
  })

  test('becomes the same bytes each time', () => {
    fc.assert(
      fc.property(chats, fc.constantFrom(...models), (chat, model) => {
        const make = () => JSON.stringify(anthropic.request(chat, targetOf({ model, stream: true })))
        expect(make()).toBe(make())
      }),
      { numRuns: 200 },
    )
  })

  test('is translated in time linear to its length, even if all its messages, ids and names are alike', () => {
    const count = 20_000
    const call = { id: '', type: 'function', function: { name: 'go.on', arguments: '{}' } }
    const list = [
      ...Array.from({ length: count }, () => ({ role: 'user', content: 'a' })),
      { role: 'assistant', tool_calls: Array.from({ length: count }, () => call) },
      ...Array.from({ length: count }, () => ({ role: 'tool', tool_call_id: '', content: 'b' })),
    ]
    const tools = Array.from({ length: count }, (_, index) => ({ function: { name: String.fromCodePoint(0x4e00 + index) } }))
    const startedMs = performance.now()
    const { body } = anthropic.request({ messages: list, tools }, targetOf({ model: models[0], stream: false }))
    expect(performance.now() - startedMs).toBeLessThan(4_000)
    expect(brokenRules(body)).toEqual([])
  })
})
