import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../core/json.ts'
import { dialectOf } from '../../registry/dialect-of.ts'
import { vendorByType } from '../../registry/list.ts'
import { buildRequest } from '../../registry/request/build-request.ts'
import { speakingMessages } from './native-vendor.ts'

const bodyOf = (more: JsonObject = {}): JsonObject => ({
  model: 'claude-sonnet-4-5',
  max_tokens: 100,
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', cache_control: { type: 'ephemeral' } }] }],
  ...more,
})
const turn = (...content: readonly JsonObject[]): JsonObject => ({ messages: [{ role: 'assistant', content }] })

const places: readonly [number, string, string, string][] = [
  [36, 'deepseek-v4-pro', 'https://api.deepseek.com', 'https://api.deepseek.com/anthropic/v1/messages'],
  [36, 'deepseek-flash', 'https://api.deepseek.com/v1/', 'https://api.deepseek.com/anthropic/v1/messages'],
  [25, 'kimi-k3', 'https://api.moonshot.cn', 'https://api.moonshot.cn/anthropic/v1/messages'],
  [25, 'kimi-k3', 'https://api.moonshot.ai/v1', 'https://api.moonshot.ai/anthropic/v1/messages'],
  [16, 'glm-5.3', 'https://open.bigmodel.cn/api/paas/v4', 'https://open.bigmodel.cn/api/anthropic/v1/messages'],
  [16, 'glm-4.7', 'https://api.z.ai/api/coding/paas/v4', 'https://api.z.ai/api/anthropic/v1/messages'],
  [19, 'anthropic/claude-opus-4.5', 'https://api.360.cn', 'https://api.360.cn/v1/messages'],
  [27, 'MiniMax-M3', 'https://api.minimaxi.com/v1', 'https://api.minimaxi.com/anthropic/v1/messages'],
  [27, 'MiniMax-M2.7', 'https://api.minimax.io/v1', 'https://api.minimax.io/anthropic/v1/messages'],
  [17, 'qwen3.7-plus', 'https://dashscope.aliyuncs.com/compatible-mode/v1', 'https://dashscope.aliyuncs.com/apps/anthropic/v1/messages'],
  [
    17,
    'qwen-max',
    'https://w1.ap-southeast-1.maas.aliyuncs.com/compatible-mode/v1',
    'https://w1.ap-southeast-1.maas.aliyuncs.com/apps/anthropic/v1/messages',
  ],
]

const vendorNamed = (type: number) => {
  const vendor = vendorByType(type)
  if (vendor === null) throw new Error(`there is no type ${type}`)
  return vendor
}

test.each(places)('type %d takes messages for %s at %s as they came', (type, model, baseUrl, address) => {
  const body = bodyOf({ thinking: { type: 'enabled', budget_tokens: 1_024 }, tools: [{ name: 'f', input_schema: { type: 'object' } }] })
  const vendor = speakingMessages(vendorNamed(type), { body, model, baseUrl })
  if (vendor === null) throw new Error('it does not')
  expect(dialectOf(vendor, 'messages', model)?.passthrough).toBeDefined()
  const channel = { baseUrl, other: '', key: 'k', config: {} }
  const outgoing = buildRequest(vendor, body, { kind: 'messages', model, stream: true, channel })
  expect(outgoing).toMatchObject({ path: address, body: { ...body, model }, headers: { 'anthropic-version': '2023-06-01' } })
})

describe('a request is translated', () => {
  const at = { model: 'deepseek-v4-pro', baseUrl: 'https://api.deepseek.com' }
  const speaks = (more: JsonObject, place: Partial<typeof at> & { readonly type?: number } = {}) =>
    speakingMessages(vendorNamed(place.type ?? 36), { ...at, ...place, body: bodyOf(more) }) !== null

  test('at servers of others, and for models without the interface', () => {
    expect(speaks({})).toBe(true)
    for (const baseUrl of ['https://proxy.example', 'http://127.0.0.1:3000', 'https://api.deepseek.com.example', 'nonsense'])
      expect(speaks({}, { baseUrl })).toBe(false)
    expect(speaks({}, { type: 27, model: 'MiniMax-Text-01', baseUrl: 'https://api.minimaxi.com/v1' })).toBe(false)
    for (const model of ['qwen3-vl-plus', 'qwq-plus', 'qwen3-omni-flash'])
      expect(speaks({}, { type: 17, model, baseUrl: 'https://dashscope.aliyuncs.com' })).toBe(false)
    expect(speaks({}, { type: 19, model: '360gpt-pro', baseUrl: 'https://api.360.cn' })).toBe(false)
    for (const model of ['glm-4.6v', 'glm-5v-turbo', 'glm-4-plus'])
      expect(speaks({}, { type: 16, model, baseUrl: 'https://open.bigmodel.cn/api/paas/v4' })).toBe(false)
    expect(speaks({}, { type: 1, baseUrl: 'https://api.openai.com' })).toBe(false)
  })

  const others: readonly [string, JsonObject][] = [
    ['a picture', { messages: [{ role: 'user', content: [{ type: 'image', source: { type: 'base64', data: 'AA' } }] }] }],
    ['a document', { messages: [{ role: 'user', content: [{ type: 'document', source: { type: 'text', data: 'x' } }] }] }],
    ['a picture in a result', turn({ type: 'tool_result', tool_use_id: 't', content: [{ type: 'image', source: {} }] })],
    ['thoughts that the gateway marked', turn({ type: 'thinking', thinking: 'hm', signature: 'sluice:' })],
    ['thoughts that Claude signed', turn({ type: 'thinking', thinking: 'hm', signature: `EqQB${'Ab+/'.repeat(40)}==` })],
    ['thoughts that nobody can read', turn({ type: 'redacted_thinking', data: 'x' })],
    ['citations', turn({ type: 'text', text: 'x', citations: [{ type: 'web_search_result_location' }] })],
    ['a schema', { output_config: { format: { type: 'json_schema', schema: {} } } }],
    ['a forced tool', { tool_choice: { type: 'tool', name: 'f' } }],
    ['one call at a time', { tool_choice: { type: 'auto', disable_parallel_tool_use: true } }],
    ['a search', { tools: [{ type: 'web_search_20250305', name: 'web_search' }] }],
    ['a tool of Anthropic', { tools: [{ type: 'bash_20250124', name: 'bash' }] }],
    ['thinking that adapts', { thinking: { type: 'adaptive' } }],
    ['servers of tools', { mcp_servers: [{ type: 'url', url: 'https://x.example' }] }],
  ]
  test.each(others)('with %s', (_, more) => {
    expect(speaks(more)).toBe(false)
  })

  test('with stop sequences at MiniMax, which silently ignores them', () => {
    const place = { type: 27, model: 'MiniMax-M3', baseUrl: 'https://api.minimaxi.com/v1' }
    expect(speaks({ stop_sequences: ['END'] }, place)).toBe(false)
    expect(speaks({ stop_sequences: [] }, place)).toBe(true)
  })

  test('but not with reasoning of the vendor itself, and calls with their results', () => {
    const own = turn(
      { type: 'thinking', thinking: 'hm', signature: '6f1c9a52-11c1-4f0e-9d6a-2c64c2a5b0aa' },
      { type: 'tool_use', id: 't', name: 'f', input: { type: 'image' } },
      { type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: 'x' }] },
    )
    expect(speaks(own)).toBe(true)
  })
})

describe('what is read from a cache', () => {
  const at = { model: 'qwen3.7-plus', baseUrl: 'https://dashscope.aliyuncs.com/compatible-mode/v1' }
  const usage = { input_tokens: 10, cache_read_input_tokens: 2_000, cache_creation_input_tokens: 0, output_tokens: 3 }
  const passedWith = (body: JsonObject) => {
    const vendor = speakingMessages(vendorNamed(17), { ...at, body })
    const passed = vendor === null ? undefined : dialectOf(vendor, 'messages', at.model)?.passthrough
    if (passed === undefined) throw new Error('it is not passed on')
    return passed
  }
  const plain = { model: at.model, max_tokens: 9, messages: [{ role: 'user', content: 'Hi' }] }
  const mark = { cache_control: { type: 'ephemeral' } }

  test.each([
    ['a message', { messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi', ...mark }] }] }, true],
    ['the instructions', { system: [{ type: 'text', text: 'Be brief.', ...mark }] }, true],
    ['a tool', { tools: [{ name: 'f', input_schema: { type: 'object' }, ...mark }] }, true],
    ['the whole request', mark, true],
    ['nothing', {}, false],
  ])('is explicit if the request has a mark at %s', (_where, more, isCacheExplicit) => {
    const passed = passedWith({ ...plain, ...more })
    const counts = { promptTokens: 2_010, cachedTokens: 2_000, cacheWriteTokens: 0, isCacheExplicit }
    expect(passed.response({ type: 'message', content: [], usage })).toMatchObject({ usage: counts })
    const start = JSON.stringify({ type: 'message_start', message: { usage } })
    expect(passed.open?.()(start)).toMatchObject({ usage: counts })
  })

  test('is not from an explicit cache if nothing was read', () => {
    const passed = passedWith({ ...plain, ...mark })
    expect(passed.response({ type: 'message', content: [], usage: { ...usage, cache_read_input_tokens: 0 } })).toMatchObject({
      usage: { isCacheExplicit: false },
    })
  })
})
