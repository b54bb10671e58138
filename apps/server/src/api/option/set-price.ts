import type { PriceChoice } from '@sluice/contract'
import { createMutex } from '../../lib/mutex.ts'
import type { Audit } from '../audit.ts'
import type { Caller } from '../implement.ts'
import type { SettingsStore } from './settings.ts'

export type SetPrice = (wanted: { readonly model: string; readonly price: PriceChoice; readonly by: Caller }) => Promise<void>

interface SetPriceDeps {
  readonly store: SettingsStore
  readonly audit: Audit
  /** Tells the rest of the process that options have changed. */
  readonly changed: () => void
}

/** Writes the price of one model into the option `PriceRules`, and replaces an earlier one. */
export function createSetPrice({ store, audit, changed }: SetPriceDeps): SetPrice {
  // One after another, because each writes the whole option.
  const alone = createMutex()
  return async ({ model, price, by }) => {
    const done = await alone.acquire()
    try {
      const rules = new Map<string, object>([...store.current().PriceRules, [model, price]])
      const alsoWrite = (_keys: readonly string[], tx: Parameters<Audit>[1]) =>
        audit({ actor: by, messageKey: 'log_model_price', params: { model, price: JSON.stringify(price) } }, tx)
      await store.save({ key: 'PriceRules', value: JSON.stringify(Object.fromEntries(rules)), by, alsoWrite })
    } finally {
      done()
    }
    changed()
  }
}
