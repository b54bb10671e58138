import { describe, expect, test } from 'bun:test'
import { exampleChannel } from '../../test/channel.ts'
import { buildRequest } from '../build-request.ts'
import { addressed } from '../channel-facts.ts'
import { addressAt } from '../join-url.ts'
import type { JsonObject } from '../json.ts'
import type { Kind } from '../kind.ts'
import { vendorByType } from '../list.ts'

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
    [16, { stop: ['a', 'b'] }, 'stop'],
    [16, { stop: ['a', ''] }, null],
    [16, { tools, tool_choice: 'required' }, 'tool_choice'],
    [16, { tools, tool_choice: named }, 'tool_choice'],
    [16, { tools, tool_choice: 'none' }, null],
    [17, { tools, tool_choice: 'required' }, 'tool_choice'],
    [17, { tools, tool_choice: named, n: 2 }, null],
    [18, { n: 3 }, 'n'],
    [23, { logprobs: true }, 'logprobs'],
    [27, { n: 2 }, 'n'],
  ] as const)('type %d, %p: %p', (type, body, refused) => {
    expect(refusedBy(type, body)).toBe(refused)
  })

  test.each([
    [17, 'images', { prompt: 'a', response_format: 'b64_json' }, null],
    [16, 'images', { prompt: 'a', response_format: 'b64_json' }, null],
    [16, 'images', { prompt: 'a', n: 2 }, 'n'],
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

describe('the interface of a channel follows from its key and its address', () => {
  function urlOf(type: number, { key = 'k', baseUrl = '', model = 'm', other = '' }, kind: Kind = 'chat'): string {
    const found = addressed(vendorOf(type), { baseUrl, key, config: '', other })
    if (found === null) throw new Error('the channel has no address')
    const wish = { kind, model, stream: false, channel: found.facts }
    return addressAt(found.facts.baseUrl, buildRequest(found.vendor, { messages: [], input: 'a', prompt: 'a' }, wish).path)
  }

  const ali = 'https://dashscope.aliyuncs.com'
  const zhipu = 'https://open.bigmodel.cn/api/paas/v4'

  test.each([
    [15, {}, 'chat', 'https://qianfan.baidubce.com/v2/chat/completions'],
    [15, {}, 'rerank', 'https://qianfan.baidubce.com/v2/rerankers'],
    [15, { key: 'a|b', model: 'ERNIE-Speed-8K' }, 'chat', 'https://aip.baidubce.com/rpc/2.0/ai_custom/v1/wenxinworkshop/chat/ernie_speed'],
    [15, { key: 'a|b', model: 'tao-8k' }, 'embeddings', 'https://aip.baidubce.com/rpc/2.0/ai_custom/v1/wenxinworkshop/embeddings/tao_8k'],
    [16, {}, 'chat', `${zhipu}/chat/completions`],
    [16, { baseUrl: 'https://open.bigmodel.cn' }, 'embeddings', `${zhipu}/embeddings`],
    [16, { baseUrl: 'https://api.z.ai/api/coding/paas/v4' }, 'chat', 'https://api.z.ai/api/coding/paas/v4/chat/completions'],
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
  ] as const)('type %d, %p, %s: %s', (type, given, kind, url) => {
    expect(urlOf(type, given, kind)).toBe(url)
  })

  test('a signed token is sent instead of the key only where the channel says so', () => {
    const auth = (other: string) => addressed(vendorOf(16), { baseUrl: '', key: 'id.secret', config: '', other })?.vendor.auth
    expect([auth('jwt'), auth('')]).toMatchObject([{ signer: 'zhipu-jwt' }, { header: 'authorization' }])
  })

  test('a key of several parts has all of them', () => {
    const isKey = (type: number, key: string) => vendorOf(type).isKey?.(key)
    expect([isKey(15, 'bce-v3/x'), isKey(15, 'a|b'), isKey(15, 'a|'), isKey(15, 'a|b|c')]).toEqual([true, true, false, false])
    expect([isKey(18, 'password'), isKey(18, 'a|b|c'), isKey(18, 'a|b')]).toEqual([true, true, false])
    expect([isKey(23, 'sk-1'), isKey(23, '1|b|c'), isKey(23, '1||c')]).toEqual([true, true, false])
  })
})
