import { type PriceRule, parsePriceRules } from '@sluice/contract'
import { tryParseJson } from '../../lib/parse-json.ts'
import { createSharedValues } from '../../lib/shared-values.ts'
import { createTextTables, type TextTable } from '../../lib/text-tables.ts'

/** Tables of channels by their texts: channels with the same text have the same table. */
export interface ChannelTables {
  /** Requested model -> upstream model. */
  readonly mappingOf: (text: string) => TextTable<string>
  readonly costPricesOf: (text: string) => TextTable<PriceRule>
}

/** Rows that are kept, each of 100 to 200 bytes. Five thousand channels with two hundred rows each have as many. */
const keptRowsMax = 1_000_000

export function createChannelTables(): ChannelTables {
  const tableOf = createTextTables(keptRowsMax)
  return {
    mappingOf: createSharedValues((text) => tableOf(text, readMapping)),
    costPricesOf: createSharedValues((text) => tableOf(text, readCostPrices)),
  }
}

/** Mappings were checked when saved; an invalid one is treated as empty. */
function readMapping(text: string): ReadonlyMap<string, string> {
  const parsed = tryParseJson(text)
  if (typeof parsed !== 'object' || parsed === null) return new Map()
  return new Map(Object.entries(parsed).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
}

function readCostPrices(text: string): ReadonlyMap<string, PriceRule> {
  return parsePriceRules(text) ?? new Map()
}
