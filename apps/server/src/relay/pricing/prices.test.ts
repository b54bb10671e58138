import { describe, expect, test } from 'bun:test'
import type { OptionKey } from '@sluice/contract'
import { noUsage } from '@sluice/vendors/core/no-usage'
import type { Usage } from '@sluice/vendors/core/usage'
import fc from 'fast-check'
import { settingsWith } from '../../../test/settings-with.ts'
import { quotaFor } from '../../ledger/price.ts'
import { type BillableRequest, type Reservation, reserveFor } from '../billing/reserve.ts'
import type { BillableParams } from '../model/request-params.ts'
import { countsOf } from './billable-counts.ts'
import { createPrices } from './prices.ts'
import type { ResolvedPrice } from './resolve-price.ts'

/** Prices of the day on which the table was last read. */
const clock = { nowMs: () => Date.parse('2026-11-23') }

type Texts = Partial<Record<OptionKey, string>>

interface Paid {
  readonly options?: Texts
  readonly group?: string
  readonly billable?: BillableParams
  /** The counts are our own. */
  readonly isCounted?: boolean
}

const resolvedPriceOf = (model: string, { options = {}, group = 'default' }: Paid = {}): ResolvedPrice =>
  createPrices(() => settingsWith(options), clock).resolve(model, group)

function quotaOf(model: string, used: Partial<Usage>, paid: Paid = {}): number {
  const usage = { ...noUsage, ...used }
  const resolvedPrice = resolvedPriceOf(model, paid)
  const { imageSize, imageQuality } = paid.billable ?? {}
  return quotaFor(
    countsOf(usage, resolvedPrice.price, paid.isCounted !== true),
    resolvedPrice.ratesFor({ ...usage, imageSize, imageQuality }),
  )
}

describe('results known from one-api gateways', () => {
  // The ratios of one-api gateways, where ours have followed the vendor's price changes.
  const old: Texts = { ModelRatio: '{"gpt-4o":2.5,"dall-e-2":10,"dall-e-3":20,"odd":30}', GroupRatio: '{"default":1,"half":0.5}' }
  const tokens = (promptTokens: number, completionTokens = 0): Partial<Usage> => ({ promptTokens, completionTokens })
  const rows: ReadonlyArray<readonly [string, Partial<Usage>, Paid, number]> = [
    ['gpt-4o', tokens(1000, 500), { options: old }, 7500],
    ['gpt-4o', tokens(1000, 500), { options: old, group: 'half' }, 3750],
    ['gpt-4o', tokens(1000, 500), {}, 3750],
    ['gpt-4o-mini', tokens(1), {}, 1],
    ['gpt-4', tokens(1), {}, 15],
    ['claude-3-5-sonnet-20241022', tokens(1000, 1000), {}, 9000],
    ['text-embedding-3-small', tokens(8), {}, 1],
    ['odd', tokens(100, 100), { options: old }, 6000],
    ['dall-e-3', { images: 1 }, { billable: { imageSize: '1024x1024' } }, 20_000],
    ['dall-e-3', { images: 1 }, { billable: { imageSize: '1792x1024', imageQuality: 'hd' } }, 60_000],
    ['dall-e-3', { images: 1 }, { options: old, billable: { imageSize: '1792x1024', imageQuality: 'hd' } }, 60_000],
    ['dall-e-2', { images: 3 }, { options: old, billable: { imageSize: '256x256' } }, 30_000],
    ['dall-e-2', { images: 3 }, { billable: { imageSize: '256x256' } }, 24_000],
    ['tts-1', { characters: 11 }, {}, 83],
    ['whisper-1', { audioMs: 60_000 }, {}, 3000],
  ]
  for (const [model, used, paid, quota] of rows) {
    test(`${model} ${JSON.stringify(used)} ${JSON.stringify(paid)} costs ${quota}`, () => expect(quotaOf(model, used, paid)).toBe(quota))
  }
})

describe('a class of tokens', () => {
  test('of audio has its own price for input and output, and is charged once', () => {
    // 4 dollars for input, 16 for output; audio 32 and 64, per million.
    const used = { promptTokens: 1000, completionTokens: 1000, audioInputTokens: 400, audioOutputTokens: 600, cachedTokens: 100 }
    expect(quotaOf('gpt-realtime', used)).toBe(500 * 2 + 100 * 0.2 + 400 * 16 + 400 * 8 + 600 * 32)
  })

  test('of images has its own price for input and output', () => {
    const used = { promptTokens: 500, completionTokens: 1000, imageInputTokens: 400, imageOutputTokens: 1000 }
    // Text, image input and image output, in dollars per million: 5, 10, 40; 2, 2.50, 8; 5, 8, 32; 5, 8, 30.
    expect(quotaOf('gpt-image-1', used)).toBe(100 * 2.5 + 400 * 5 + 1000 * 20)
    expect(quotaOf('gpt-image-1-mini', used)).toBe(100 * 1 + 400 * 1.25 + 1000 * 4)
    expect(quotaOf('gpt-image-1.5', used)).toBe(100 * 2.5 + 400 * 4 + 1000 * 16)
    expect(quotaOf('gpt-image-2', used)).toBe(100 * 2.5 + 400 * 4 + 1000 * 15)
  })

  test('that is larger than its total is reduced to it', () => {
    const used = { promptTokens: 10, cachedTokens: 8, cacheWriteTokens: 8, audioInputTokens: 8 }
    expect(countsOf({ ...noUsage, ...used }, {}, true)).toMatchObject({ cached: 8, cacheWrite: 2, audioInput: 0, prompt: 0 })
  })
})

describe('a response with reasoning', () => {
  const used = (promptTokens: number, reasoningTokens = 0) => ({ promptTokens, completionTokens: 100_000, reasoningTokens })
  const options = { YuanPerDollar: '8' }

  test('costs more where the vendor asks for more, with the text after the reasoning', () => {
    // 2 and 8 yuan a million at 8 yuan a dollar, and 20 and 24 for a long prompt of 2.4.
    expect(quotaOf('qwen-plus', used(0), { options })).toBe(12_500)
    expect(quotaOf('qwen-plus', used(0, 1), { options })).toBe(50_000)
    expect(quotaOf('qwen-plus', used(200_000), { options })).toBe(30_000 + 125_000)
    expect(quotaOf('qwen-plus', used(200_000, 90_000), { options })).toBe(30_000 + 150_000)
    expect(quotaOf('qwen3.5-plus', used(0, 1), { options })).toBe(quotaOf('qwen3.5-plus', used(0), { options }))
  })

  test('costs what the administrator sets', () => {
    const set = { ...options, PriceRules: '{"gpt-4o":{"thinking":20},"qwen-plus":{"thinking":1,"tiers":[]}}' }
    expect(quotaOf('gpt-4o', used(0, 5), { options: set })).toBe(100_000 * 1.25 * 20)
    expect(quotaOf('gpt-4o', used(0), { options: set })).toBe(100_000 * 1.25 * 4)
    expect(quotaOf('qwen-plus', used(0, 5), { options: set })).toBe(100_000 * 0.05)
  })
})

test('what is read from a cache that the request enabled has a price of its own where the vendor has one', () => {
  const options = { YuanPerDollar: '8' }
  const read = (model: string, promptTokens: number, isCacheExplicit: boolean): number =>
    quotaOf(model, { promptTokens, cachedTokens: promptTokens, isCacheExplicit }, { options })
  // A fifth and a tenth of 0.8 yuan a million at 8 yuan a dollar, and of 2.4 for a long prompt.
  expect([read('qwen-plus', 100_000, false), read('qwen-plus', 100_000, true)]).toEqual([1_000, 500])
  expect([read('qwen-plus', 200_000, false), read('qwen-plus', 200_000, true)]).toEqual([6_000, 3_000])
  expect(read('gpt-4o', 100_000, true)).toBe(read('gpt-4o', 100_000, false))
})

describe('a price by the piece', () => {
  test('applies if the vendor counted no tokens; otherwise the price per token applies', () => {
    const billable = { imageSize: '1024x1024', imageQuality: 'low' }
    expect(quotaOf('gpt-image-1', { images: 2 }, { billable })).toBe(11_000)
    expect(quotaOf('gpt-image-1', { images: 2, promptTokens: 100 }, { billable })).toBe(250)
    expect(quotaOf('gpt-image-1', { images: 2, promptTokens: 100 }, { billable, isCounted: true })).toBe(11_000)
  })

  test('is the highest one for a size without a price, and that of the default size for no size', () => {
    expect(quotaOf('dall-e-3', { images: 1 }, { billable: { imageSize: '1x1', imageQuality: 'odd' } })).toBe(60_000)
    expect(quotaOf('dall-e-3', { images: 1 })).toBe(20_000)
  })

  test('is derived from the ratio if there is none: a thousand tokens per image, one per character, ten per second', () => {
    const options = { ModelRatio: '{"mine":2}' }
    expect(quotaOf('mine', { images: 3 }, { options })).toBe(6000)
    expect(quotaOf('mine', { characters: 3 }, { options })).toBe(6)
    expect(quotaOf('mine', { audioMs: 1500 }, { options })).toBe(30)
  })

  test('per call is added to that of the tokens, also for web searches', () => {
    expect(quotaOf('gpt-4o-search-preview', { promptTokens: 100 })).toBe(12_500 + 125)
    expect(quotaOf('claude-sonnet-4-5', { promptTokens: 100, searches: 2 })).toBe(150 + 10_000)
    expect(quotaOf('rerank-v3.5', { promptTokens: 900, calls: 3 })).toBe(3000)
  })
})

describe('a price in yuan', () => {
  const used = { promptTokens: 1_000_000, completionTokens: 100_000, cachedTokens: 500_000 }
  /** Quota for so many yuan, from prices that are rounded to eight digits. */
  const near = (yuan: number, rate: number): number => (yuan / rate) * 500_000

  test('is charged at the rate of the option, whatever the size of the request', () => {
    // 20 yuan in, 100 out and 2 from the cache.
    expect(quotaOf('kimi-k3', used)).toBe(Math.ceil(1.4285714 * (500_000 + 50_000 + 500_000)))
    expect(Math.abs(quotaOf('kimi-k3', used) / near(21, 7) - 1)).toBeLessThan(1e-6)
    expect(quotaOf('kimi-k3', used, { options: { YuanPerDollar: '6.4' } })).toBe(near(21, 6.4))
  })

  test('of a long prompt is converted too', () => {
    const long = { promptTokens: 40_000 }
    expect(quotaOf('glm-5', long, { options: { YuanPerDollar: '8' } })).toBe(40_000 * 0.375)
  })

  test('is the number that the administrator sets, at any rate', () => {
    const options = { ModelRatio: '{"kimi-k3":1}', YuanPerDollar: '6.4' }
    expect(quotaOf('kimi-k3', { promptTokens: 100 }, { options })).toBe(100)
  })
})

describe('the retail factors', () => {
  const options = { ChannelTypeRatio: '{"33":1.1,"14":3}', RetailRatio: '{"gpt-4o":1.2,"tts-1":2}', GroupRatio: '{"default":0.5}' }
  const used = { promptTokens: 1000, completionTokens: 500, searches: 1 }
  const prices = createPrices(() => settingsWith(options), clock)
  const quota = (model: string, type: number, usage: Partial<Usage> = used): number => {
    const price = prices.resolve(model, 'default').ofType(type)
    return quotaFor(countsOf({ ...noUsage, ...usage }, price.price, true), price.ratesFor({ ...noUsage, ...usage }))
  }

  test('of the type and of the model multiply every unit, exactly', () => {
    // 3,750 for the tokens and 5,000 for the search.
    expect(quota('gpt-4o', 33)).toBe(8_750 * 0.5 * 1.1 * 1.2)
    expect(quota('gpt-4o', 1)).toBe(8_750 * 0.5 * 1.2)
    expect(quota('gpt-4o-mini', 33, { promptTokens: 100_000 })).toBe(100_000 * 0.075 * 0.5 * 1.1)
    expect(quota('tts-1', 14, { characters: 10 })).toBe(75 * 0.5 * 3 * 2)
  })

  test('apply to prices that the administrator sets, and not to free models', () => {
    const set = { ...options, ModelPrice: '{"gpt-4o":0.01}', PriceRules: '{"tts-1":{"free":true}}' }
    const fixed = createPrices(() => settingsWith(set), clock)
    const ratesAt = (model: string) =>
      fixed
        .resolve(model, 'default')
        .ofType(33)
        .ratesFor({ ...noUsage })
    expect(quotaFor({ calls: 1 }, ratesAt('gpt-4o'))).toBe(5_000 * 0.5 * 1.1 * 1.2)
    expect(quotaFor({ prompt: 1_000, characters: 1_000 }, ratesAt('tts-1'))).toBe(0)
  })

  test('give the price of the dearest of several types', () => {
    const price = prices.resolve('gpt-4o', 'default')
    expect(price.dearestOf([1, 33, 14])).toBe(price.ofType(14))
    expect(price.dearestOf([1, 8])).toBe(price)
    expect(price.dearestOf([])).toBe(price)
    expect(price.ofType(33)).toBe(price.ofType(33))
  })

  test('cost nothing while none is set: every type has the same object', () => {
    const plain = createPrices(() => settingsWith(), clock).resolve('gpt-4o', 'default')
    expect([plain.ofType(33), plain.dearestOf([1, 33])]).toEqual([plain, plain])
    expect(plain.ratios).toBe('gpt-4o 1.25 × group 1 × completion 4')
  })
})

describe('the administrator', () => {
  test('sets a price for each call, whatever it used', () => {
    const options = { ModelPrice: '{"gpt-4o":0.01,"dall-e-3":0.05}', GroupRatio: '{"default":2}' }
    expect(quotaOf('gpt-4o', { promptTokens: 100_000, completionTokens: 5000, searches: 4 }, { options })).toBe(10_000)
    expect(quotaOf('dall-e-3', { images: 2 }, { options, billable: { imageQuality: 'hd' } })).toBe(100_000)
  })

  test('sets each factor, and rules for all other units', () => {
    const options = {
      ModelRatio: '{"mine":2}',
      CacheRatio: '{"mine":0.25}',
      CreateCacheRatio: '{"mine":1.5}',
      AudioRatio: '{"mine":10}',
      AudioCompletionRatio: '{"mine":3}',
      ImageRatio: '{"mine":4}',
      PriceRules: '{"mine":{"cacheWrite1h":3,"search":0.002,"tiers":[{"above":1000,"ratio":5}],"priority":2}}',
    }
    const used = { promptTokens: 500, cachedTokens: 100, cacheWriteTokens: 100, cacheWrite1hTokens: 100, audioInputTokens: 100 }
    const base = 2 * (25 + 150 + 300 + 1000)
    expect(quotaOf('mine', { ...used, imageInputTokens: 100 }, { options })).toBe(base + 800)
    expect(quotaOf('mine', { completionTokens: 10, audioOutputTokens: 10 }, { options })).toBe(600)
    expect(quotaOf('mine', { promptTokens: 1000, searches: 1 }, { options })).toBe(2000 + 1000)
    expect(quotaOf('mine', { promptTokens: 1001 }, { options })).toBe(5005)
    expect(quotaOf('mine', { promptTokens: 10, serviceTier: 'priority' }, { options })).toBe(40)
  })

  test('cannot set an invalid price', () => {
    const bad = ['{', '[]', '{"m":1}', '{"m":{"ratio":-1}}', '{"m":{"ratio":"1"}}', '{"m":{"odd":1}}', '{"m":{"tiers":[{"above":0.5}]}}']
    for (const text of bad) expect(() => settingsWith({ PriceRules: text })).toThrow('PriceRules')
  })

  test('must set a price for a model without one, unless UnpricedModelRatio is set', () => {
    expect(() => resolvedPriceOf('nobody-knows-it')).toThrow('model_price_not_set')
    expect(() => resolvedPriceOf('nobody-knows-it', { options: { PriceRules: '{"nobody-knows-it":{"search":1}}' } })).toThrow(
      'model_price_not_set',
    )
    expect(quotaOf('nobody-knows-it', { promptTokens: 10 }, { options: { UnpricedModelRatio: '3' } })).toBe(30)
  })
})

describe('the total of a request', () => {
  test('costs more if its prompt exceeds a price step; some vendors count the output too', () => {
    expect(quotaOf('gemini-2.5-pro', { promptTokens: 200_000 })).toBe(125_000)
    expect(quotaOf('gemini-2.5-pro', { promptTokens: 200_001 })).toBe(250_002)
    expect(quotaOf('glm-4.6', { promptTokens: 1000, completionTokens: 200 })).toBe(258)
    expect(quotaOf('glm-4.6', { promptTokens: 1000, completionTokens: 201 })).toBe(416)
  })

  test('has the price of the actual service tier', () => {
    const used = { promptTokens: 1000, completionTokens: 100 }
    const plain = quotaOf('gpt-5', used)
    expect(quotaOf('gpt-5', { ...used, serviceTier: 'flex' })).toBe(Math.ceil(plain / 2))
    expect(quotaOf('gpt-5', { ...used, serviceTier: 'priority' })).toBe(plain * 2)
    expect(quotaOf('gpt-5.4', { ...used, serviceTier: 'flex' })).toBe(quotaOf('gpt-5.4', used) / 2)
    expect(quotaOf('gpt-5.5', { ...used, serviceTier: 'priority' })).toBe(quotaOf('gpt-5.5', used) * 2.5)
    expect(quotaOf('claude-opus-4-6', { ...used, serviceTier: 'fast' })).toBe(quotaOf('claude-opus-4-6', used) * 6)
    expect(quotaOf('claude-opus-5', { ...used, serviceTier: 'fast' })).toBe(quotaOf('claude-opus-5', used) * 2)
    expect(quotaOf('claude-opus-5-5', { ...used, serviceTier: 'fast' })).toBe(quotaOf('claude-opus-5-5', used) * 2)
    expect(quotaOf('claude-unknown', { ...used, serviceTier: 'fast' }, { options: { UnpricedModelRatio: '1' } })).toBe(2_200)
    expect(quotaOf('amazon-nova-pro', { ...used, serviceTier: 'priority' })).toBe(quotaOf('amazon-nova-pro', used) * 2)
    expect(quotaOf('amazon-nova-pro', { ...used, serviceTier: 'flex' })).toBe(quotaOf('amazon-nova-pro', used))
    expect(quotaOf('gpt-6-astra', { ...used, serviceTier: 'ultrafast' })).toBe(quotaOf('gpt-6-astra', used) * 6)
    expect(quotaOf('gpt-6.2-sol', { ...used, serviceTier: 'ultrafast' })).toBe(quotaOf('gpt-6.2-sol', used) * 3)
    expect(quotaOf('gpt-5', { ...used, serviceTier: 'ultrafast' })).toBe(plain * 6)
    const sonnet = quotaOf('claude-sonnet-4-6', used)
    expect(quotaOf('claude-sonnet-4-6', { ...used, isRegional: true })).toBe(Math.ceil((sonnet * 11) / 10))
    expect(quotaOf('claude-opus-5', { ...used, serviceTier: 'fast', isRegional: true })).toBe(
      Math.ceil((quotaOf('claude-opus-5', used) * 22) / 10),
    )
    expect(quotaOf('claude-sonnet-4-6', { ...used, searches: 1, isRegional: true })).toBe(Math.ceil((sonnet * 11) / 10) + 5_000)
    expect(quotaOf('gpt-4', { ...used, isRegional: true })).toBe(quotaOf('gpt-4', used))
  })
})

describe('a reservation', () => {
  const request = { promptTokens: 100, maxTokens: null, choices: 1, isStream: true }
  const reservation = (model: string, fields: Partial<BillableRequest>, options: Texts = {}): Reservation =>
    reserveFor({ ...request, model, ...fields }, resolvedPriceOf(model, { options }), settingsWith(options))
  const reserved = (model: string, fields: Partial<BillableRequest>, options: Texts = {}): number =>
    reservation(model, fields, options).amount

  test('for prices per piece is exact', () => {
    expect(reserved('dall-e-3', { images: 1, imageSize: '1792x1024', imageQuality: 'hd' })).toBe(60_000)
    expect(reserved('tts-1', { characters: 11 })).toBe(83)
    expect(reserved('whisper-1', { audioMs: 1000 })).toBe(50)
    expect(reserved('dall-e-3', { images: 100 })).toBe(2_000_000)
  })

  test('covers reasoning, which may be all of the output', () => {
    const options = { YuanPerDollar: '8' }
    expect(reserved('qwen-plus', { promptTokens: 0, maxTokens: 100_000 }, options)).toBe(50_000)
    const reasoning = { completionTokens: 100_000, reasoningTokens: 100_000 }
    expect(quotaOf('qwen-plus', reasoning, { options })).toBe(50_000)
  })

  test('includes the price per call', () => {
    expect(reserved('gpt-4o', {}, { ModelPrice: '{"gpt-4o":0.01}' })).toBe(5000)
    expect(reserved('gpt-4o-search-preview', { maxTokens: 100 })).toBe(12_500 + 125 + 500)
  })

  test('uses the price step and service tier of the request', () => {
    expect(reserved('gemini-2.5-pro', { promptTokens: 200_001, maxTokens: 1 })).toBe(250_009)
    expect(reserved('gpt-5', { promptTokens: 10_000, maxTokens: 1, serviceTier: 'priority' })).toBe(12_500 + 10)
  })

  test('includes the client’s limit in full for each choice', () => {
    const named = reservation('gpt-4', { maxTokens: 1_000_000, choices: 2 })
    expect(named).toMatchObject({ amount: 1_500 + 2_000_000 * 30, least: 1_500 + 2_000_000 * 30 })
    expect(named.outputWithin(named.amount)).toBe(1_000_000)
  })

  test('of a stream without a limit includes what the model can write, of which it begins with at most MaxReserve', () => {
    // 16,384 tokens at 5 each, after a prompt of 100 tokens at 1.25.
    const full = reservation('gpt-4o', {})
    expect(full).toMatchObject({ amount: 125 + 16_384 * 5, least: 125 + 4_096 * 5 })
    expect(full.outputWithin(full.amount)).toBe(16_384)
    expect(full.outputWithin(125 + 1_000 * 5)).toBe(1_000)
    expect(full.outputWithin(125 + 1_000 * 5 + 4)).toBe(1_000)
    expect(reserved('gpt-4o', { choices: 2 }, { MaxReserve: '50000' })).toBe(125 + 50_000)
    expect(reserved('gpt-4o', { promptTokens: 100_000 }, { MaxReserve: '50000' })).toBe(125_000 + 50_000)
  })

  test('of a whole response has all of it, whatever MaxReserve is', () => {
    expect(reserved('gpt-4o', { isStream: false }, { MaxReserve: '0' })).toBe(125 + 16_384 * 5)
  })

  test('has at least 4,096 tokens for each response, or what the model or its price row allows', () => {
    expect(reserved('gpt-4o', {}, { MaxReserve: '0' })).toBe(125 + 4_096 * 5)
    expect(reservation('gpt-4o', { choices: 3 }, { MaxReserve: '0' }).least).toBe(125 + 3 * 4_096 * 5)
    const short = reservation('gpt-4o', {}, { PriceRules: '{"gpt-4o":{"outputMax":100}}' })
    expect([short.amount, short.least, short.outputWithin(short.amount)]).toEqual([625, 625, 100])
  })

  test('has the dearest of the prices that its length can lead to', () => {
    const rule = { ratio: 1, completion: 1, outputMax: 10_000 }
    const falling = { PriceRules: JSON.stringify({ 'my-model': { ...rule, tiers: [{ aboveOutput: 1_000, ratio: 0.5 }] } }) }
    const rising = { PriceRules: JSON.stringify({ 'my-model': { ...rule, tiers: [{ aboveOutput: 1_000, ratio: 2 }] } }) }
    expect(reserved('my-model', {}, falling)).toBe(10_100)
    expect(reserved('my-model', {}, rising)).toBe(20_200)
  })

  test('counts the prompt towards the context of the model', () => {
    const long = reservation('gpt-4', { promptTokens: 5_000 })
    expect(long.outputWithin(long.amount)).toBe(8_192 - 5_500 - 64)
    const full = reservation('gpt-4', { promptTokens: 8_000 })
    expect(full.outputWithin(full.amount)).toBe(256)
    // The estimate of a long prompt is not exact: a limit of a few tokens would end a response that has room.
    const long200k = reservation('claude-haiku-4-5', { promptTokens: 199_000 })
    expect(long200k.outputWithin(long200k.amount)).toBe(4_096)
  })

  test('uses the price of audio for a spoken response', () => {
    const written = reservation('gpt-4o-audio-preview', { maxTokens: 1_000 })
    const spoken = reservation('gpt-4o-audio-preview', { maxTokens: 1_000, isSpoken: true })
    expect([written.amount, spoken.amount]).toEqual([125 + 1_000 * 5, 125 + 1_000 * 40])
  })

  test('is 0 for a free model, and then there is no limit', () => {
    const free = reservation('my-model', {}, { ModelRatio: '{"my-model":0}' })
    expect([free.amount, free.least, free.outputWithin(0)]).toEqual([0, 0, null])
    const byCall = reservation('gpt-4o', {}, { ModelPrice: '{"gpt-4o":0.01}' })
    expect([byCall.least, byCall.outputWithin(byCall.amount)]).toEqual([5_000, null])
  })

  test('is never negative nor more than a balance can hold, whatever is requested', () => {
    const count = fc.oneof(fc.nat(), fc.constantFrom(0, 1, Number.MAX_SAFE_INTEGER))
    const requests = fc.record({
      promptTokens: count,
      maxTokens: fc.option(count),
      choices: fc.integer({ min: 1, max: 128 }),
      images: count,
      characters: count,
      audioMs: count,
    })
    fc.assert(
      fc.property(fc.constantFrom('gpt-4o', 'gpt-5', 'dall-e-3', 'whisper-1', 'gpt-image-1', 'rerank-v3.5'), requests, (model, fields) => {
        const { amount, least } = reservation(model, fields)
        expect(Number.isSafeInteger(amount) && least >= 0 && least <= amount).toBe(true)
      }),
    )
  })
})

test('a price changes on its day, and a request that began before keeps the earlier one', () => {
  let now = Date.parse('2026-11-30T23:59:59Z')
  const prices = createPrices(() => settingsWith(), { nowMs: () => now })
  const inputPrice = (resolved: ResolvedPrice): number => {
    const usage = { ...noUsage, promptTokens: 1_000_000 }
    return quotaFor(countsOf(usage, resolved.price, true), resolved.ratesFor(usage))
  }
  const begun = prices.resolve('gemini-4-argon', 'default')
  expect(inputPrice(begun)).toBe(1_000_000)
  now = Date.parse('2026-12-01T00:00:00Z')
  expect(inputPrice(prices.resolve('gemini-4-argon', 'default'))).toBe(2_000_000)
  expect(inputPrice(begun)).toBe(1_000_000)
})
