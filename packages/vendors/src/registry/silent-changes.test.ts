import { describe, expect, test } from 'bun:test'
import { exampleChannel } from '../../test/channel.ts'
import type { JsonObject } from '../core/json.ts'
import type { Kind } from '../core/kind.ts'
import { Rewrites } from '../core/rewrites.ts'
import type { Vendor } from '../core/vendor.ts'
import { objectsIn } from '../protocols/shared/chat-parts.ts'
import { vendorByType, vendors } from './list.ts'
import { buildRequest } from './request/build-request.ts'

// What the gateway changes in a request beside its translation is noted, and nothing is noted where nothing was changed.

const clock = { type: 'object', properties: { zone: { type: 'string' } } }

/** Requests with tools, as clients of each protocol send them. */
const ordinary: Partial<Record<Kind, JsonObject>> = {
  chat: {
    stream: true,
    stream_options: { include_usage: true },
    max_tokens: 500,
    messages: [
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      {
        role: 'assistant',
        content: null,
        tool_calls: [{ id: 'abc123DEF', type: 'function', function: { name: 'clock', arguments: '{}' } }],
      },
      { role: 'tool', tool_call_id: 'abc123DEF', content: 'noon' },
    ],
    tools: [{ type: 'function', function: { name: 'clock', parameters: clock } }],
    tool_choice: 'auto',
    ...{ n: 1, presence_penalty: 0, logprobs: false, user: '' },
  },
  messages: {
    max_tokens: 500,
    system: 'Be brief',
    messages: [
      { role: 'user', content: [{ type: 'text', text: 'Hi' }] },
      { role: 'assistant', content: [{ type: 'tool_use', id: 'abc123DEF', name: 'clock', input: {} }] },
      { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'abc123DEF', content: 'noon' }] },
    ],
    tools: [{ name: 'clock', input_schema: clock }],
  },
  responses: {
    max_output_tokens: 500,
    instructions: 'Be brief',
    store: false,
    input: [{ role: 'user', content: 'Hi' }],
    tools: [{ type: 'function', name: 'clock', parameters: clock }],
  },
  generate: {
    contents: [{ role: 'user', parts: [{ text: 'Hi' }] }],
    generationConfig: { maxOutputTokens: 500, topP: 0.5 },
  },
}

interface BuildParams {
  readonly kind?: Kind
  readonly body: JsonObject
  readonly off?: readonly string[]
}

function built(vendor: Vendor, model: string, { kind = 'chat', body, off = [] }: BuildParams) {
  const { vendor: used, facts } = exampleChannel(vendor)
  const rewrites = new Rewrites(new Set(off))
  const { body: upstreamBody } = buildRequest(used, { ...body, model }, { kind, model, stream: false, channel: facts, rewrites })
  return { sent: upstreamBody, notes: rewrites.entries.map(({ kind: of, what }) => [of, what] as const) }
}

const texts = vendors.filter(({ dialects }) => dialects.chat !== undefined)

describe.each(Object.entries(ordinary))('an ordinary request for %s', (kind, body) => {
  /** Top P is refused by models that reason, and left out for Claude. */
  const isOfOwnSampling = (what: string): boolean => kind === 'generate' && what === 'topP'

  test.each(texts.map((vendor) => [vendor.name, vendor] as const))('has no note at %s', (_name, vendor) => {
    for (const model of vendor.models.names) {
      // Holds: the keys of the table are kinds.
      const { notes } = built(vendor, model, { kind: kind as Kind, body })
      expect([model, notes.filter(([, what]) => !isOfOwnSampling(what))]).toEqual([model, []])
    }
  })
})

const chat = (more: JsonObject): JsonObject => ({ messages: [{ role: 'user', content: 'Hi' }], ...more })
const called = (id: string): readonly JsonObject[] => [
  { role: 'user', content: 'Hi' },
  { role: 'assistant', content: null, tool_calls: [{ id, type: 'function', function: { name: 'clock', arguments: '{}' } }] },
  { role: 'tool', tool_call_id: id, content: 'noon' },
]
const tuned = { temperature: 1.7, frequency_penalty: 0.5, logit_bias: { 50256: -100 }, seed: 7 }

const cases: ReadonlyArray<
  readonly [what: string, type: number, model: string, params: BuildParams, notes: ReadonlyArray<readonly string[]>]
> = [
  [
    'parameters that the record drops',
    28,
    'mistral-large-4',
    { body: chat({ ...tuned, user: 'ann', verbosity: 'low' }) },
    [
      ['parameters', 'logit_bias'],
      ['parameters', 'user'],
      ['parameters', 'verbosity'],
    ],
  ],
  [
    'a number beyond the range of the vendor',
    16,
    'glm-5.2',
    { body: chat({ temperature: 1.7 }) },
    [['parameters', 'temperature: 1.7 -> 1']],
  ],
  [
    'parameters that a translation has no place for',
    14,
    'claude-sonnet-4-5',
    { body: chat(tuned) },
    [
      ['parameters', 'temperature: 1.7 -> 1'],
      ['parameters', 'frequency_penalty'],
      ['parameters', 'logit_bias'],
      ['parameters', 'seed'],
    ],
  ],
  [
    'sampling of a client of messages',
    28,
    'mistral-large-4',
    { kind: 'messages', body: { ...ordinary.messages, top_k: 5, stop_sequences: ['END'] } },
    [['parameters', 'top_k']],
  ],
  [
    'the level of reasoning',
    28,
    'mistral-large-4',
    { body: chat({ reasoning_effort: 'low' }) },
    [['parameters', 'reasoning_effort: low -> high']],
  ],
  [
    'reasoning that the model has not',
    29,
    'llama-3.3-70b-versatile',
    { body: chat({ reasoning_effort: 'high' }) },
    [['parameters', 'reasoning_effort']],
  ],
  ['sampling of a client of Gemini', 14, 'claude-opus-5', { kind: 'generate', body: { ...ordinary.generate } }, [['parameters', 'topP']]],
  [
    'the role of instructions',
    28,
    'mistral-large-4',
    {
      body: {
        messages: [
          { role: 'developer', content: 'Be brief' },
          { role: 'user', content: 'Hi' },
        ],
      },
    },
    [['messages', 'role: developer -> system']],
  ],
  [
    'a turn between a result and the user',
    28,
    'mistral-large-4',
    { body: { messages: [...called('abc123DEF'), { role: 'user', content: 'Thanks' }] } },
    [['messages', 'messages: 4 -> 5']],
  ],
  [
    'ids of calls',
    28,
    'mistral-large-4',
    { body: { messages: called('call_0123456789') } },
    [['call_ids', expect.stringMatching(/^call_0123456789 -> \w{9}$/)]],
  ],
  [
    'a limit of a client of Gemini',
    14,
    'claude-haiku-4-5',
    { kind: 'generate', body: { ...ordinary.generate, generationConfig: { maxOutputTokens: 900_000 } } },
    [['output_limit', expect.stringMatching(/ -> 64000$/)]],
  ],
  [
    'a limit of output',
    14,
    'claude-haiku-4-5',
    { body: chat({ max_tokens: 900_000 }) },
    [['output_limit', expect.stringMatching(/ -> 64000$/)]],
  ],
  [
    'names of tools',
    14,
    'claude-opus-5',
    { body: chat({ tools: [{ type: 'function', function: { name: 'files.read', parameters: clock } }] }) },
    [['tool_names', expect.stringMatching(/^files\.read -> [\w-]+$/)]],
  ],
  [
    'a turn after that of the assistant',
    14,
    'claude-opus-5',
    { body: { messages: [...called('toolu_1'), { role: 'assistant', content: 'It is' }] } },
    [['messages', 'user turn at the end']],
  ],
  [
    'reasoning that a turn without its thoughts prevents',
    14,
    'claude-haiku-4-5',
    { body: { messages: called('toolu_1'), tools: ordinary.chat?.['tools'] ?? [], reasoning_effort: 'high' } },
    [['parameters', 'reasoning_effort']],
  ],
  [
    'tools of which one alone may be called',
    28,
    'mistral-large-4',
    {
      body: chat({
        tools: ['clock', 'weather'].map((name) => ({ type: 'function', function: { name, parameters: clock } })),
        tool_choice: { type: 'function', function: { name: 'clock' } },
      }),
    },
    [['tools', 'tools: 2 -> 1']],
  ],
]

test.each(cases)('%s: each change is noted (type %d, %s)', (_what, type, model, params, notes) => {
  const vendor = vendorByType(type)
  if (vendor === null) throw new Error(`there is no type ${type}`)
  expect(built(vendor, model, params).notes).toEqual(notes as never)
})

test('a channel that switches parameters off sends them as they came, in one form', () => {
  const mistral = vendorByType(28)
  if (mistral === null) throw new Error('there is no type 28')
  const { sent: upstreamBody, notes } = built(mistral, 'mistral-large-4', { body: chat(tuned), off: ['parameters'] })
  expect(upstreamBody).toMatchObject({ temperature: 1.7, logit_bias: tuned.logit_bias, random_seed: 7 })
  expect(notes).toEqual([])
})

test('a channel that switches messages off sends the last turn as it came', () => {
  const claude = vendorByType(14)
  if (claude === null) throw new Error('there is no type 14')
  const messages = [...called('toolu_1'), { role: 'assistant', content: 'It is' }]
  const { sent: upstreamBody, notes } = built(claude, 'claude-opus-5', { body: { messages }, off: ['messages'] })
  expect(objectsIn(upstreamBody['messages']).map(({ role }) => role)).toEqual(['user', 'assistant', 'user', 'assistant'])
  expect(notes).toEqual([])
})

test('notes are few, short and well-formed, whatever a client sends', () => {
  const rewrites = new Rewrites()
  for (let index = 0; index < 100; index += 1) rewrites.note('tool_names', `${index} ${'😀'.repeat(200)}`)
  expect(rewrites.entries).toHaveLength(20)
  for (const { what } of rewrites.entries) {
    expect(what.length).toBeLessThanOrEqual(160)
    expect(what.isWellFormed()).toBe(true)
  }
  rewrites.note('files', 'twenty are enough')
  expect(rewrites.has('files')).toBe(false)
})
