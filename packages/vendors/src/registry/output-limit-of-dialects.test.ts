import { describe, expect, test } from 'bun:test'
import { exampleChannel } from '../../test/channel.ts'
import type { JsonObject } from '../core/json.ts'
import type { Kind } from '../core/kind.ts'
import { vendors } from './list.ts'
import { buildRequest } from './request/build-request.ts'

// If the client sets no output limit, the request gets ours, in the field that the vendor reads.

const messages = [{ role: 'user', content: 'Hi' }]
const outputLimit = 3_000
const limits = ['max_tokens', 'max_completion_tokens', 'max_output_tokens']

function limitsIn(
  type: number,
  request: JsonObject,
  params: { readonly kind?: Kind; readonly model: string; readonly outputLimit?: number },
) {
  const vendor = vendors.find((row) => row.type === type)
  if (vendor === undefined) throw new Error(`no vendor ${type}`)
  const { body } = buildRequest(vendor, request, {
    kind: 'chat',
    stream: false,
    outputLimit,
    channel: exampleChannel(vendor).facts,
    ...params,
  })
  return Object.fromEntries(Object.entries(body).filter(([name]) => limits.includes(name) || name === 'thinking'))
}

describe('our limit is', () => {
  test.each([
    ['OpenAI', 1, 'gpt-4o', { max_tokens: 3_000 }],
    ['OpenAI, for a reasoning model', 1, 'gpt-5', { max_completion_tokens: 3_000 }],
    ['any server, for a reasoning model', 8, 'o3', { max_completion_tokens: 3_000 }],
    ['any server', 8, 'llama3.1', { max_tokens: 3_000 }],
    ['a vendor that knows the older field only', 36, 'a-model', { max_tokens: 3_000 }],
    ['a reseller', 29, 'openai/gpt-oss-120b', { max_tokens: 3_000 }],
    ['Anthropic', 14, 'claude-3-5-haiku-latest', { max_tokens: 3_000 }],
  ])('sent to %s in one field', (_, type, model, expected) => {
    expect(limitsIn(type, { messages, max_completion_tokens: null }, { model })).toEqual(expected)
    expect(limitsIn(type, { messages, max_tokens: -1 }, { model })).toEqual(expected)
  })

  test('sent in the fields of other kinds', () => {
    expect(limitsIn(1, { prompt: 'Hi' }, { kind: 'completions', model: 'gpt-3.5-turbo-instruct' })).toEqual({ max_tokens: 3_000 })
    expect(limitsIn(1, { input: 'Hi' }, { kind: 'responses', model: 'gpt-5' })).toEqual({ max_output_tokens: 3_000 })
    expect(limitsIn(36, { input: 'Hi' }, { kind: 'responses', model: 'a-model' })).toEqual({ max_tokens: 3_000 })
    expect(limitsIn(1, { input: 'Hi' }, { kind: 'embeddings', model: 'text-embedding-3-small' })).toEqual({})
  })

  test('shared by thinking and output of Claude', () => {
    const ask = { messages, reasoning_effort: 'high' }
    const model = 'claude-sonnet-4-5'
    expect(limitsIn(14, ask, { model, outputLimit: 64_000 })).toEqual({
      max_tokens: 64_000,
      thinking: { type: 'enabled', budget_tokens: 16_384 },
    })
    expect(limitsIn(14, ask, { model })).toEqual({ max_tokens: 3_000, thinking: { type: 'enabled', budget_tokens: 2_744 } })
    expect(limitsIn(14, ask, { model, outputLimit: 1_279 })).toEqual({ max_tokens: 1_279 })
    expect(limitsIn(14, ask, { model: 'claude-opus-4-8', outputLimit: 400 })).toMatchObject({
      max_tokens: 400,
      thinking: { type: 'adaptive' },
    })
  })
})
