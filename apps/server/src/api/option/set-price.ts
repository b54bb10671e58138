import type { PriceChoice } from '@sluice/contract'
import type { Audit } from '../audit.ts'
import type { Caller } from '../implement.ts'
import { optionChange } from './option-change.ts'
import type { SettingsStore } from './settings.ts'

export type SetPrice = (params: { readonly model: string; readonly price: PriceChoice; readonly by: Caller }) => Promise<void>

interface SetPriceDeps {
  readonly store: SettingsStore
  readonly audit: Audit
  /** Notifies the rest of the process that options have changed. */
  readonly changed: () => void
}

/** Writes the price of one model into the option `PriceRules`, and replaces an earlier one. */
export function createSetPrice({ store, audit, changed }: SetPriceDeps): SetPrice {
  return async ({ model, price, by }) => {
    await store.save({
      key: 'PriceRules',
      value: ({ PriceRules }) => JSON.stringify(Object.fromEntries(new Map<string, object>([...PriceRules, [model, price]]))),
      by,
      async alsoWrite(changes, tx) {
        const params = { model, price: JSON.stringify(price) }
        for (const stored of changes) await audit({ actor: by, messageKey: 'log_model_price', params, change: optionChange(stored) }, tx)
      },
    })
    changed()
  }
}
