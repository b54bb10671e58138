import { describe, expect, test } from 'bun:test'
import { cheapCacheWrite, cheapOutput, freeModels, otherThanAlias, outsideBand } from '../../../test/price-anomalies.ts'
import { vendors } from '../list.ts'
import table from './prices.json' with { type: 'json' }
import { defaultPrice, nextPriceChangeMs, type Price, type PriceRow, type PriceTerms, priceOfRow } from './prices.ts'

const terms: PriceTerms = { yuanPerDollar: 7, nowMs: Date.parse('2026-11-23') }
const written: ReadonlyArray<readonly [string, PriceRow]> = Object.entries<PriceRow>(table.models)
/** The rows in dollars, once for each price that a model has in the course of time. */
const rows = written.flatMap(([model, row]) =>
  [terms.nowMs, ...Object.keys(row.from ?? {}).map((day) => Date.parse(day))].map((nowMs): readonly [string, PriceRow] => [
    model,
    { ...priceOfRow(row, { ...terms, nowMs }), source: row.source, ...(row.tools !== undefined && { tools: row.tools }) },
  ]),
)
const byName: ReadonlyMap<string, PriceRow> = new Map(written)
const byModel: ReadonlyMap<string, PriceRow> = new Map(rows)

/** The models whose row breaks a rule. The list of exceptions must equal it, so that an exception without its row fails too. */
function breaking(isWrong: (price: PriceRow, model: string) => boolean): string[] {
  return rows.filter(([model, price]) => isWrong(price, model)).map(([model]) => model)
}

function namesOf(reasons: Readonly<Record<string, string>>): string[] {
  return Object.keys(reasons).toSorted()
}

function isWithin(value: number | undefined, least: number, most: number): boolean {
  return value === undefined || (value >= least && value <= most)
}

/** `2024-08-06`, `20240806`, `0806`, `08-06`, `08-2024` or `latest` at the end of a name, before OpenRouter's variant. */
const dated = /^(?<alias>.+?)[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{4}|\d{2}-\d{2}|\d{2}-\d{4}|latest)(?<variant>:\w+)?$/

function aliasOf(model: string): PriceRow | undefined {
  const { alias = '', variant = '' } = dated.exec(model)?.groups ?? {}
  return byModel.get(alias + variant)
}

function numbersOf({ source: _source, ...price }: PriceRow): Price {
  return price
}

describe('the table of prices', () => {
  test('gives a dated name the price of the name without the date, or has a reason why not', () => {
    const different = breaking((price, model) => {
      const alias = aliasOf(model)
      return alias !== undefined && !Bun.deepEquals(numbersOf(price), numbersOf(alias))
    })
    expect(rows.filter(([model]) => aliasOf(model) !== undefined).length).toBeGreaterThan(100)
    expect(different.toSorted()).toEqual(namesOf(otherThanAlias))
  })

  test('has input prices in the usual range, or a reason why not', () => {
    const free = breaking(({ ratio }, model) => ratio === 0 && !model.endsWith(':free'))
    expect(free.toSorted()).toEqual(namesOf(freeModels))
    // 0.5 cents to 40 dollars per million.
    expect(breaking(({ ratio }) => ratio !== 0 && !isWithin(ratio, 0.0025, 20)).toSorted()).toEqual(namesOf(outsideBand))
    // A long prompt costs more than a short one, and at most eight times as much (Qwen Flash).
    expect(breaking(({ ratio = 0, tiers = [] }) => !tiers.every((tier) => isWithin(tier.ratio, ratio, ratio * 8.01)))).toEqual([])
  })

  test('has output prices of 1 to 20 times the input price, or a reason why not', () => {
    expect(breaking(({ completion }) => !isWithin(completion, 0, 20))).toEqual([])
    expect(breaking(({ completion = 1 }) => completion < 1).toSorted()).toEqual(namesOf(cheapOutput))
    expect(breaking(({ tiers = [] }) => tiers.some(({ completion = 1 }) => completion < 1))).toEqual([])
    // A response with reasoning costs more than one without, or the same.
    expect(breaking(({ completion = 1, thinking }) => !isWithin(thinking, completion, 20))).toEqual([])
    expect(breaking(({ tiers = [] }) => tiers.some(({ completion = 1, thinking }) => !isWithin(thinking, completion, 20)))).toEqual([])
  })

  test('has cache reads below the input price and cache writes above it, or a reason why not', () => {
    expect(breaking(({ cached }) => cached !== undefined && !(cached > 0 && cached <= 1))).toEqual([])
    expect(breaking(({ cached = 1, cachedExplicit }) => !isWithin(cachedExplicit, 0.01, cached))).toEqual([])
    expect(breaking(({ cacheWrite = 1 }) => cacheWrite < 1).toSorted()).toEqual(namesOf(cheapCacheWrite))
    expect(breaking(({ cacheWrite, cacheWrite1h }) => !isWithin(cacheWrite, 0, 1.25) || !isWithin(cacheWrite1h, 1, 2))).toEqual([])
  })

  test('has prices of audio and images in the usual range', () => {
    // Dollars per million tokens: 0.10 to 200 for input of audio and images, 0.10 to 400 for output.
    const perMillion = ({ ratio = 0 }: Price, factor: number): number => ratio * 2 * factor
    const isOdd = (price: Price, input: number | undefined, output: number | undefined): boolean =>
      input !== undefined && !(isWithin(perMillion(price, input), 0.1, 200) && isWithin(perMillion(price, input * (output ?? 1)), 0.1, 400))
    expect(breaking((price) => isOdd(price, price.audio, price.audioCompletion))).toEqual([])
    expect(breaking((price) => isOdd(price, price.image, price.imageCompletion))).toEqual([])
    expect(breaking(({ second }) => !isWithin(second, 1e-6, 0.01))).toEqual([])
    // OpenRouter lists 0.60 dollars for a million characters of GPT-4o Mini TTS.
    expect(breaking(({ character }) => !isWithin(character, 5e-7, 0.001))).toEqual([])
    expect(breaking(({ picture: image }) => !isWithin(image, 1e-6, 0.5))).toEqual([])
    // A moderation of Zhipu costs 1.2 yuan for 10,000.
    expect(breaking(({ call }) => !isWithin(call, 0.00001, 0.5))).toEqual([])
  })

  test('has factors of at most 1 for flex and batches of vendors, and of at least 1 for priority and fast', () => {
    expect(breaking(({ flex }) => !isWithin(flex, 0.25, 1))).toEqual([])
    expect(breaking(({ priority }) => !isWithin(priority, 1, 3))).toEqual([])
    expect(breaking(({ fast }) => !isWithin(fast, 1, 10))).toEqual([])
    expect(breaking(({ ultrafast }) => !isWithin(ultrafast, 2, 6))).toEqual([])
    expect(vendors.filter(({ batches }) => !isWithin(batches?.factor, 0.25, 1)).map(({ type }) => type)).toEqual([])
  })

  test('has a priority price for a model if its codex sibling has one, and the reverse', () => {
    const siblings = breaking(({ priority }, model) => priority === undefined && byModel.get(`${model}-codex`)?.priority !== undefined)
    const codex = breaking(
      ({ priority }, model) => priority === undefined && byModel.get(model.replace(/-codex$/, ''))?.priority !== undefined,
    )
    expect([...siblings, ...codex]).toEqual([])
  })

  test('has no row that no request can reach', () => {
    // Names are compared as a whole, and a channel separates them by commas.
    expect(breaking((_price, model) => !/^[^\s,*]{1,128}$/.test(model))).toEqual([])
    // Only reranks, moderations, songs and some videos are priced by the call alone: images have their own price, most videos are priced by the second.
    expect(
      breaking(
        ({ source: _source, ...price }, model) =>
          Object.keys(price).join() === 'call' && !/rerank|moderation|suno_|lyria|cogvideox/.test(model),
      ),
    ).toEqual([])
    // `auto` in a request means the model's default, so it is never looked up. Videos are named by their shorter side.
    const isSize = ({ video, credit }: PriceRow, key: string): boolean =>
      (video ?? credit) === undefined ? /^(?:(?:low|medium|high|hd) )?\d+x\d+$/.test(key) : /^(?:(?:silent|\d+s) )?(?:\d+p|4k)$/.test(key)
    expect(breaking((price) => !Object.keys(price.pictures ?? {}).every((key) => isSize(price, key)))).toEqual([])
  })

  test('has a source and a date for every row and for the prices of tools', () => {
    const sources: ReadonlyMap<string, { readonly name: string; readonly date: string }> = new Map(Object.entries(table.sources))
    const tools = Object.entries<PriceRow>(table.tools)
    const isKnown = ({ source }: PriceRow): boolean => source.length > 0 && source.every((key) => sources.has(key))
    expect([...rows, ...tools].filter(([, row]) => !isKnown(row))).toEqual([])
    const used = new Set([...rows, ...tools].flatMap(([, { source }]) => source))
    expect([...sources.keys()].filter((key) => !used.has(key))).toEqual([])
    for (const { name, date } of sources.values()) {
      expect(name.length).toBeGreaterThan(10)
      expect(date).toMatch(/^202[4-6]-\d{2}-\d{2}$/)
    }
  })
})

describe('a price', () => {
  test('exists for every row of the table, with the tools of its vendor', () => {
    expect(rows.filter(([model]) => defaultPrice(model, terms) === null)).toEqual([])
    expect(breaking(({ tools }) => tools !== undefined && !(tools in table.tools))).toEqual([])
    expect(defaultPrice('gpt-5', terms)).toEqual({
      ratio: 0.625,
      completion: 8,
      cached: 0.1,
      flex: 0.5,
      priority: 2,
      search: 0.01,
      fileSearch: 0.0025,
      container: 0.03,
    })
    expect(defaultPrice('claude-sonnet-4-5', terms)?.search).toBe(0.01)
  })

  test('has a base for every model: tokens, seconds, characters, images, calls or credits', () => {
    const bases = ['ratio', 'second', 'character', 'picture', 'call', 'video', 'credit'] as const
    expect(breaking((price) => bases.every((base) => price[base] === undefined))).toEqual([])
  })

  test('has only known fields', () => {
    const outputs = ['completion', 'thinking', 'mediaCompletion', 'spokenCompletion']
    const tokens = ['ratio', ...outputs, 'cached', 'cachedExplicit', 'cacheWrite', 'cacheWrite1h', 'audio', 'audioCompletion']
    const pieces = [
      'image',
      'imageCompletion',
      'second',
      'audioSecond',
      'character',
      'picture',
      'pictures',
      'pictureDefault',
      'call',
      'video',
      'credit',
      'tools',
      'source',
    ]
    const known = new Set([...tokens, ...pieces, 'search', 'tiers', 'flex', 'priority', 'fast', 'ultrafast', 'regional'])
    const names = new Set(rows.flatMap(([, row]) => Object.keys(row)))
    expect([...names].filter((name) => !known.has(name))).toEqual([])
  })

  test('by image size has a default size', () => {
    const sized = rows.filter(([, { pictures: images }]) => images !== undefined)
    expect(sized.length).toBeGreaterThan(5)
    expect(sized.filter(([, { pictures: images = {}, pictureDefault: imageDefault = '' }]) => images[imageDefault] === undefined)).toEqual(
      [],
    )
  })

  test('by request length has ascending tiers', () => {
    const stepped = rows.filter(([, { tiers }]) => tiers !== undefined)
    expect(stepped.length).toBeGreaterThan(20)
    for (const [, { tiers = [] }] of stepped) {
      const steps = tiers.map(({ above = 0 }) => above)
      expect(steps).toEqual(steps.toSorted((a, b) => a - b))
      expect(tiers.every(({ ratio, above = 0, aboveOutput = 0 }) => ratio !== undefined && above + aboveOutput > 0)).toBe(true)
    }
  })

  test('exists for every model of every vendor, as the relay looks it up', () => {
    const unpriced = vendors.flatMap(({ name, models: { names: models } }) =>
      models.filter((model) => defaultPrice(model, terms) === null).map((model) => [name, model]),
    )
    expect(unpriced).toEqual([])
  })

  test('is null for unknown names, also for names that every object has', () => {
    for (const model of ['no-such-model', '', 'constructor', '__proto__', 'toString']) expect(defaultPrice(model, terms)).toBeNull()
  })

  test('changes at the beginning of its day in UTC, and keeps all else', () => {
    const inputAt = (model: string, time: string): unknown => {
      const { ratio, ...others } = defaultPrice(model, { ...terms, nowMs: Date.parse(time) }) ?? {}
      return [ratio, others]
    }
    const argon = { completion: 5, cached: 0.05, search: 0.014 }
    expect(inputAt('gemini-4-argon', '2026-11-30T23:59:59.999Z')).toEqual([1, argon])
    expect(inputAt('gemini-4-argon', '2026-12-01T00:00:00.000Z')).toEqual([2, argon])
    const flash = { completion: 5, cached: 0.1, search: 0.014 }
    expect(inputAt('gemini-3.8-flash', '2026-12-31T23:59:59.999Z')).toEqual([0.375, flash])
    expect(inputAt('gemini-3.8-flash', '2027-01-01T00:00:00.000Z')).toEqual([0.75, flash])
    expect(nextPriceChangeMs(Date.parse('2026-11-23'))).toBe(Date.parse('2026-12-01'))
    expect(nextPriceChangeMs(Date.parse('2026-12-01'))).toBe(Date.parse('2027-01-01'))
    expect(nextPriceChangeMs(Date.parse('2999-01-01'))).toBe(Number.POSITIVE_INFINITY)
  })

  test('may change several times, in yuan too', () => {
    const row: PriceRow = {
      source: [],
      yuan: { input: 7, output: 14 },
      flex: 0.5,
      from: { '2027-02-01': { flex: 0.25 }, '2027-01-01': { yuan: { input: 14, output: 42 } } },
    }
    const at = (time: string): Price => priceOfRow(row, { ...terms, nowMs: Date.parse(time) })
    expect([at('2026-12-31'), at('2027-01-01'), at('2027-02-01')]).toEqual([
      { ratio: 0.5, completion: 2, flex: 0.5 },
      { ratio: 1, completion: 3, flex: 0.5 },
      { ratio: 1, completion: 3, flex: 0.25 },
    ])
  })

  test('names the days on which it changes as days that exist', () => {
    const days = written.flatMap(([, { from = {} }]) => Object.keys(from))
    expect(days.length).toBeGreaterThan(4)
    expect(days.filter((day) => !/^20\d\d-\d\d-\d\d$/.test(day) || new Date(day).toISOString().slice(0, 10) !== day)).toEqual([])
  })

  test('in yuan is converted by the rate, rounded to eight digits', () => {
    expect(defaultPrice('kimi-k3', terms)).toEqual({ ratio: 1.4285714, completion: 5, cached: 0.1, search: 0.0042857143 })
    expect(defaultPrice('kimi-k3', { ...terms, yuanPerDollar: 6 })).toMatchObject({ ratio: 1.6666667, search: 0.005 })
    expect(defaultPrice('glm-5', { ...terms, yuanPerDollar: 8 })).toEqual({
      ratio: 0.25,
      completion: 4.5,
      cached: 0.25,
      search: 0.00625,
      tiers: [{ above: 32_000, ratio: 0.375, completion: 3.6666667, cached: 0.25 }],
    })
    expect(defaultPrice('doubao-embedding-vision', terms)).toEqual({ ratio: 0.05, completion: 1, image: 2.5714286 })
    const pieces = { source: [], flex: 0.5, yuan: { picture: 0.2, second: 0.0007, character: 0.0002, call: 0.01 } }
    expect(priceOfRow(pieces, { ...terms, yuanPerDollar: 8 })).toEqual({
      flex: 0.5,
      picture: 0.025,
      second: 0.0000875,
      character: 0.000025,
      call: 0.00125,
    })
  })

  test('of a cache that a client of Alibaba writes is a quarter more than that of the input, and of its hits a tenth', () => {
    for (const model of ['qwen-plus', 'qwen3-max', 'qwen3.7-flash', 'deepseek-v3.2'])
      expect([model, defaultPrice(model, terms)]).toEqual([
        model,
        expect.objectContaining({ cached: 0.2, cachedExplicit: 0.1, cacheWrite: 1.25, search: 0.00057142857 }),
      ])
  })

  test('of Alibaba rises with the length of the input', () => {
    const atLength = (model: string): readonly (readonly (number | undefined)[])[] =>
      (byName.get(model)?.yuan?.tiers ?? []).map(({ above, input, output, cached }) => [above, input, output, cached])
    expect(atLength('qwen-plus')).toEqual([
      [131_072, 2.4, 20, 0.48],
      [262_144, 4.8, 48, 0.96],
    ])
    expect(atLength('qwen-flash').at(-1)).toEqual([262_144, 1.2, 12, 0.24])
    expect(atLength('qwen3-max')).toEqual([
      [32_768, 4, 16, 0.8],
      [131_072, 7, 28, 1.4],
    ])
  })

  test.each([
    ['gemini-2.5-pro', 'gemini-3.8-flash'],
    ['gemini-2.5-flash', 'gemini-3.5-flash-lite'],
  ])('of %s is that of %s from the day on when Google lets that one response', (model, other) => {
    for (const day of ['2026-12-01', '2027-01-01']) {
      const { tiers = [], audio = 1, ...price } = defaultPrice(model, { ...terms, nowMs: Date.parse(day) }) ?? {}
      expect([price, tiers, audio]).toEqual([defaultPrice(other, { ...terms, nowMs: Date.parse(day) }) ?? {}, [], 1])
    }
  })

  test('of what is read from a cache is what the vendor lists', () => {
    const cached = ['mistral-medium-latest', 'codestral-2508', 'qwen/qwen3.8-27b', 'deepseek-ai/DeepSeek-V4.1-Flash']
    expect(cached.map((model) => defaultPrice(model, terms)?.cached)).toEqual([0.1, 0.1, 0.5, 0.02])
  })

  test('in yuan is as the vendors list it', () => {
    const inYuan = (model: string): readonly (number | undefined)[] => {
      const { input, output, cached } = byName.get(model)?.yuan ?? {}
      return [input, output, cached]
    }
    expect(inYuan('step-5-preview')).toEqual([7, 20, 0.35])
    expect(inYuan('step-3.7-flash')).toEqual([1.35, 8.1, 0.27])
    expect(inYuan('kimi-k3')).toEqual([20, 100, 2])
    expect(inYuan('hy4')).toEqual([6, 18, 0.3])
    expect(inYuan('qwen-flash')).toEqual([0.15, 1.5, 0.03])
    expect(inYuan('qwen3.8-max')).toEqual([12, 36, 1.5])
    expect(inYuan('deepseek-v4.1-flash')).toEqual([2, 8, 0.1])
    expect(inYuan('qwen3-vl-32b-thinking')).toEqual([2, 20, undefined])
    expect(inYuan('Baichuan3-Turbo')).toEqual([12, 12, undefined])
    expect(inYuan('Baichuan4-Air')).toEqual([0.98, 0.98, undefined])
    expect(inYuan('yi-lightning')).toEqual([0.99, 0.99, undefined])
    expect(inYuan('yi-34b-chat-200k')).toEqual([12, 12, undefined])
  })

  test('in yuan has no money beside it in dollars, and numbers as short as those of a page', () => {
    const inYuan = written.filter(([, { yuan }]) => yuan !== undefined)
    expect(inYuan.length).toBeGreaterThan(300)
    for (const [model, { yuan = {}, source: _source, tools: _tools, ...beside }] of inYuan) {
      expect([
        model,
        Object.keys(beside).filter((field) => !['flex', 'priority', 'pictures', 'pictureDefault', 'cachedExplicit'].includes(field)),
      ]).toEqual([model, []])
      const { tiers = [], ...first } = yuan
      const known = [
        'above',
        'aboveOutput',
        'input',
        'output',
        'thinking',
        'cached',
        'cacheWrite',
        'cacheWrite1h',
        'image',
        'audio',
        'audioOutput',
        'mediaOutput',
        'spokenOutput',
        'second',
        'character',
        'picture',
        'video',
        'credit',
        'call',
      ]
      const names = [first, ...tiers].flatMap((fields) => Object.keys(fields))
      expect([model, names.filter((name) => !known.includes(name))]).toEqual([model, []])
      // What is written to a cache is listed as a share of the input.
      const numbers = [first, ...tiers].flatMap(({ cacheWrite: _share, ...fields }) => Object.values(fields))
      expect([model, numbers.filter((value) => Number(value.toPrecision(3)) !== value && !Number.isInteger(value))]).toEqual([model, []])
    }
  })

  test('is the price of the vendor, for rows that were once wrong', () => {
    const dollars = (model: string): readonly number[] => {
      const { ratio = 0, completion = 1 } = defaultPrice(model, terms) ?? {}
      return [ratio * 2, Number((ratio * 2 * completion).toFixed(4))]
    }
    expect(dollars('mistralai/mixtral-8x7b-instruct-v0.1')).toEqual([0.3, 1])
    expect(dollars('anthropic/claude-3.5-sonnet-20240620')).toEqual([3, 15])
    expect(dollars('gemini-1.5-pro')).toEqual([1.25, 5])
    expect(dollars('grok-3-mini')).toEqual(dollars('grok-4.3'))
    expect([dollars('claude-sonnet-5'), dollars('claude-opus-5-5'), dollars('claude-haiku-5-5')]).toEqual([
      [2, 10],
      [4, 20],
      [0.1, 0.5],
    ])
    expect(dollars('deepseek-chat')).toEqual([0.28, 0.42])
    expect(defaultPrice('gpt-5.5-2026-04-23', terms)?.tiers).toEqual([{ above: 272_000, ratio: 5, completion: 4.5 }])
    expect(defaultPrice('gpt-4o-realtime-preview-2024-12-17', terms)).toMatchObject({ audio: 8, audioCompletion: 2 })
    expect(defaultPrice('gpt-4o-realtime-preview-2024-10-01', terms)).toMatchObject({ audio: 20, audioCompletion: 2 })
    expect([defaultPrice('gpt-5.6', terms)?.priority, defaultPrice('gpt-5.2-codex', terms)?.priority]).toEqual([2, 2])
    for (const model of ['glm-asr', 'gpt-4-gizmo-*']) expect(defaultPrice(model, terms)).toBeNull()
  })
})
