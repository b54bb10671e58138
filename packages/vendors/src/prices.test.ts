import { describe, expect, test } from 'bun:test'
import { cheapCacheWrite, cheapOutput, freeModels, otherThanAlias, outsideBand } from '../test/odd-prices.ts'
import table from './prices.json' with { type: 'json' }
import { defaultPrice, type Price, type PriceRow } from './prices.ts'

const rows: ReadonlyArray<readonly [string, PriceRow]> = Object.entries<PriceRow>(table.models)
const byModel: ReadonlyMap<string, PriceRow> = new Map(rows)

/** The models whose row breaks a rule, beside those that may, in the order of the table. Both lists must be equal: no reason outlives its row. */
function breaking(isWrong: (price: PriceRow, model: string) => boolean): string[] {
  return rows.filter(([model, price]) => isWrong(price, model)).map(([model]) => model)
}

function namesOf(reasons: Readonly<Record<string, string>>): string[] {
  return Object.keys(reasons).toSorted()
}

function isWithin(value: number | undefined, least: number, most: number): boolean {
  return value === undefined || (value >= least && value <= most)
}

/** `2024-08-06`, `20240806`, `0806`, `08-06`, `08-2024` or `latest` at the end of a name, before what OpenRouter adds. */
const dated = /^(?<alias>.+?)[-@](?:\d{4}-\d{2}-\d{2}|\d{8}|\d{6}|\d{4}|\d{2}-\d{2}|\d{2}-\d{4}|latest)(?<variant>:\w+)?$/

function aliasOf(model: string): PriceRow | undefined {
  const { alias = '', variant = '' } = dated.exec(model)?.groups ?? {}
  return byModel.get(alias + variant)
}

function numbersOf({ source: _source, ...price }: PriceRow): Price {
  return price
}

describe('the table of prices', () => {
  test('gives a dated name the price of the name without the date, or says why not', () => {
    const different = breaking((price, model) => {
      const alias = aliasOf(model)
      return alias !== undefined && !Bun.deepEquals(numbersOf(price), numbersOf(alias))
    })
    expect(rows.filter(([model]) => aliasOf(model) !== undefined).length).toBeGreaterThan(100)
    expect(different.toSorted()).toEqual(namesOf(otherThanAlias))
  })

  test('keeps the price of input within what vendors ask, or says why not', () => {
    const free = breaking(({ ratio }, model) => ratio === 0 && !model.endsWith(':free'))
    expect(free.toSorted()).toEqual(namesOf(freeModels))
    // Half a cent to 40 dollars a million.
    expect(breaking(({ ratio }) => ratio !== 0 && !isWithin(ratio, 0.0025, 20)).toSorted()).toEqual(namesOf(outsideBand))
    // A long prompt costs more than a short one, and at most four times as much.
    expect(breaking(({ ratio = 0, tiers = [] }) => !tiers.every((tier) => isWithin(tier.ratio, ratio, ratio * 4.01)))).toEqual([])
  })

  test('keeps output between the price of input and twenty times as much, or says why not', () => {
    expect(breaking(({ completion }) => !isWithin(completion, 0, 20))).toEqual([])
    expect(breaking(({ completion = 1 }) => completion < 1).toSorted()).toEqual(namesOf(cheapOutput))
    expect(breaking(({ tiers = [] }) => tiers.some(({ completion = 1 }) => completion < 1))).toEqual([])
  })

  test('asks less for a cache that is read, and more for one that is written, or says why not', () => {
    expect(breaking(({ cached }) => cached !== undefined && !(cached > 0 && cached <= 1))).toEqual([])
    expect(breaking(({ cacheWrite = 1 }) => cacheWrite < 1).toSorted()).toEqual(namesOf(cheapCacheWrite))
    expect(breaking(({ cacheWrite, cacheWrite1h }) => !isWithin(cacheWrite, 0, 1.25) || !isWithin(cacheWrite1h, 1, 2))).toEqual([])
  })

  test('keeps sound and pictures within what vendors ask', () => {
    // In dollars a million: 0.10 to 200 for sound and pictures that come in, and as much again for what goes out.
    const perMillion = ({ ratio = 0 }: Price, factor: number): number => ratio * 2 * factor
    const isOdd = (price: Price, input: number | undefined, output: number | undefined): boolean =>
      input !== undefined && !(isWithin(perMillion(price, input), 0.1, 200) && isWithin(perMillion(price, input * (output ?? 1)), 0.1, 400))
    expect(breaking((price) => isOdd(price, price.audio, price.audioCompletion))).toEqual([])
    expect(breaking((price) => isOdd(price, price.image, price.imageCompletion))).toEqual([])
    expect(breaking(({ second }) => !isWithin(second, 1e-6, 0.01))).toEqual([])
    expect(breaking(({ character }) => !isWithin(character, 1e-6, 0.001))).toEqual([])
    expect(breaking(({ picture }) => !isWithin(picture, 1e-6, 0.5))).toEqual([])
    expect(breaking(({ call }) => !isWithin(call, 0.001, 0.1))).toEqual([])
  })

  test('keeps the factors of service tiers on their side of one', () => {
    expect(breaking(({ flex }) => !isWithin(flex, 0.25, 1))).toEqual([])
    expect(breaking(({ priority }) => !isWithin(priority, 1, 3))).toEqual([])
    expect(breaking(({ fast }) => !isWithin(fast, 1, 10))).toEqual([])
  })

  test('has the tier of priority for a model whose sibling for code has it', () => {
    const siblings = breaking(({ priority }, model) => priority === undefined && byModel.get(`${model}-codex`)?.priority !== undefined)
    const codex = breaking(
      ({ priority }, model) => priority === undefined && byModel.get(model.replace(/-codex$/, ''))?.priority !== undefined,
    )
    expect([...siblings, ...codex]).toEqual([])
  })

  test('has no row that no request can reach', () => {
    // Names are compared whole, and a channel lists them between commas.
    expect(breaking((_price, model) => !/^[^\s,*]{1,128}$/.test(model))).toEqual([])
    // A call alone is the price of a rerank; pictures have one of their own, and no route asks for music or video.
    expect(breaking(({ source: _source, ...price }, model) => Object.keys(price).join() === 'call' && !model.includes('rerank'))).toEqual(
      [],
    )
    // What a request calls `auto` is what the model does by itself, so nothing is looked up under that name.
    expect(
      breaking(({ pictures = {} }) => !Object.keys(pictures).every((key) => /^(?:(?:low|medium|high|hd) )?\d+x\d+$/.test(key))),
    ).toEqual([])
  })

  test('says of every row, and of the prices of tools, where its numbers are from and when they were read', () => {
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
  test('is there for every row of the table, with the tools of its vendor', () => {
    expect(rows.filter(([model]) => defaultPrice(model) === null)).toEqual([])
    expect(breaking(({ tools }) => tools !== undefined && !(tools in table.tools))).toEqual([])
    expect(defaultPrice('gpt-5')).toEqual({
      ratio: 0.625,
      completion: 8,
      cached: 0.1,
      flex: 0.5,
      priority: 2,
      search: 0.01,
      fileSearch: 0.0025,
      container: 0.03,
    })
    expect(defaultPrice('claude-sonnet-4-5')?.search).toBe(0.01)
  })

  test('says of every model what is paid', () => {
    const bases = ['ratio', 'second', 'picture', 'call'] as const
    expect(breaking((price) => bases.every((base) => price[base] === undefined))).toEqual([])
  })

  test('has only factors that are known', () => {
    const tokens = ['ratio', 'completion', 'cached', 'cacheWrite', 'cacheWrite1h', 'audio', 'audioCompletion', 'image', 'imageCompletion']
    const pieces = ['second', 'character', 'picture', 'pictures', 'pictureDefault', 'call', 'tools', 'source']
    const known = new Set([...tokens, ...pieces, 'tiers', 'flex', 'priority', 'fast'])
    const names = new Set(rows.flatMap(([, row]) => Object.keys(row)))
    expect([...names].filter((name) => !known.has(name))).toEqual([])
  })

  test('of pictures by size says which size is meant where none is named', () => {
    const sized = rows.filter(([, { pictures }]) => pictures !== undefined)
    expect(sized.length).toBeGreaterThan(5)
    expect(sized.filter(([, { pictures = {}, pictureDefault = '' }]) => pictures[pictureDefault] === undefined)).toEqual([])
  })

  test('of longer requests has steps that rise', () => {
    const stepped = rows.filter(([, { tiers }]) => tiers !== undefined)
    expect(stepped.length).toBeGreaterThan(20)
    for (const [, { tiers = [] }] of stepped) {
      const steps = tiers.map(({ above = 0 }) => above)
      expect(steps).toEqual(steps.toSorted((a, b) => a - b))
      expect(tiers.every(({ ratio, above = 0, aboveOutput = 0 }) => ratio !== undefined && above + aboveOutput > 0)).toBe(true)
    }
  })

  test('is not made up, not even for names that every object has', () => {
    for (const model of ['no-such-model', '', 'constructor', '__proto__', 'toString']) expect(defaultPrice(model)).toBeNull()
  })

  test('is what the vendor asks, for rows that were wrong', () => {
    const dollars = (model: string): readonly number[] => {
      const { ratio = 0, completion = 1 } = defaultPrice(model) ?? {}
      return [ratio * 2, Number((ratio * 2 * completion).toFixed(4))]
    }
    expect(dollars('mistralai/mixtral-8x7b-instruct-v0.1')).toEqual([0.3, 1])
    expect(dollars('anthropic/claude-3.5-sonnet-20240620')).toEqual([3, 15])
    expect(dollars('yi-34b-chat-200k').map((usd) => Math.round(usd * 7))).toEqual([12, 12])
    expect(dollars('gemini-1.5-pro')).toEqual([1.25, 5])
    expect(dollars('grok-3-mini')).toEqual(dollars('grok-4.3'))
    expect(dollars('deepseek-chat')).toEqual([0.28, 0.42])
    expect(defaultPrice('gpt-5.5-2026-04-23')?.tiers).toEqual([{ above: 272_000, ratio: 5, completion: 4.5 }])
    expect(defaultPrice('gpt-4o-realtime-preview-2024-12-17')).toMatchObject({ audio: 8, audioCompletion: 2 })
    expect(defaultPrice('gpt-4o-realtime-preview-2024-10-01')).toMatchObject({ audio: 20, audioCompletion: 2 })
    expect([defaultPrice('gpt-5.6')?.priority, defaultPrice('gpt-5.2-codex')?.priority]).toEqual([2, 2])
    for (const model of ['glm-asr-2512', 'gpt-4-gizmo-*', 'suno_music']) expect(defaultPrice(model)).toBeNull()
  })
})
