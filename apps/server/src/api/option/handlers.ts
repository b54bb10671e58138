import { contract, messageText, options } from '@sluice/contract'
import type { Audit } from '../audit.ts'
import { implement, type Visit } from '../implement.ts'
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
    async update(change, caller, visit) {
      const { keptBack, isWaiting } = await store.save({
        ...change,
        by: caller,
        async alsoWrite(keys, tx) {
          // Only the key is logged: the value may be long or secret.
          for (const key of keys) await audit({ actor: caller, messageKey: 'log_option', params: { key } }, tx)
        },
      })
      changed()
      sayWhatFollows({ keptBack, isWaiting }, visit)
      return null
    },

    async waiting() {
      const { options: waiting, revision } = store.waiting()
      return { options: waiting.map(({ key, value }) => ({ key, value, is_secret: options[key].secret })), revision }
    },

    async confirm({ revision }, caller) {
      await store.confirm(revision, (keys, tx) =>
        audit({ actor: caller, messageKey: 'log_options_confirmed', params: { keys: keys.join(', ') } }, tx),
      )
      return null
    },
  })

/** Adds a message about the consequences of a saved option. */
function sayWhatFollows({ keptBack, isWaiting }: Awaited<ReturnType<SettingsStore['save']>>, { language, sayBeside }: Visit): void {
  const sentences = [
    ...(keptBack.length > 0 ? [messageText('option_secret_kept_back', { key: keptBack.join(', ') }, language)] : []),
    ...(isWaiting ? [messageText('option_waits', {}, language)] : []),
  ]
  if (sentences.length > 0) sayBeside({ message: sentences.join(' ') })
}
