import { contract } from '@sluice/contract'
import type { Audit } from '../audit.ts'
import { implement } from '../implement.ts'
import type { SettingsStore } from './settings.ts'

interface OptionDeps {
  readonly store: SettingsStore
  readonly audit: Audit
  /** Tells the rest of the process that options have changed. */
  readonly changed: () => void
}

export const optionApi = ({ store, audit, changed }: OptionDeps) =>
  implement(contract.option, {
    list: async () => [...store.texts()],
    async update({ key, value }, caller) {
      await store.save(key, value)
      changed()
      // The value may be long, and secret.
      await audit({ actor: caller, says: 'log_option', params: { key } })
      return null
    },
  })
