import { type OptionKey, priceFieldOptions, type Settings } from '@sluice/contract'
import { defaultPrice, pricedModels } from '@sluice/vendors/prices'

type Field = keyof typeof priceFieldOptions

/** The field of a price that an option sets; `undefined`: it sets none. */
function fieldOf(key: OptionKey): Field | undefined {
  const entries = Object.entries(priceFieldOptions)
  // Holds: the keys of the table are its fields.
  return entries.find(([, option]) => option === key)?.[0] as Field | undefined
}

/** What a model has where the option does not name it: the built-in price, and what `PriceRules` says instead. */
function withoutOption(model: string, field: Field, { PriceRules }: Settings): number | undefined {
  const { free, like, ...rule } = PriceRules.get(model) ?? {}
  if (free === true) return field === 'ratio' ? 0 : undefined
  const other = like === undefined ? undefined : (PriceRules.get(like)?.[field] ?? defaultPrice(like)?.[field])
  return rule[field] ?? defaultPrice(model)?.[field] ?? other
}

/** The whole table that is in force, as a form shows it; `null`: the option is shown as it is stored. */
export function shownTable(key: OptionKey, settings: Settings): string | null {
  const field = fieldOf(key)
  if (field === undefined) return null
  const set = settings[priceFieldOptions[field]]
  const models = new Set([...pricedModels, ...settings.PriceRules.keys(), ...set.keys()])
  const rows = [...models].map((model) => [model, set.get(model) ?? withoutOption(model, field, settings)] as const)
  return JSON.stringify(Object.fromEntries(rows.filter(([, value]) => value !== undefined)))
}

/**
 * What of a table is stored: the models that it changes. So a table that is saved as it was shown changes nothing, a model that was taken
 * out of it has its built-in price again, and the built-in prices of a new version arrive.
 * @param parsed what the option has read; `null` is returned for an option that is stored as it came
 */
export function changedTable(key: OptionKey, parsed: unknown, settings: Settings): string | null {
  const field = fieldOf(key)
  if (field === undefined || !(parsed instanceof Map)) return null
  const rows: ReadonlyMap<string, number> = parsed
  return JSON.stringify(Object.fromEntries([...rows].filter(([model, value]) => value !== withoutOption(model, field, settings))))
}
