import { describe, expect, test } from 'bun:test'
import { exampleChannel } from '../../test/channel.ts'
import { addressAt } from '../core/join-url.ts'
import type { JsonObject } from '../core/json.ts'
import type { Kind } from '../core/kind.ts'
import { addressed } from './channel-facts.ts'
import { vendorByType } from './list.ts'
import { buildRequest } from './request/build-request.ts'

/** The request that a type gets for a body; its chats have one message if the body has none. */
function requestOf(type: number, body: JsonObject, kind: Kind = 'chat') {
  const vendor = vendorByType(type)
  if (vendor === null) throw new Error(`no vendor has the type ${type}`)
  const { vendor: used, facts } = exampleChannel(vendor)
  const whole = kind === 'chat' ? { messages: [{ role: 'user', content: 'Hi' }], ...body } : body
  return buildRequest(used, whole, { kind, model: String(body['model']), stream: false, channel: facts })
}

function urlOf(type: number, baseUrl: string, model: string): string {
  const vendor = vendorByType(type)
  const channel = vendor && addressed(vendor, { baseUrl, key: 'k', config: '', other: '' })
  if (!channel) throw new Error('the channel has no address')
  const { path } = buildRequest(channel.vendor, { messages: [] }, { kind: 'chat', model, stream: false, channel: channel.facts })
  return addressAt(channel.facts.baseUrl, path)
}

const tool = (name: string) => ({ type: 'function', function: { name } })
const call = (id: string) => ({
  role: 'assistant',
  content: null,
  tool_calls: [{ id, type: 'function', function: { name: 'f', arguments: '{}' } }],
})

describe('the level of reasoning', () => {
  test.each([
    [1, 'o3', 'none', { reasoning_effort: 'low' }],
    [1, 'o3', 'xhigh', { reasoning_effort: 'high' }],
    [1, 'gpt-5-mini', 'none', { reasoning_effort: 'minimal' }],
    [1, 'gpt-5.1', 'minimal', { reasoning_effort: 'low' }],
    [1, 'gpt-5.4', 'max', { reasoning_effort: 'xhigh' }],
    [1, 'gpt-5.6-sol', 'none', { reasoning_effort: 'none' }],
    [1, 'gpt-6-luna', 'minimal', { reasoning_effort: 'low' }],
    [1, 'gpt-6.2-sol', 'none', { reasoning_effort: 'low' }],
    [3, 'gpt-6-astra', 'max', { reasoning_effort: 'max' }],
    [1, 'gpt-6.1-sol', 'a new level', { reasoning_effort: 'a new level' }],
    [2, 'some-model', 'none', { reasoning_effort: 'none' }],
    [25, 'kimi-k3', 'none', { reasoning_effort: 'low' }],
    [25, 'kimi-k3.1-pro', 'medium', { reasoning_effort: 'high' }],
    [25, 'kimi-k3', 'xhigh', { reasoning_effort: 'max' }],
    [25, 'kimi-k2.6', 'none', { thinking: { type: 'disabled' } }],
    [25, 'kimi-k2.7-code', 'none', {}],
    [25, 'kimi-k2.6', 'high', {}],
    [28, 'mistral-large-4', 'low', { reasoning_effort: 'high' }],
    [28, 'mistral-large-4', 'none', { reasoning_effort: 'none' }],
    [28, 'mistral-large-2512', 'high', {}],
    [20, 'openai/gpt-5.4', 'low', { reasoning: { effort: 'low' } }],
    [40, 'doubao-seed-2-1-pro-260628', 'none', { thinking: { type: 'disabled' } }],
    [40, 'doubao-seed-2-1-pro-260628', 'max', { reasoning_effort: 'high' }],
    [32, 'step-3.7-flash', 'minimal', { reasoning_effort: 'low' }],
    [32, 'step-3.5-flash', 'high', {}],
    [26, 'Baichuan-M3', 'high', {}],
    [31, 'yi-lightning', 'high', {}],
    [19, '360gpt-pro', 'high', {}],
    [29, 'openai/gpt-oss-120b', 'xhigh', { reasoning_effort: 'high' }],
    [29, 'qwen/qwen3-32b', 'minimal', { reasoning_effort: 'none' }],
    [29, 'qwen/qwen3-32b', 'high', { reasoning_effort: 'default' }],
    [29, 'llama-3.3-70b-versatile', 'high', {}],
    [23, 'hy4', 'minimal', { reasoning_effort: 'none' }],
    [23, 'hy3', 'xhigh', { reasoning_effort: 'high' }],
    [23, 'glm-5.3', 'max', { reasoning_effort: 'max' }],
    [17, 'deepseek-v4.1-flash', 'medium', { enable_thinking: true, reasoning_effort: 'high' }],
    [17, 'deepseek-v4-pro', 'none', { enable_thinking: false }],
    [36, 'deepseek-flash', 'medium', { reasoning_effort: 'high' }],
    [36, 'deepseek-flash', 'minimal', { reasoning_effort: 'low' }],
    [36, 'deepseek-v4-pro', 'max', { reasoning_effort: 'max' }],
    [36, 'deepseek-v4-pro', 'none', { thinking: { type: 'disabled' } }],
  ] as const)('of type %d, %s, %s', (type, model, effort, expected) => {
    const { messages: _messages, model: _model, ...rest } = requestOf(type, { model, reasoning_effort: effort }).body
    expect(rest).toEqual(expected)
  })
})

describe('reasoning requested from models that do not reason', () => {
  const reasoningParams = { reasoning_effort: 'high', reasoning: { effort: 'high' } }
  test.each([1, 3, 2])('are left out of chats and responses for type %d', (type) => {
    for (const model of ['gpt-4o-mini', 'gpt-4.1', 'ft:gpt-4o:acme::1', 'gpt-5-chat-latest']) {
      expect(Object.keys(requestOf(type, { model, ...reasoningParams }).body).filter((name) => name.startsWith('reasoning'))).toEqual([])
      const response = requestOf(
        type,
        { model, input: 'Hi', ...reasoningParams, include: ['reasoning.encrypted_content', 'file_search_call.results'] },
        'responses',
      )
      expect(response.body).toMatchObject({ include: ['file_search_call.results'] })
      expect(response.body).not.toHaveProperty('reasoning')
      const agent = requestOf(type, { model, input: 'Hi', include: ['reasoning.encrypted_content'] }, 'responses')
      expect(agent.body).not.toHaveProperty('include')
    }
  })

  test.each(['gpt-5.2', 'o3', 'a-deployment'])('reach %s in responses, in a level that it has', (model) => {
    const effort = model === 'o3' ? 'high' : 'xhigh'
    const include = ['reasoning.encrypted_content']
    const { body } = requestOf(1, { model, input: 'Hi', reasoning: { effort: 'xhigh', summary: 'auto' }, include }, 'responses')
    expect(body).toMatchObject({ reasoning: { effort, summary: 'auto' }, include })
  })
})

describe('reasoning of earlier turns', () => {
  const turns = (reasoningText: object) => ({
    messages: [
      { role: 'user', content: 'Hi' },
      { ...call('call_1'), ...reasoningText },
    ],
  })

  test.each([
    [25, 'kimi-k3', ' '],
    [36, 'deepseek-flash', ''],
  ])('is kept or put in where type %d wants it', (type, model, lost) => {
    const at = (body: JsonObject) => requestOf(type, { model, ...body }).body
    expect(at(turns({ reasoning_content: 'so' }))).toMatchObject({ messages: [{}, { reasoning_content: 'so' }] })
    expect(at(turns({}))).toMatchObject({ messages: [{}, { reasoning_content: lost }] })
    const spoken = { messages: [{ role: 'assistant', content: 'Yes' }], tools: [tool('f')] }
    expect(at(spoken)).toMatchObject({ messages: [{ reasoning_content: lost }] })
  })

  test.each([
    [20, 'openai/gpt-5.4'],
    [29, 'qwen/qwen3-32b'],
  ])('has the name of type %d', (type, model) => {
    const { messages } = requestOf(type, { model, ...turns({ reasoning_content: 'so' }) }).body
    expect(messages).toMatchObject([{}, { reasoning: 'so' }])
    expect(JSON.stringify(messages)).not.toContain('reasoning_content')
  })
})

describe('a chat of type 28', () => {
  const at = (body: JsonObject) => requestOf(28, { model: 'mistral-large-latest', ...body }).body

  test('has no options of the stream, which are refused: its last chunk has the usage without them', () => {
    expect(Object.keys(at({ stream: true, stream_options: { include_usage: true } }))).toEqual(['messages', 'model', 'stream'])
  })

  test('gets its own words for a choice of tools', () => {
    expect(at({ tools: [tool('f')], tool_choice: 'required' })).toMatchObject({ tool_choice: 'any' })
    const one = at({ tools: [tool('f'), tool('g')], tool_choice: { type: 'function', function: { name: 'g' } } })
    expect(one).toMatchObject({ tool_choice: 'any', tools: [tool('g')] })
    expect(at({ parallel_tool_calls: false })).not.toHaveProperty('parallel_tool_calls')
  })

  test('gets ids of nine letters and digits, the same for a call and its result', () => {
    const results = [call('call_abc'), { role: 'tool', tool_call_id: 'call_abc', content: 'x' }, call('aB3dE6gH9')]
    const { messages } = at({ messages: results })
    const [, id] = /"tool_call_id":"(\w{9})"/.exec(JSON.stringify(messages)) ?? []
    expect(messages).toMatchObject([{ tool_calls: [{ id }] }, { tool_call_id: id }, { tool_calls: [{ id: 'aB3dE6gH9' }] }])
  })

  test('gets the response to continue as a prefix, and no member of a message that it refuses', () => {
    const messages = [
      { role: 'user', name: 'ann', content: 'Hi' },
      { role: 'assistant', content: 'Hel', refusal: null, reasoning_content: 'x' },
    ]
    expect(at({ messages })['messages']).toEqual([
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Hel', prefix: true },
    ])
  })

  test('gets other names for two fields', () => {
    expect(at({ seed: 7, max_completion_tokens: 9 })).toMatchObject({ random_seed: 7, max_tokens: 9 })
  })
})

describe('a chat of type 25 that wants a tool', () => {
  const one = { tools: [tool('f'), tool('g')], tool_choice: { type: 'function', function: { name: 'g' } } }

  test('gets only that tool, because the model cannot be given its name', () => {
    expect(requestOf(25, { model: 'kimi-k3', ...one }).body).toMatchObject({ tool_choice: 'required', tools: [tool('g')] })
  })

  test('does not think, if the model cannot do both', () => {
    expect(requestOf(25, { model: 'kimi-k2.6', ...one }).body).toMatchObject({ tool_choice: 'required', thinking: { type: 'disabled' } })
  })
})

describe('a parameter that a vendor cannot fulfil', () => {
  test('is named', () => {
    expect(requestOf(25, { model: 'kimi-k2.7-code', tools: [tool('f')], tool_choice: 'required' }).refused).toBe('tool_choice')
    expect(requestOf(36, { model: 'deepseek-flash', logprobs: true }).refused).toBe('logprobs')
    expect(requestOf(36, { model: 'deepseek-flash', logprobs: true, reasoning_effort: 'none' }).refused).toBeUndefined()
  })

  test.each([1, 3, 4])('log probabilities of type %d come from models that do not reason; others refuse them by name', (type) => {
    const refused = (body: JsonObject) => requestOf(type, { logprobs: true, top_logprobs: 2, ...body }).refused
    const { body } = requestOf(type, { model: 'gpt-5.4', logprobs: true, top_logprobs: 2 })
    expect(body).toMatchObject({ logprobs: true, top_logprobs: 2 })
    expect(refused({ model: 'gpt-4o' })).toBeUndefined()
    expect(refused({ model: 'gpt-5.4', reasoning_effort: 'high' })).toBe('logprobs')
    expect([refused({ model: 'gpt-5' }), refused({ model: 'o3', reasoning_effort: 'low' })]).toEqual(['logprobs', 'logprobs'])
    expect(requestOf(type, { model: 'gpt-5', logprobs: false, n: 1 }).refused).toBeUndefined()
    expect(requestOf(type, { model: 'gpt-4o-search-preview', n: 2 }).refused).toBe('n')
    expect(requestOf(21, { model: 'an-app', tools: [tool('f')] }).refused).toBe('tools')
    expect(requestOf(25, { model: 'kimi-k3', tool_choice: 'auto' })).not.toHaveProperty('refused')
  })

  const part = {
    picture: { type: 'image_url', image_url: { url: 'https://a.example/1.png' } },
    file: { type: 'file', file: { file_data: 'x' } },
  }
  const audio = { type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }
  test.each([
    [18, part.picture, 'image_url'],
    [26, part.picture, 'image_url'],
    [36, part.file, 'file'],
    [36, audio, 'input_audio'],
    [36, part.picture, undefined],
    [25, part.file, 'file'],
    [16, part.file, 'file'],
    [20, part.file, undefined],
    [4, audio, undefined],
  ] as const)('is named for type %d, whose documentation has no such part: %p', (type, contentPart, parameter) => {
    const messages = [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, contentPart] }]
    expect(requestOf(type, { model: 'm', messages }).refused).toBe(parameter)
  })

  test('is named where the vendor has the feature but the model does not', () => {
    const messages = [{ role: 'user', content: [part.picture] }]
    expect(requestOf(36, { model: 'deepseek-v4-pro', messages }).refused).toBe('image_url')
    expect(requestOf(36, { model: 'deepseek-flash', messages }).refused).toBeUndefined()
  })

  test('is named where an app has its own tools and form of responses', () => {
    expect(requestOf(22, { model: 'm', tools: [tool('f')] }).refused).toBe('tools')
    expect(requestOf(22, { model: 'm', tools: [tool('f')], tool_choice: 'none' }).refused).toBeUndefined()
    expect(requestOf(22, { model: 'm', functions: [{ name: 'f' }] }).refused).toBe('functions')
    expect(requestOf(22, { model: 'm', response_format: { type: 'json_object' } }).refused).toBe('response_format')
    expect(requestOf(22, { model: 'm', response_format: { type: 'text' } }).refused).toBeUndefined()
  })

  test('is left out where it only tunes sampling', () => {
    const body = { temperature: 1.4, top_p: 0.5, presence_penalty: 1 }
    expect(Object.keys(requestOf(25, { model: 'kimi-k3', ...body }).body).toSorted()).toEqual(['messages', 'model'])
    expect(requestOf(25, { model: 'moonshot-v1-8k', ...body }).body).toMatchObject({ temperature: 1, top_p: 0.5 })
    expect(requestOf(26, { model: 'Baichuan4-Air', ...body, top_k: 50 }).body).toMatchObject({ temperature: 1, top_p: 0.5, top_k: 20 })
  })
})

describe('a form of the response', () => {
  const schema = { type: 'object', properties: { city: { type: 'string' } } }
  const response_format = { type: 'json_schema', json_schema: { name: 'a', schema } }

  test.each([19, 26, 27, 31])('is requested in the prompt where type %d has none', (type) => {
    const { body } = requestOf(type, { model: 'm', response_format })
    expect(body).not.toHaveProperty('response_format')
    expect(body['messages']).toMatchObject([{ role: 'system', content: expect.stringContaining(JSON.stringify(schema)) }, { role: 'user' }])
    expect(requestOf(type, { model: 'm', response_format: { type: 'text' } }).body['messages']).toHaveLength(1)
  })

  test.each([16, 18, 36])('is JSON whose schema is in the prompt, where type %d enforces no schema', (type) => {
    const { body } = requestOf(type, { model: 'm', response_format })
    expect(body['response_format']).toEqual({ type: 'json_object' })
    expect(body['messages']).toMatchObject([{ role: 'system', content: expect.stringContaining(JSON.stringify(schema)) }, { role: 'user' }])
  })
})

describe('a chat of type 16', () => {
  const effort = (model: string, more: JsonObject) => {
    const { messages: _messages, model: _model, ...rest } = requestOf(16, { model, ...more }).body
    return rest
  }

  test.each([
    ['glm-5.3', { reasoning_effort: 'none' }, { reasoning_effort: 'low' }],
    ['glm-5.3-flash', { reasoning_effort: 'medium', thinking: { type: 'disabled' } }, { reasoning_effort: 'high' }],
    ['glm-5.2', { reasoning_effort: 'xhigh' }, { reasoning_effort: 'xhigh' }],
    ['glm-5.1', { reasoning_effort: 'none' }, { thinking: { type: 'disabled' } }],
    ['glm-4-plus', { reasoning_effort: 'high' }, {}],
  ])('to %s thinks as %p says', (model, fields, expected) => {
    expect(effort(model, fields)).toEqual(expected)
  })

  test('keeps the reasoning of earlier turns that the client returns', () => {
    const messages = [
      { role: 'user', content: 'Hi' },
      { role: 'assistant', content: 'Yes', reasoning_content: 'so' },
      { role: 'user', content: 'And?' },
    ]
    const { body } = requestOf(16, { model: 'glm-5.1', messages })
    expect(body).toMatchObject({ thinking: { type: 'enabled', clear_thinking: false }, messages: [{}, { reasoning_content: 'so' }, {}] })
    expect(requestOf(16, { model: 'glm-5.1', messages, thinking: { type: 'enabled', clear_thinking: true } }).body['thinking']).toEqual({
      type: 'enabled',
      clear_thinking: true,
    })
    expect(requestOf(16, { model: 'glm-5.1', messages, reasoning_effort: 'none' }).body['thinking']).toEqual({ type: 'disabled' })
    expect(requestOf(16, { model: 'glm-5.1' }).body).not.toHaveProperty('thinking')
  })

  test('carries files to the models that read them', () => {
    const file = { type: 'file', file: { file_data: 'data:application/pdf;base64,AA' } }
    const messages = [{ role: 'user', content: [file] }]
    expect(requestOf(16, { model: 'glm-5.3-flash', messages }).body).toMatchObject({ messages: [{ content: [file] }] })
    expect(requestOf(16, { model: 'glm-5.3', messages }).refused).toBe('file')
  })

  test('has its form of the response in words where the model sees', () => {
    const { body } = requestOf(16, { model: 'glm-5v-turbo', response_format: { type: 'json_object' } })
    expect(body).not.toHaveProperty('response_format')
    expect(body['messages']).toMatchObject([{ role: 'system' }, { role: 'user' }])
  })
})

test('only one model of type 27 has forms of responses', () => {
  const response_format = { type: 'json_object' }
  expect(requestOf(27, { model: 'MiniMax-Text-01', response_format }).body).toMatchObject({ response_format })
  expect(requestOf(27, { model: 'MiniMax-M3', response_format }).body).not.toHaveProperty('response_format')
})

test('the model of type 27 that always thinks has a level for each of OpenAI’s, and no stop words', () => {
  const model = 'MiniMax-M3.1-Flash'
  expect(requestOf(27, { model, reasoning_effort: 'none' }).body).toMatchObject({ reasoning_effort: 'low', reasoning_split: true })
  expect(requestOf(27, { model, reasoning_effort: 'none' }).body).not.toHaveProperty('thinking')
  expect(requestOf(27, { model, reasoning_effort: 'xhigh' }).body).toMatchObject({ reasoning_effort: 'xhigh' })
  expect(requestOf(27, { model, stop: ['END'] }).refused).toBe('stop')
  expect(requestOf(27, { model, stop: [''] }).refused).toBeUndefined()
  expect(requestOf(27, { model: 'MiniMax-M3', stop: ['END'] }).body).toMatchObject({ stop: ['END'] })
})

test('type 27, which has no switch against parallel calls, keeps the first call', () => {
  const outgoing = requestOf(27, { model: 'MiniMax-M3', tools: [tool('f')], parallel_tool_calls: false })
  expect(outgoing.body).not.toHaveProperty('parallel_tool_calls')
  expect(outgoing).toMatchObject({ oneCall: true })
})

test('Qwen4 Max gets the level of reasoning as it is, and may be forced to call a tool while it thinks', () => {
  expect(requestOf(17, { model: 'qwen4-max', reasoning_effort: 'none' }).body).toMatchObject({ reasoning_effort: 'none' })
  const forced = requestOf(17, { model: 'qwen4-max', tools: [tool('f')], tool_choice: { type: 'function', function: { name: 'f' } } })
  expect(forced.body).not.toHaveProperty('enable_thinking')
})

describe('a chat of type 18', () => {
  test('gets calls of tools as a list, and content as one text', () => {
    const messages = [
      {
        role: 'developer',
        content: [
          { type: 'text', text: 'a' },
          { type: 'text', text: 'b' },
        ],
      },
    ]
    expect(requestOf(18, { model: '4.0Ultra', messages, tools: [tool('f')] }).body).toMatchObject({
      tool_calls_switch: true,
      messages: [{ role: 'system', content: 'a\nb' }],
    })
    expect(requestOf(18, { model: '4.0Ultra' }).body).not.toHaveProperty('tool_calls_switch')
  })
})

describe('a chat of type 36 that wants a tool', () => {
  test('does not think', () => {
    const chosen = requestOf(36, { model: 'deepseek-flash', tools: [tool('f')], tool_choice: 'required', reasoning_effort: 'high' })
    expect(chosen.body).toMatchObject({ tool_choice: 'required', thinking: { type: 'disabled' } })
  })

  test('goes to the address that enforces schemas, if all of them are strict', () => {
    const strict = { type: 'function', function: { name: 'f', strict: true } }
    expect(requestOf(36, { model: 'deepseek-flash', tools: [strict] }).path).toBe('https://api.deepseek.com/beta/chat/completions')
    expect(requestOf(36, { model: 'deepseek-flash', tools: [strict, tool('g')] }).path).toBe('/v1/chat/completions')
  })
})

describe('a limit of type 40', () => {
  test('has one name, because both together are an error there', () => {
    const { body } = requestOf(40, { model: 'doubao-seed-2-1-pro-260628', max_tokens: 5, max_completion_tokens: 9 })
    expect(body).toMatchObject({ max_completion_tokens: 9 })
    expect(body).not.toHaveProperty('max_tokens')
    expect(requestOf(40, { model: 'doubao-seed-2-1-pro-260628', max_tokens: 5 }).body).toMatchObject({ max_tokens: 5 })
  })
})

describe('a completion of type 36', () => {
  const fim = { model: 'deepseek-v4-pro', prompt: 'def a', suffix: 'return 1', max_tokens: 9_000, seed: 1 }

  test('has its own address, and at most the tokens that it may have', () => {
    const { path, body } = requestOf(36, fim, 'completions')
    expect(path).toBe('https://api.deepseek.com/beta/completions')
    expect(body).toEqual({ model: 'deepseek-v4-pro', prompt: 'def a', suffix: 'return 1', max_tokens: 4_096 })
  })

  test('is one', () => {
    expect(requestOf(36, { ...fim, n: 2 }, 'completions').refused).toBe('n')
    expect(requestOf(36, { ...fim, best_of: 3 }, 'completions').refused).toBe('best_of')
  })
})

describe('parts of a message', () => {
  test('are documents and bytes of audio for type 28', () => {
    const content = [
      { type: 'file', file: { file_data: 'data:application/pdf;base64,AA', filename: 'a.pdf' } },
      { type: 'file', file: { file_id: 'f-1' } },
      { type: 'input_audio', input_audio: { data: 'BB', format: 'wav' } },
    ]
    expect(requestOf(28, { model: 'voxtral-small-2507', messages: [{ role: 'user', content }] }).body['messages']).toEqual([
      {
        role: 'user',
        content: [
          { type: 'document_url', document_url: 'data:application/pdf;base64,AA', document_name: 'a.pdf' },
          { type: 'file', file_id: 'f-1' },
          { type: 'input_audio', input_audio: 'BB' },
        ],
      },
    ])
  })

  test('have audio as a data address for type 17', () => {
    const content = [{ type: 'input_audio', input_audio: { data: 'BB', format: 'wav' } }]
    const messages = [{ role: 'user', content: [{ type: 'input_audio', input_audio: { data: 'data:;base64,BB', format: 'wav' } }] }]
    expect(requestOf(17, { model: 'qwen3-omni-flash', messages: [{ role: 'user', content }] }).body).toMatchObject({ messages })
    expect(requestOf(17, { model: 'qwen3-omni-flash', messages }).body).toMatchObject({ messages })
  })
})

describe('an address', () => {
  test.each([
    [40, '', 'ep-1', 'https://ark.cn-beijing.volces.com/api/v3/chat/completions'],
    [40, 'https://ark.cn-beijing.volces.com', 'ep-1', 'https://ark.cn-beijing.volces.com/api/v3/chat/completions'],
    [40, '', 'bot-1', 'https://ark.cn-beijing.volces.com/api/v3/bots/chat/completions'],
    [41, '', 'm', 'https://api.novita.ai/openai/v1/chat/completions'],
    [41, 'https://api.novita.ai/v3/openai', 'm', 'https://api.novita.ai/v3/openai/chat/completions'],
    [22, '', 'm', 'https://fastgpt.run/api/openapi/v1/chat/completions'],
    [4, 'https://api.openai-proxy.org/v1', 'm', 'https://api.openai-proxy.org/v1/chat/completions'],
    [21, '', 'm', 'https://api.aiproxy.io/api/library/ask'],
    // A reseller's other protocols are reached by the types that speak them.
    [4, 'https://api.openai-proxy.org/v1', 'gpt-5', 'https://api.openai-proxy.org/v1/chat/completions'],
    [14, 'https://api.openai-proxy.org/anthropic', 'claude-sonnet-5', 'https://api.openai-proxy.org/anthropic/v1/messages'],
    [
      24,
      'https://api.openai-proxy.org/google',
      'gemini-3.8-flash',
      'https://api.openai-proxy.org/google/v1beta/models/gemini-3.8-flash:generateContent',
    ],
  ])('of type %d at "%s" for %s', (type, baseUrl, model, expected) => {
    expect(urlOf(type, baseUrl, model)).toBe(expected)
  })
})

describe('an image', () => {
  test('has a width and a height, and its bytes as base64, where the vendor wants that', () => {
    const { body } = requestOf(39, { model: 'm', prompt: 'x', size: '512x768', response_format: 'b64_json', quality: 'hd' }, 'images')
    expect(body).toEqual({ model: 'm', prompt: 'x', width: 512, height: 768, response_format: 'base64' })
    expect(requestOf(39, { model: 'm', prompt: 'x', size: 'auto' }, 'images').body).toEqual({ model: 'm', prompt: 'x' })
  })
})
