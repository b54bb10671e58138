import { describe, expect, test } from 'bun:test'
import { exampleChannel } from '../../../test/channel.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Kind } from '../../core/kind.ts'
import type { Outgoing } from '../../core/request.ts'
import type { RequestRule } from '../../core/request-rule.ts'
import { type RewriteKind, Rewrites, rewriteKinds } from '../../core/rewrites.ts'
import { vendorByType } from '../list.ts'
import { buildRequest } from './build-request.ts'

interface BuildParams {
  readonly kind: Kind
  readonly type: number
  readonly model: string
  readonly rules?: readonly RequestRule[]
}

function build(body: JsonObject, { type, ...params }: BuildParams, rewrites = new Rewrites()): Outgoing {
  const vendor = vendorByType(type)
  if (vendor === null) throw new Error(`no type ${type}`)
  const { vendor: used, facts } = exampleChannel(vendor)
  return buildRequest(used, body, { ...params, stream: false, channel: facts, rewrites })
}

const mark = { type: 'ephemeral' }
const user = (content: JsonObject['content']): JsonObject => ({ role: 'user', content })
const claude = { kind: 'messages', type: 14, model: 'claude-sonnet-4-5' } as const
const nova = { kind: 'messages', type: 33, model: 'amazon-nova-pro' } as const

/** A request, and a part of what a vendor gets: changed, and as it was. */
const cases: ReadonlyArray<readonly [kind: RewriteKind, params: BuildParams, body: JsonObject, changed: JsonObject, same: JsonObject]> = [
  [
    'client_lines',
    { ...nova, type: 8, model: 'm' },
    { max_tokens: 9, system: 'x-anthropic-billing-header: a\nHi', messages: [] },
    { messages: [{ role: 'system', content: 'Hi' }] },
    { messages: [{ content: 'x-anthropic-billing-header: a\nHi' }] },
  ],
  [
    'output_limit',
    { ...claude, kind: 'chat', type: 1, model: 'gpt-4o' },
    { max_tokens: 99_999, messages: [] },
    { max_tokens: 16_384 },
    { max_tokens: 99_999 },
  ],
  [
    'output_limit',
    { ...claude, kind: 'chat', model: 'claude-opus-4-1' },
    { max_tokens: 99_999, messages: [user('Hi')] },
    { max_tokens: 32_000 },
    { max_tokens: 99_999 },
  ],
  [
    'output_limit',
    claude,
    { model: 'claude-sonnet-4-5', max_tokens: 99_999, messages: [] },
    { max_tokens: 64_000 },
    { max_tokens: 99_999 },
  ],
  [
    'messages',
    claude,
    { max_tokens: 9, messages: [user('Hi'), { role: 'system', content: 'A' }] },
    { messages: [user('Hi'), user('A')] },
    { messages: [user('Hi'), { role: 'system', content: 'A' }] },
  ],
  [
    'messages',
    { ...claude, kind: 'chat', type: 8, model: 'm' },
    { messages: [{ role: 'developer', content: 'A' }] },
    { messages: [{ role: 'system', content: 'A' }] },
    { messages: [{ role: 'developer', content: 'A' }] },
  ],
  [
    'parameters',
    { ...claude, model: 'claude-opus-5' },
    { model: 'ours', max_tokens: 9, temperature: 1, messages: [] },
    { temperature: undefined },
    { temperature: 1 },
  ],
  [
    'tool_names',
    { ...claude, kind: 'chat', type: 8, model: 'm' },
    { messages: [], tools: [{ type: 'function', function: { name: 'files.read' } }] },
    { tools: [{ function: { name: 'files_read' } }] },
    { tools: [{ function: { name: 'files.read' } }] },
  ],
  [
    'call_ids',
    claude,
    { max_tokens: 9, messages: [user('Hi'), { role: 'assistant', content: [{ type: 'tool_use', id: 'go:0', name: 'go', input: {} }] }] },
    { messages: [user('Hi'), { content: [{ id: 'go_0' }] }] },
    { messages: [user('Hi'), { content: [{ id: 'go:0' }] }] },
  ],
  [
    'tools',
    { ...claude, kind: 'chat', type: 36, model: 'deepseek-v4-flash' },
    { messages: [user('Hi')], tools: [], tool_choice: 'auto' },
    { tools: undefined, tool_choice: undefined },
    { tools: [], tool_choice: 'auto' },
  ],
  [
    'tools',
    { kind: 'generate', type: 24, model: 'gemini-3.8-flash' },
    { contents: [{ role: 'user', parts: [{ text: 'Hi' }] }], toolConfig: { functionCallingConfig: { mode: 'AUTO' } } },
    { toolConfig: undefined },
    { toolConfig: { functionCallingConfig: { mode: 'AUTO' } } },
  ],
  [
    'messages',
    { ...claude, kind: 'chat', type: 1, model: 'gpt-4o' },
    { messages: [{ role: 'assistant', content: 'A', reasoning_content: 'B' }] },
    { messages: [{ role: 'assistant', content: 'A' }] },
    { messages: [{ role: 'assistant', content: 'A', reasoning_content: 'B' }] },
  ],
  ['parameters', { ...claude, kind: 'chat', type: 1, model: 'o3' }, { stop: 'END', messages: [] }, { stop: undefined }, { stop: 'END' }],
  [
    'parameters',
    { ...claude, kind: 'chat', type: 36, model: 'deepseek-v4-flash' },
    { response_format: { type: 'json_object' }, messages: [user('Hi')] },
    { messages: [{ role: 'system', content: 'Answer with JSON.' }, user('Hi')] },
    { messages: [user('Hi')] },
  ],
  [
    'cache_marks',
    { ...claude, type: 42 },
    { max_tokens: 9, cache_control: mark, messages: [user('Hi')] },
    { cache_control: undefined, messages: [user([{ type: 'text', text: 'Hi', cache_control: mark }])] },
    { cache_control: mark },
  ],
  [
    'cache_marks',
    { ...nova, model: 'llama3-3-70b-128k' },
    { max_tokens: 9, messages: [user([{ type: 'text', text: 'Hi', cache_control: mark }])] },
    { messages: [{ role: 'user', content: [{ text: 'Hi' }] }] },
    { messages: [{ content: [{ text: 'Hi' }, { cachePoint: { type: 'default' } }] }] },
  ],
]

describe.each(cases.map(([kind, params, body, changed, same]) => [kind, { wish: params, body, changed, same }] as const))(
  '%s',
  (kind, { wish: params, body, changed, same }) => {
    test('are changed, and the change is noted', () => {
      const rewrites = new Rewrites()
      const upstreamBody = build(body, params, rewrites).body
      expect(Object.fromEntries(Object.keys(changed).map((name) => [name, upstreamBody[name]]))).toMatchObject(changed)
      expect(rewrites.entries.map((entry) => entry.kind)).toEqual([kind])
    })

    test('are left as they are where a channel has that switched off', () => {
      const rewrites = new Rewrites(new Set([kind]))
      expect(build(body, params, rewrites).body).toMatchObject(same)
      expect(rewrites.entries).toEqual([])
    })
  },
)

describe('Converse', () => {
  const marked = (text: string): JsonObject => ({ type: 'text', text, cache_control: mark })
  const pointsOf = ({ body }: Outgoing): number => JSON.stringify(body).split('cachePoint').length - 1

  test('gets the mark of a part of a result beside it', () => {
    const use = { role: 'assistant', content: [{ type: 'tool_use', id: 'a', name: 'go', input: {} }] }
    const result = user([{ type: 'tool_result', tool_use_id: 'a', content: [marked('One'), { type: 'text', text: 'Two' }] }])
    const outgoing = build(
      { max_tokens: 9, tools: [{ name: 'go', input_schema: { type: 'object' } }], messages: [user('Hi'), use, result] },
      nova,
    )
    expect(outgoing.body['messages']).toMatchObject([
      {},
      {},
      { content: [{ toolResult: { content: [{ text: 'One' }, { text: 'Two' }] } }, { cachePoint: {} }] },
    ])
    expect(pointsOf(outgoing)).toBe(1)
  })

  test('gets four marks at most: the last one of the instructions, and the last ones', () => {
    const outgoing = build({ max_tokens: 9, system: [marked('A'), marked('B')], messages: [user(['1', '2', '3', '4'].map(marked))] }, nova)
    expect(pointsOf(outgoing)).toBe(4)
    expect(outgoing.body).toMatchObject({
      system: [{ text: 'A' }, { text: 'B' }, { cachePoint: {} }],
      messages: [
        {
          content: [{ text: '1' }, { text: '2' }, { cachePoint: {} }, { text: '3' }, { cachePoint: {} }, { text: '4' }, { cachePoint: {} }],
        },
      ],
    })
  })

  test('gets documents whose names differ', () => {
    const source = { type: 'base64', media_type: 'application/pdf', data: 'AAAA' }
    const document = (title: string): JsonObject => ({ type: 'document', title, source })
    const outgoing = build(
      { max_tokens: 9, messages: [user([document('a.pdf'), document('a.pdf'), document('a (2).pdf'), document('a.pdf')])] },
      nova,
    )
    const names = [...JSON.stringify(outgoing.body).matchAll(/"name":"([^"]*)"/g)].map(([, name]) => name)
    expect(new Set(names).size).toBe(4)
    expect(names[0]).toBe('a')
  })
})

test('only the first call is read of a model that cannot be limited to one function call at a time', () => {
  const rules: readonly RequestRule[] = [{ rule: 'without', parameter: 'parallel_tool_calls' }]
  const params = { kind: 'chat', type: 8, model: 'm', rules } as const
  const tools = [{ type: 'function', function: { name: 'go', parameters: { type: 'object', properties: {} } } }]
  const { body, oneCall } = build({ messages: [], tools, parallel_tool_calls: false }, params)
  expect([body['parallel_tool_calls'], oneCall]).toEqual([undefined, true])
  expect(build({ messages: [], tools, parallel_tool_calls: true }, params).oneCall).toBeUndefined()
})

test('a beta of Anthropic by which models write more keeps the limit', () => {
  const vendor = vendorByType(14)
  if (vendor === null) throw new Error('no type 14')
  const { facts } = exampleChannel(vendor)
  const params = { kind: 'messages', model: 'claude-3-7-sonnet-20250219', stream: false, channel: facts } as const
  const body = { max_tokens: 128_000, messages: [] }
  const limitWith = (beta: string) =>
    buildRequest(vendor, body, { ...params, clientHeaders: { 'anthropic-beta': beta } }).body['max_tokens']
  expect([limitWith('output-128k-2025-02-19'), limitWith('x, output-128k-2025-02-19'), limitWith('none')]).toEqual([
    128_000, 128_000, 64_000,
  ])
})

test('an error does not take from a vendor what its record says that it wants', () => {
  const rules: readonly RequestRule[] = [{ rule: 'without-members', members: ['reasoning_content'] }]
  const body = { messages: [{ role: 'assistant', content: 'A', reasoning_content: 'B' }] }
  expect(build(body, { kind: 'chat', type: 36, model: 'deepseek-v4-flash', rules }).body).toMatchObject(body)
  expect(build(body, { kind: 'chat', type: 8, model: 'm', rules }).body['messages']).toEqual([{ role: 'assistant', content: 'A' }])
})

test('requests with nothing to change are not copied, and rules that do not concern them change nothing', () => {
  const all: readonly RequestRule[] = [
    ...([
      { rule: 'without', parameter: 'stop' },
      { rule: 'one-sampling' },
      { rule: 'output-max', tokens: 9 },
      { rule: 'no-developer' },
    ] as const),
    ...([
      { rule: 'instructions', place: 'first' },
      { rule: 'user-last' },
      { rule: 'json-word' },
      { rule: 'thinking', form: 'adaptive' },
    ] as const),
    ...([{ rule: 'few-marks' }, { rule: 'cloud-marks' }, { rule: 'no-marks' }] as const),
    { rule: 'without-members', members: ['reasoning_content'] },
  ]
  const rewrites = new Rewrites()
  const body = { max_tokens: 9, temperature: 1, messages: [{ role: 'system', content: 'A' }, user('Hi')] }
  expect(build(body, { kind: 'chat', type: 8, model: 'm', rules: all }, rewrites).body).toMatchObject(body)
  expect(rewrites.entries).toEqual([])
  expect(rewriteKinds).toContain('messages')
})
