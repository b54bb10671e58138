import { describe, expect, test } from 'bun:test'
import type { Vendor } from '../core/vendor.ts'
import { vendorByType, vendors } from './list.ts'

// What the product specification says about types by their number: sections 3 (names), 5 (keys) and 9 (balances).

type Facts = Readonly<Record<number, Partial<Vendor>>>

const dollars = { unit: '$' } as const
const yuan = { unit: '¥' } as const
const units = { unit: 'quota' } as const

/** Types with a balance; of all others the list says that it is not supported. */
const balances: Facts = {
  1: { balance: dollars },
  8: { balance: dollars },
  4: { balance: yuan },
  12: { balance: yuan },
  5: { balance: { unit: '¥', divisor: 10_000 } },
  10: { balance: units },
  13: { balance: units },
}

const keys: Facts = {
  33: { key: { hint: '', fields: ['ak', 'sk', 'region'] } },
  42: { key: { hint: '', fields: ['region', 'vertex_ai_project_id', 'vertex_ai_adc'] } },
  3: { otherDefault: '2024-03-01-preview' },
}

/** The key field names the parts of these keys. */
const keyHints: Readonly<Record<number, string>> = {
  15: 'APIKey|SecretKey',
  18: 'APPID|APISecret|APIKey',
  22: 'APIKey-AppId',
  23: 'AppId|SecretId|SecretKey',
}

/** The names of the specification, section 3. */
const names: Readonly<Record<number, string>> = {
  ...{ 1: 'OpenAI', 44: 'Pika', 45: 'Suno', 46: 'Pixverse', 47: 'Flux', 48: 'Sora', 49: 'Veo', 50: 'Nano', 14: 'Anthropic Claude' },
  ...{ 33: 'AWS', 3: 'Azure OpenAI', 11: 'Google PaLM2', 24: 'Google Gemini', 28: 'Mistral AI', 41: 'Novita', 40: 'ByteDance Doubao' },
  ...{ 15: 'Baidu Wenxin Qianfan', 17: 'Alibaba Tongyi Qianwen', 18: 'iFlytek Spark', 16: 'Zhipu ChatGLM', 19: '360 Zhinao' },
  ...{ 25: 'Moonshot AI', 23: 'Tencent Hunyuan', 26: 'Baichuan', 27: 'MiniMax', 29: 'Groq', 30: 'Ollama', 31: '01.AI', 32: 'StepFun' },
  ...{ 34: 'Coze', 35: 'Cohere', 36: 'DeepSeek', 37: 'Cloudflare', 38: 'DeepL', 39: 'together.ai', 42: 'VertexAI', 43: 'Proxy' },
  ...{ 8: 'custom channel', 22: 'knowledge base FastGPT', 21: 'knowledge base AI Proxy', 20: 'proxy OpenRouter', 2: 'API2D' },
  ...{ 5: 'OpenAI-SB', 7: 'OhMyGPT', 10: 'AI Proxy', 4: 'CloseAI', 6: 'OpenAI Max', 9: 'AI.LS', 12: 'API2GPT', 13: 'AIGC2D' },
}

describe('each record agrees with the specification', () => {
  test('in its name, of which the specification has fifty', () => {
    expect(Object.keys(names)).toEqual(Array.from({ length: 50 }, (_, index) => String(index + 1)))
    expect(Object.fromEntries(vendors.map(({ type, name }) => [type, name]))).toEqual(names)
    expect(vendors).toHaveLength(50)
  })

  test.each(vendors.map((vendor) => [vendor.type, vendor] as const))('type %d has the unit of its balance, or none', (type, vendor) => {
    expect(vendor.balance).toEqual(balances[type]?.balance)
  })

  test.each(vendors.map((vendor) => [vendor.type, vendor] as const))('type %d has the key and the default of its type', (type, vendor) => {
    expect({ fields: vendor.key.fields, otherDefault: vendor.otherDefault }).toEqual({
      fields: keys[type]?.key?.fields,
      otherDefault: keys[type]?.otherDefault,
    })
    if (keyHints[type] !== undefined) expect(vendor.key.hint).toContain(keyHints[type])
  })

  test('types that the specification describes and that have no record yet are these', () => {
    const described = [...Object.keys(balances), ...Object.keys(keys), ...Object.keys(keyHints)].map(Number)
    const missing = described.filter((type) => vendorByType(type) === null).toSorted((a, b) => a - b)
    expect(missing).toEqual([])
  })
})
