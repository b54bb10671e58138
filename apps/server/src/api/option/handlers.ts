import { contract } from '@sluice/contract'
import { implement } from '../implement.ts'
import type { SettingsStore } from './settings.ts'

interface OptionDeps {
  readonly store: SettingsStore
  /** Tells the rest of the process that options have changed. */
  readonly changed: () => void
}

export const optionApi = ({ store, changed }: OptionDeps) =>
  implement(contract.option, {
    list: async () => [...store.texts()],
    async update({ key, value }) {
      await store.save(key, value)
      changed()
      return null
    },
  })
