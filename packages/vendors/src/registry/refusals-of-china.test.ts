import { describe, expect, test } from 'bun:test'
import { exampleChannel } from '../../test/channel.ts'
import { addressAt } from '../core/join-url.ts'
import type { JsonObject } from '../core/json.ts'
import type { Kind } from '../core/kind.ts'
import { zhipuJwt } from '../vendors/zhipu/sign.ts'
import { addressed } from './channel-facts.ts'
import { vendorByType } from './list.ts'
import { buildRequest } from './request/build-request.ts'

function vendorOf(type: number) {
  const vendor = vendorByType(type)
  if (vendor === null) throw new Error(`no vendor has the type ${type}`)
  return vendor
}

function refusedBy(type: number, body: JsonObject, { kind = 'chat', key = 'key' }: { readonly kind?: Kind; readonly key?: string } = {}) {
  const { vendor, facts } = exampleChannel(vendorOf(type), key)
  const whole = kind === 'chat' ? { messages: [{ role: 'user', content: 'Hi' }], ...body } : body
  return buildRequest(vendor, whole, { kind, model: 'm', stream: false, channel: facts }).refused ?? null
}

const tools = [{ type: 'function', function: { name: 'a' } }]
const named = { type: 'function', function: { name: 'a' } }

describe('what a vendor cannot fulfil is refused by name', () => {
  test.each([
    [15, { n: 2 }, 'n'],
    [15, { logprobs: true }, 'logprobs'],
    [15, { n: 1, logprobs: false }, null],
    [16, { n: 2 }, 'n'],
    [16, { logprobs: true }, 'logprobs'],
    [16, { stop: ['a', 'b', 'c', 'd', 'e'] }, 'stop'],
    [16, { stop: ['a', 'b', 'c', 'd', ''] }, null],
    [16, { tools, tool_choice: 'required' }, 'tool_choice'],
    [16, { tools, tool_choice: named }, 'tool_choice'],
    [16, { tools, tool_choice: 'none' }, null],
    [17, { tools, tool_choice: 'required' }, 'tool_choice'],
    [17, { tools, tool_choice: named, n: 2 }, null],
    [18, { n: 3 }, 'n'],
    [23, { logprobs: true }, 'logprobs'],
    [27, { n: 2 }, 'n'],
    [27, { tools, tool_choice: 'required' }, 'tool_choice'],
    [27, { tools, tool_choice: named }, 'tool_choice'],
    [27, { tools, tool_choice: 'none' }, null],
  ] as const)('type %d, %p: %p', (type, body, refused) => {
    expect(refusedBy(type, body)).toBe(refused)
  })

  test.each([
    [17, 'images', { prompt: 'a', response_format: 'b64_json' }, null],
    [16, 'images', { prompt: 'a', response_format: 'b64_json' }, null],
    [16, 'images', { prompt: 'a', n: 2 }, 'n'],
    [32, 'images', { prompt: 'a', n: 2 }, 'n'],
    [32, 'images', { prompt: 'a', n: 1, quality: 'hd' }, null],
    [32, 'images', { prompt: 'a', background: 'transparent' }, 'background'],
    [32, 'speech', { input: 'a', voice: 'alloy', instructions: 'loud' }, 'instructions'],
    [16, 'images', { prompt: 'a', background: 'transparent' }, 'background'],
    [17, 'images', { prompt: 'a', background: 'transparent' }, 'background'],
    [17, 'speech', { input: 'a', voice: 'alloy', response_format: 'mp3' }, 'response_format'],
    [17, 'speech', { input: 'a', voice: 'alloy', speed: 2 }, 'speed'],
    [17, 'transcriptions', { response_format: 'srt' }, 'response_format'],
    [17, 'transcriptions', { timestamp_granularities: ['word'] }, 'timestamp_granularities'],
    [27, 'speech', { input: 'a', voice: 'alloy', response_format: 'opus' }, 'response_format'],
    [27, 'speech', { input: 'a', voice: 'alloy', instructions: 'loud' }, 'instructions'],
    [27, 'embeddings', { input: 'a', dimensions: 8 }, 'dimensions'],
  ] as const)('type %d, %s, %p: %s', (type, kind, body, refused) => {
    expect(refusedBy(type, body, { kind })).toBe(refused)
  })

  test('also in the older interfaces', () => {
    const socket = { key: 'app|secret|key' }
    expect(refusedBy(18, { stop: 'END' }, socket)).toBe('stop')
    expect(refusedBy(18, { tools, tool_choice: named }, socket)).toBe('tool_choice')
    expect(refusedBy(23, { tool_choice: 'required' }, { key: '1|id|key' })).toBe('tool_choice')
    expect(refusedBy(23, { input: 'a', dimensions: 512 }, { kind: 'embeddings', key: '1|id|key' })).toBe('dimensions')
  })
})

describe('a search of the web', () => {
  const search = { web_search_options: { search_context_size: 'high' } }
  const asTool = { tools: [{ type: 'web_search' }, ...tools] }

  test.each([18, 19, 21, 22, 25, 26, 27, 31, 32, 34, 36, 40])(
    'is refused by name where chats of type %d have none in this form',
    (type) => {
      expect(refusedBy(type, search)).toBe('web_search_options')
    },
  )

  test.each([
    [15, 'api|secret'],
    [18, 'app|secret|key'],
    [23, '1|id|key'],
  ])('is refused by name in the older interface of type %d', (type, key) => {
    expect(refusedBy(type, search, { key })).toBe('web_search_options')
  })

  function requestBodyOf(type: number, body: JsonObject, model = 'm'): JsonObject {
    const { vendor, facts } = exampleChannel(vendorOf(type))
    const {
      model: _model,
      messages: _messages,
      ...rest
    } = buildRequest(
      vendor,
      { messages: [{ role: 'user', content: 'Hi' }], ...body },
      { kind: 'chat', model, stream: false, channel: facts },
    ).body
    return rest
  }

  const ofZhipu = { enable: true, search_engine: 'search_pro_sogou', search_result: true, content_size: 'high' }
  test.each([
    [15, { web_search: { enable: true, enable_trace: true } }],
    [16, { tools: [{ type: 'web_search', web_search: ofZhipu }] }],
    [17, { enable_search: true }],
    [23, { web_search_options: { enable: true, search_source: 'standard' } }],
  ])('has the form of type %d', (type, expected) => {
    expect(requestBodyOf(type, search)).toEqual(expected)
  })

  test('as a tool keeps the functions beside it, and is forced where the vendor can', () => {
    expect(requestBodyOf(17, asTool)).toEqual({ enable_search: true, tools })
    expect(requestBodyOf(16, asTool)).toEqual({
      tools: [...tools, { type: 'web_search', web_search: { ...ofZhipu, content_size: 'medium' } }],
    })
    const forced = { tools: [{ type: 'web_search' }], tool_choice: { type: 'web_search' } }
    expect(requestBodyOf(17, forced)).toEqual({ enable_search: true, search_options: { forced_search: true } })
    expect(requestBodyOf(15, forced)).toEqual({ web_search: { enable: true, enable_trace: true, search_mode: 'required' } })
  })

  test('in the vendor’s own form is sent as it is', () => {
    const own = { tools: [{ type: 'web_search', web_search: { enable: true, search_engine: 'search_std', search_result: true } }] }
    expect(requestBodyOf(16, own)).toEqual(own)
    expect(requestBodyOf(23, { web_search_options: { enable: true, search_source: 'lite' } })).toEqual({
      web_search_options: { enable: true, search_source: 'lite' },
    })
    const builtIn = { tools: [{ type: 'builtin_function', function: { name: '$web_search' } }] }
    expect(requestBodyOf(25, builtIn, 'kimi-k2.6')).toEqual({ ...builtIn, thinking: { type: 'disabled' } })
    expect(requestBodyOf(25, builtIn, 'kimi-k3')).toEqual(builtIn)
    expect(requestBodyOf(32, { tools: [{ type: 'web_search', function: { description: 'search' } }] })).toHaveProperty('tools')
  })

  test('always shows its pages, because it is billed by them', () => {
    for (const hidden of [{}, { search_result: false }]) {
      const own = (more: JsonObject) => ({ tools: [...tools, { type: 'web_search', web_search: { enable: true, ...hidden, ...more } }] })
      expect(requestBodyOf(16, own({}))).toEqual(own({ search_result: true }))
    }
    expect(requestBodyOf(15, { web_search: { enable: true, enable_trace: false } })).toEqual({
      web_search: { enable: true, enable_trace: true },
    })
    expect(requestBodyOf(15, { web_search: { enable: false } })).toEqual({ web_search: { enable: false } })
    expect(requestBodyOf(23, { enable_enhancement: true, search_info: false })).toEqual({ enable_enhancement: true, search_info: true })
    expect(requestBodyOf(23, { enable_enhancement: false })).toEqual({ enable_enhancement: false })
  })

  test('is refused at models of Zhipu that see, which have functions only', () => {
    const { vendor, facts } = exampleChannel(vendorOf(16))
    const built = buildRequest(vendor, { messages: [], ...search }, { kind: 'chat', model: 'glm-5v-turbo', stream: false, channel: facts })
    expect(built.refused).toBe('web_search_options')
  })
})

describe('the interface of a channel follows from its key and its address', () => {
  function urlOf(type: number, { key = 'k', baseUrl = '', model = 'm', other = '' }, kind: Kind = 'chat'): string {
    const channel = addressed(vendorOf(type), { baseUrl, key, config: '', other })
    if (channel === null) throw new Error('the channel has no address')
    const params = { kind, model, stream: false, channel: channel.facts }
    return addressAt(channel.facts.baseUrl, buildRequest(channel.vendor, { messages: [], input: 'a', prompt: 'a' }, params).path)
  }

  const ali = 'https://dashscope.aliyuncs.com'
  const zhipu = 'https://open.bigmodel.cn/api/paas/v4'
  const coding = 'https://open.bigmodel.cn/api/coding/paas/v4'

  test.each([
    [15, {}, 'chat', 'https://qianfan.baidubce.com/v2/chat/completions'],
    [15, {}, 'rerank', 'https://qianfan.baidubce.com/v2/rerank'],
    [15, { key: 'a|b', model: 'ERNIE-Speed-8K' }, 'chat', 'https://aip.baidubce.com/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/ernie_speed'],
    [15, { key: 'a|b', model: 'tao-8k' }, 'embeddings', 'https://aip.baidubce.com/rpc/2.0/ai_custom/v1/wenxinworkshop/embeddings/tao_8k'],
    [16, {}, 'chat', `${zhipu}/chat/completions`],
    [16, { baseUrl: 'https://open.bigmodel.cn' }, 'embeddings', `${zhipu}/embeddings`],
    [16, { baseUrl: 'https://api.z.ai/api/coding/paas/v4' }, 'chat', 'https://api.z.ai/api/coding/paas/v4/chat/completions'],
    [16, { model: 'glm-5.3' }, 'responses', 'https://open.bigmodel.cn/api/v1/responses'],
    [16, { model: 'glm-5.2' }, 'responses', `${zhipu}/chat/completions`],
    [16, { model: 'glm-5.3', baseUrl: `${coding}` }, 'responses', `${coding}/chat/completions`],
    [40, { model: 'ep-1' }, 'responses', 'https://ark.cn-beijing.volces.com/api/v3/responses'],
    [40, { model: 'bot-1' }, 'responses', 'https://ark.cn-beijing.volces.com/api/v3/bots/chat/completions'],
    [17, {}, 'chat', `${ali}/compatible-mode/v1/chat/completions`],
    [17, { baseUrl: ali }, 'embeddings', `${ali}/compatible-mode/v1/embeddings`],
    [17, { baseUrl: `${ali}/compatible-mode` }, 'chat', `${ali}/compatible-mode/v1/chat/completions`],
    [17, { baseUrl: 'https://coding.dashscope.aliyuncs.com/v1' }, 'chat', 'https://coding.dashscope.aliyuncs.com/v1/chat/completions'],
    [17, { model: 'qwen3-rerank' }, 'rerank', `${ali}/compatible-api/v1/reranks`],
    [17, { model: 'gte-rerank-v2' }, 'rerank', `${ali}/api/v1/services/rerank/text-rerank/text-rerank`],
    [18, { model: '4.0Ultra' }, 'chat', 'https://spark-api-open.xf-yun.com/v1/chat/completions'],
    [18, { model: 'spark-x' }, 'chat', 'https://spark-api-open.xf-yun.com/v2/chat/completions'],
    [18, { model: 'spark-x2' }, 'chat', 'https://spark-api-open.xf-yun.com/x2/chat/completions'],
    [18, { key: 'a|b|c', model: 'Spark-Max-32K' }, 'chat', 'https://spark-api.xf-yun.com/chat/max-32k'],
    [18, { key: 'a|b|c', model: 'mine', other: 'v3.5' }, 'chat', 'https://spark-api.xf-yun.com/v3.5/chat'],
    [18, { key: 'a|b|c', model: 'SparkDesk-v4.0' }, 'chat', 'https://spark-api.xf-yun.com/v4.0/chat'],
    [23, {}, 'chat', 'https://tokenhub.tencentmaas.com/v1/chat/completions'],
    [23, { key: 'a|b|c' }, 'chat', 'https://hunyuan.tencentcloudapi.com/'],
    [27, {}, 'chat', 'https://api.minimaxi.com/v1/chat/completions'],
    [27, { baseUrl: 'https://api.minimax.chat' }, 'chat', 'https://api.minimax.chat/v1/text/chatcompletion_v2'],
    [27, { baseUrl: 'https://api.minimax.io' }, 'speech', 'https://api.minimax.io/v1/t2a_v2'],
  ] as const)('type %d, %p, %s: %s', (type, fields, kind, url) => {
    expect(urlOf(type, fields, kind)).toBe(url)
  })

  test('a signed token is sent instead of the key only where the channel says so', () => {
    const auth = (other: string) => addressed(vendorOf(16), { baseUrl: '', key: 'id.secret', config: '', other })?.vendor.auth
    expect([auth('jwt'), auth('')]).toMatchObject([{ signer: zhipuJwt }, { header: 'authorization' }])
  })

  test('a key of several parts has all of them', () => {
    const isKey = (type: number, key: string) => vendorOf(type).key.isValid?.(key)
    expect([isKey(15, 'bce-v3/x'), isKey(15, 'a|b'), isKey(15, 'a|'), isKey(15, 'a|b|c')]).toEqual([true, true, false, false])
    expect([isKey(18, 'password'), isKey(18, 'a|b|c'), isKey(18, 'a|b')]).toEqual([true, true, false])
    expect([isKey(23, 'sk-1'), isKey(23, '1|b|c'), isKey(23, '1||c')]).toEqual([true, true, false])
  })
})
