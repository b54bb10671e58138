import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { messages } from '../../test/anthropic-messages.ts'
import { anyJson } from '../../test/chats.ts'
import { countsOf, jsonFilesIn, onTheWire, withWholeUsages } from '../../test/files.ts'
import type { ReplyContext } from '../dialect.ts'
import type { Json } from '../json.ts'
import { fromAnthropic } from './reply.ts'

const context: ReplyContext = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'what the client asked for' }

interface Fixture {
  readonly why: string
  readonly context?: Partial<ReplyContext>
  readonly message: Json
  readonly expected: unknown
}

describe('a recorded answer', () => {
  for (const [name, file] of jsonFilesIn(join(import.meta.dir, 'fixtures/replies'))) {
    // Holds: the files are written as this interface says; a wrong one fails the comparison.
    const { why, context: carried, message, expected } = file as Fixture
    test(`${name}: ${why}`, () => {
      expect(onTheWire(fromAnthropic(message, { ...context, ...carried }))).toEqual(onTheWire(withWholeUsages(expected)))
    })
  }
})

describe('every answer', () => {
  test('is read without throwing, and its counts are whole numbers or missing', () => {
    const broken = fc
      .tuple(messages, fc.constantFrom('content', 'usage', 'stop_reason', 'stop_details', 'type'), anyJson())
      .map(([message, field, value]) => ({ ...message, [field]: value }))
    fc.assert(
      fc.property(fc.oneof(anyJson(), broken), (message) => {
        const reply = fromAnthropic(message, context)
        if (reply === null || 'kind' in reply) return
        for (const count of countsOf(reply.usage)) expect(Number.isSafeInteger(count) && count >= 0).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  test('has usage whose parts do not exceed their total', () => {
    fc.assert(
      fc.property(messages, (message) => {
        const reply = fromAnthropic(message, context)
        const usage = reply === null || 'kind' in reply ? null : reply.usage
        const { promptTokens = 0, cachedTokens = 0, cacheWriteTokens = 0, cacheWrite1hTokens = 0 } = usage ?? {}
        expect(cachedTokens + cacheWriteTokens + cacheWrite1hTokens).toBeLessThanOrEqual(promptTokens)
        expect(usage?.reasoningTokens ?? 0).toBeLessThanOrEqual(usage?.completionTokens ?? 0)
      }),
    )
  })
})
