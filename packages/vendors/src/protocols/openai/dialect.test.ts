import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { play } from '../../../test/accumulate.ts'
import { targetOf } from '../../../test/channel.ts'
import { anyJson, chats } from '../../../test/chats.ts'
import { countsOf, freeze, onTheWire, readJson, withWholeUsages } from '../../../test/files.ts'
import type { Failure } from '../../core/failure.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { Rewrites } from '../../core/rewrites.ts'
import type { Usage } from '../../core/usage.ts'
import { openai } from './dialect.ts'
import { withoutEmptyMembers } from './empty-members.ts'

const fixtures = (name: string): unknown => readJson(join(import.meta.dir, 'fixtures', `${name}.json`))
const context = { id: 'chatcmpl-ours', created: 7, model: 'asked' }
const asText = (event: unknown): string => (typeof event === 'string' ? event : JSON.stringify(event))

interface Streamed {
  readonly why: string
  readonly events: readonly unknown[]
  readonly text: string
  readonly usage: Usage | null
  readonly complete: boolean
  readonly hidden: readonly number[]
  readonly failures: readonly Failure[]
}

describe('a recorded stream', () => {
  // Holds: the file is written as this interface says; a wrong row fails the comparison.
  for (const { why, events, ...expected } of withWholeUsages(fixtures('streams') as readonly Streamed[])) {
    const data = events.map(asText)

    test(`that is passed through: ${why}`, () => {
      const seen = data.filter((event) => event !== openai.passthrough.terminator).map((event) => openai.passthrough.event(event))
      expect({
        text: seen.map(({ text }) => text).join(''),
        usage: seen.reduce<Usage | null>((last, { usage }) => usage ?? last, null),
        complete: data.includes('[DONE]') || seen.some(({ finished }) => finished),
        hidden: seen.flatMap(({ usageOnly, failure }, index) => (usageOnly || failure !== null ? [index] : [])),
        failures: seen.flatMap(({ failure }) => (failure === null ? [] : [failure])),
      }).toEqual(mutable(expected))
    })

    test(`that is translated: ${why}`, () => {
      const { chunks, hasReasoning: _reasoning, ...played } = play(openai.stream(context), data)
      const { hidden: _hidden, ...rest } = expected
      expect(played).toEqual(rest)
      expect(chunks.filter((chunk) => 'usage' in chunk)).toEqual([])
    })
  }
})

interface Whole {
  readonly why: string
  readonly body: Json
  readonly expected: unknown
}

/** A copy with mutable lists, because the types of `toEqual` require it. */
function mutable({ hidden, failures, ...rest }: Omit<Streamed, 'why' | 'events'>) {
  return { ...rest, hidden: [...hidden], failures: [...failures] }
}

describe('a recorded response', () => {
  // Holds: as above.
  for (const { why, body, expected } of fixtures('responses') as readonly Whole[]) {
    test(why, () => {
      const seen = openai.passthrough.response(body)
      expect(onTheWire(seen)).toEqual(onTheWire(withWholeUsages(expected)))
      const response = openai.response(body, context)
      if (seen !== null && 'usage' in seen) expect(response).toMatchObject({ response: body, usage: seen.usage })
      else expect(response).toEqual(seen)
    })
  }
})

interface Recorded {
  readonly status: number
  readonly body: string
  readonly failure: Failure
}

describe('an error', () => {
  // Holds: as above.
  for (const { status, body, failure } of fixtures('errors') as readonly Recorded[]) {
    test(`of status ${status} that reads ${body.slice(0, 80) || 'nothing'} is ${failure.kind}`, () => {
      expect(openai.failure(status, body)).toEqual(failure)
    })
  }
})

const calls = new Set(['tools', 'tool_names', 'call_ids'])

describe('every chat', () => {
  test('is sent unchanged except for the model and the request for usage, where its tools and calls may not be changed', () => {
    fc.assert(
      fc.property(chats, fc.boolean(), fc.boolean(), (chat, stream, streamUsage) => {
        fc.pre(withoutEmptyMembers(chat) === chat)
        const { body, path, headers } = openai.request(
          freeze(chat),
          targetOf({ model: 'upstream', stream, streamUsage, rewrites: new Rewrites(calls) }),
        )
        expect({ path, headers }).toEqual({ path: '/v1/chat/completions', headers: {} })
        const streamOptions = stream && streamUsage ? { stream_options: { include_usage: true } } : {}
        expect(body).toEqual({ ...chat, model: 'upstream', ...streamOptions })
      }),
      { numRuns: 200 },
    )
  })

  test('has no empty lists as content, and no tool whose strictness is null', () => {
    const call = { id: 'call_1', type: 'function', function: { name: 'f', arguments: '{}' } }
    const messages = [
      { role: 'assistant', content: [], tool_calls: [call] },
      { role: 'tool', tool_call_id: 'call_1', content: [] },
    ]
    const chat = { messages, tools: [{ type: 'function', function: { name: 'f', strict: null } }] }
    const { body } = openai.request(chat, targetOf({ model: 'upstream', stream: false, streamUsage: true }))
    expect(body).toMatchObject({ messages: [{ content: null }, { content: '' }], tools: [{ function: { name: 'f' } }] })
    expect(JSON.stringify(body)).not.toContain('strict')
  })

  test('keeps its other stream options', () => {
    const chat = { messages: [], stream_options: { include_obfuscation: false } }
    const { body } = openai.request(chat, targetOf({ model: 'upstream', stream: true, streamUsage: true }))
    expect(onTheWire(body['stream_options'])).toEqual({ include_obfuscation: false, include_usage: true })
  })
})

describe('garbage', () => {
  const inherited = ['constructor', '__proto__', 'toString', 'hasOwnProperty']
  const event = fc.oneof(
    fc.string(),
    fc.constant('[DONE]'),
    anyJson().map((value) => JSON.stringify(value)),
    fc
      .tuple(fc.constantFrom('choices', 'usage', 'error', 'x_own', 'object', ...inherited), anyJson(), anyJson())
      .map(([field, value, delta]) => JSON.stringify({ choices: [{ delta, finish_reason: value }, value], [field]: value })),
    anyJson().map((value) =>
      JSON.stringify({ choices: [], usage: { prompt_tokens: value, completion_tokens: 3, prompt_tokens_details: value } }),
    ),
  )

  test('never throws, and is never counted', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 6 }), (events) => {
        const { usage } = play(openai.stream(context), events)
        for (const tokens of countsOf(usage)) expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true)
        const { cachedTokens = 0, cacheWriteTokens = 0, promptTokens = 0 } = usage ?? {}
        expect(cachedTokens + cacheWriteTokens).toBeLessThanOrEqual(promptTokens)
      }),
      { numRuns: 1000 },
    )
  })

  test('is read without throwing, and as an error has a message', () => {
    fc.assert(
      fc.property(anyJson(), fc.integer({ min: 300, max: 599 }), (value, status) => {
        openai.passthrough.response(value)
        expect(openai.failure(status, JSON.stringify(value)).message).not.toBe('')
      }),
    )
  })
})

test('reasoning of OpenAI, which its chats have no place for, is sent to no server, and that of others as it came', () => {
  const google = { google: { thought_signature: 'sig' } }
  const chat = (extra_content?: JsonObject) => ({
    messages: [{ role: 'assistant', tool_calls: [{ id: 'a', ...(extra_content === undefined ? {} : { extra_content }) }] }],
  })
  const messagesFor = (extra: JsonObject) => openai.request(chat(extra), targetOf({ model: 'm' })).body['messages']
  expect(messagesFor({ openai: { reasoning: [] } })).toEqual(chat().messages)
  expect(messagesFor({ openai: { reasoning: [] }, ...google })).toEqual(chat(google).messages)
  expect(messagesFor(google)).toEqual(chat(google).messages)
})
