import { type OptionKey, priceFieldOptions, type Settings } from '@sluice/contract'
import { vendorByType } from '@sluice/vendors/list'
import { defaultPrice, pricedModels } from '@sluice/vendors/prices'
import { AppError } from '../../lib/app-error.ts'

type Field = keyof typeof priceFieldOptions

/** The field of a price that an option sets; `undefined` = none. */
function fieldOf(key: OptionKey): Field | undefined {
  const entries = Object.entries(priceFieldOptions)
  // Holds: the keys of the table are its fields.
  return entries.find(([, option]) => option === key)?.[0] as Field | undefined
}

/** The value of a model that the option does not name: from `PriceRules`, or else from the built-in price. */
function withoutOption(model: string, field: Field, { PriceRules, YuanPerDollar }: Settings): number | undefined {
  const { free, like, ...rule } = PriceRules.get(model) ?? {}
  if (free === true) return field === 'ratio' ? 0 : undefined
  const other = like === undefined ? undefined : (PriceRules.get(like)?.[field] ?? defaultPrice(like, YuanPerDollar)?.[field])
  return rule[field] ?? defaultPrice(model, YuanPerDollar)?.[field] ?? other
}

/** The whole effective table, as a form shows it; `null` = the option is shown as it is stored. */
export function shownTable(key: OptionKey, settings: Settings): string | null {
  const field = fieldOf(key)
  if (field === undefined) return null
  const set = settings[priceFieldOptions[field]]
  const models = new Set([...pricedModels, ...settings.PriceRules.keys(), ...set.keys()])
  const rows = [...models].map((model) => [model, set.get(model) ?? withoutOption(model, field, settings)] as const)
  return JSON.stringify(Object.fromEntries(rows.filter(([, value]) => value !== undefined)))
}

/**
 * The part of a table that is stored: models with changed values. So saving a table as it was shown changes nothing, a removed model gets
 * its built-in price again, and built-in prices of new versions apply.
 * @param parsed the parsed table; `null` is returned for an option that is stored as it was sent
 */
export function changedTable(key: OptionKey, parsed: unknown, settings: Settings): string | null {
  const field = fieldOf(key)
  if (field === undefined || !(parsed instanceof Map)) return null
  const rows: ReadonlyMap<string, number> = parsed
  return JSON.stringify(Object.fromEntries([...rows].filter(([model, value]) => value !== withoutOption(model, field, settings))))
}

/** @throws AppError ratio_type_unknown, if an option by channel type names a type that does not exist */
export function checkTypes(key: OptionKey, parsed: unknown): void {
  if (key !== 'ChannelTypeRatio' || !(parsed instanceof Map)) return
  const types: ReadonlyMap<string, unknown> = parsed
  const unknown = [...types.keys()].find((type) => String(Number(type)) !== type || vendorByType(Number(type)) === null)
  if (unknown !== undefined) throw new AppError('ratio_type_unknown', { params: { name: key, type: unknown } })
}
