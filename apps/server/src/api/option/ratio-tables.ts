import { type OptionKey, priceFieldOptions, type Settings } from '@sluice/contract'
import { vendorByType } from '@sluice/vendors/registry/list'
import { defaultPrice, pricedModels } from '@sluice/vendors/registry/models/prices'
import { AppError } from '../../lib/app-error.ts'

type Field = keyof typeof priceFieldOptions

/** The field of a price that an option sets; `undefined` = none. */
function fieldOf(key: OptionKey): Field | undefined {
  const entries = Object.entries(priceFieldOptions)
  // Holds: the keys of the table are its fields.
  return entries.find(([, option]) => option === key)?.[0] as Field | undefined
}

/** What the tables in force depend on. */
interface TableBasis {
  readonly settings: Settings
  readonly nowMs: number
}

/** The value of a model that the option does not name: from `PriceRules`, or else from the built-in price. */
function withoutOption(model: string, field: Field, { settings, nowMs }: TableBasis): number | undefined {
  const { PriceRules, YuanPerDollar: yuanPerDollar } = settings
  const builtIn = (name: string): number | undefined => defaultPrice(name, { yuanPerDollar, nowMs })?.[field]
  const { free, like, ...rule } = PriceRules.get(model) ?? {}
  if (free === true) return field === 'ratio' ? 0 : undefined
  const other = like === undefined ? undefined : (PriceRules.get(like)?.[field] ?? builtIn(like))
  return rule[field] ?? builtIn(model) ?? other
}

/** The whole effective table, as a form shows it; `null` = the option is shown as it is stored. */
export function effectiveTable(key: OptionKey, basis: TableBasis): string | null {
  const field = fieldOf(key)
  if (field === undefined) return null
  const set = basis.settings[priceFieldOptions[field]]
  const models = new Set([...pricedModels, ...basis.settings.PriceRules.keys(), ...set.keys()])
  const rows = [...models].map((model) => [model, set.get(model) ?? withoutOption(model, field, basis)] as const)
  return JSON.stringify(Object.fromEntries(rows.filter(([, value]) => value !== undefined)))
}

/**
 * The part of a table that is stored: models with changed values. So saving a table as it was shown changes nothing, a removed model gets
 * its built-in price again, and built-in prices of new versions apply.
 * @param parsed the parsed table; `null` is returned for an option that is stored as it was sent
 */
export function changedTable(key: OptionKey, parsed: unknown, basis: TableBasis): string | null {
  const field = fieldOf(key)
  if (field === undefined || !(parsed instanceof Map)) return null
  const rows: ReadonlyMap<string, number> = parsed
  return JSON.stringify(Object.fromEntries([...rows].filter(([model, value]) => value !== withoutOption(model, field, basis))))
}

/** @throws AppError ratio_type_unknown, if an option by channel type names a type that does not exist */
export function checkTypes(key: OptionKey, parsed: unknown): void {
  if (key !== 'ChannelTypeRatio' || !(parsed instanceof Map)) return
  const types: ReadonlyMap<string, unknown> = parsed
  const unknown = [...types.keys()].find((type) => String(Number(type)) !== type || vendorByType(Number(type)) === null)
  if (unknown !== undefined) throw new AppError('ratio_type_unknown', { params: { name: key, type: unknown } })
}
