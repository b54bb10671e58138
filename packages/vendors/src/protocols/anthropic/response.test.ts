import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { messages } from '../../../test/anthropic-messages.ts'
import { anyJson } from '../../../test/chats.ts'
import { countsOf, jsonFilesIn, onTheWire, withWholeUsages } from '../../../test/files.ts'
import type { Json } from '../../core/json.ts'
import type { ResponseContext } from '../../core/response.ts'
import { anthropic } from './dialect.ts'

const context: ResponseContext = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'what the client asked for' }

interface Fixture {
  readonly why: string
  readonly context?: Partial<ResponseContext>
  readonly message: Json
  readonly expected: unknown
}

describe('a recorded response', () => {
  for (const [name, file] of jsonFilesIn(join(import.meta.dir, 'fixtures/responses'))) {
    // Holds: the files are written as this interface says; a wrong one fails the comparison.
    const { why, context: carried, message, expected } = file as Fixture
    test(`${name}: ${why}`, () => {
      expect(onTheWire(anthropic.response(message, { ...context, ...carried }))).toEqual(onTheWire(withWholeUsages(expected)))
    })
  }
})

describe('every response', () => {
  test('is read without throwing, and its counts are whole numbers or missing', () => {
    const broken = fc
      .tuple(messages, fc.constantFrom('content', 'usage', 'stop_reason', 'stop_details', 'type'), anyJson())
      .map(([message, field, value]) => ({ ...message, [field]: value }))
    fc.assert(
      fc.property(fc.oneof(anyJson(), broken), (message) => {
        const response = anthropic.response(message, context)
        if (response === null || 'kind' in response) return
        for (const count of countsOf(response.usage)) expect(Number.isSafeInteger(count) && count >= 0).toBe(true)
      }),
      { numRuns: 500 },
    )
  })

  test('has usage whose parts do not exceed their total', () => {
    fc.assert(
      fc.property(messages, (message) => {
        const response = anthropic.response(message, context)
        const usage = response === null || 'kind' in response ? null : response.usage
        const { promptTokens = 0, cachedTokens = 0, cacheWriteTokens = 0, cacheWrite1hTokens = 0 } = usage ?? {}
        expect(cachedTokens + cacheWriteTokens + cacheWrite1hTokens).toBeLessThanOrEqual(promptTokens)
        expect(usage?.reasoningTokens ?? 0).toBeLessThanOrEqual(usage?.completionTokens ?? 0)
      }),
    )
  })
})

describe('what a text cites', () => {
  const citation = { type: 'web_search_result_location', url: 'https://a.example/1', title: 'One', cited_text: 'x', encrypted_index: 'E' }
  const own = { type: 'page_location', document_index: 0, cited_text: 'y' }
  const expected = [{ type: 'url_citation', url_citation: { url: 'https://a.example/1', title: 'One', start_index: 5, end_index: 10 } }]

  test('comes as annotations of the whole response', () => {
    const content = [
      { type: 'text', text: 'So:  ' },
      { type: 'text', text: 'Rain.', citations: [citation, own] },
    ]
    const read = anthropic.response(
      { content, stop_reason: 'end_turn', usage: { input_tokens: 1, output_tokens: 1 } },
      { id: 'i', created: 1, model: 'm' },
    )
    expect(read).toMatchObject({ response: { choices: [{ message: { content: 'So:  Rain.', annotations: expected } }] } })
  })

  test('comes with the end of a stream', () => {
    const stream = anthropic.stream({ id: 'i', created: 1, model: 'm' })
    const events = [
      { type: 'message_start', message: { usage: { input_tokens: 1, output_tokens: 1 } } },
      { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
      { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'So:  ' } },
      { type: 'content_block_stop', index: 0 },
      { type: 'content_block_start', index: 1, content_block: { type: 'text', text: '', citations: [] } },
      { type: 'content_block_delta', index: 1, delta: { type: 'citations_delta', citation } },
      { type: 'content_block_delta', index: 1, delta: { type: 'text_delta', text: 'Rain.' } },
      { type: 'content_block_stop', index: 1 },
      { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 2 } },
      { type: 'message_stop' },
    ]
    const chunks = events.flatMap((event) => stream.event(JSON.stringify(event)).chunks)
    expect(chunks.flatMap((chunk) => (JSON.stringify(chunk).includes('url_citation') ? [chunk] : []))).toMatchObject([
      { choices: [{ delta: { annotations: expected } }] },
    ])
  })
})
