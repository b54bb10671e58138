import {
  contract,
  credentialScope,
  isOptionKey,
  messageText,
  type OptionKey,
  options,
  type Settings,
  type UnreadableCounts,
} from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import type { Audit } from '../audit.ts'
import { mayVouch, setterRole } from '../authorize.ts'
import { listChanges } from '../change-queries.ts'
import { type Caller, implement, type Visit } from '../implement.ts'
import { needScope } from '../need-scope.ts'
import { needsOwnFactor } from './approval.ts'
import { lastChanges } from './last-changes.ts'
import { optionChange, type StoredChange } from './option-change.ts'
import { emailOf } from './queries.ts'
import type { SettingsStore } from './settings.ts'

interface Message {
  readonly title: string
  readonly text: string
}

interface OptionDeps {
  readonly db: Db
  readonly store: SettingsStore
  readonly audit: Audit
  /** Notifies the rest of the process that options have changed. */
  readonly changed: () => void
  /** Whether the account has two-factor authentication. */
  readonly hasSecondStep: (userId: number) => Promise<boolean>
  /** Whether the management API responds at every host name. */
  readonly isUnchecked: () => boolean
  /** The names of the services whose logins need a public address that is not set. */
  readonly loginsWithoutAddress: (settings: Settings) => readonly string[]
  readonly texts: {
    /** Refuses a public text that cannot be rendered. @throws AppError option_value_invalid */
    check(key: OptionKey, text: string): Promise<void>
    /** Renders a text as visitors get a public one. */
    preview(job: { readonly kind: 'markdown' | 'page' | 'html'; readonly text: string }): Promise<string>
    stored(job: { readonly kind: 'markdown'; readonly text: string }): Promise<{ readonly html: string }>
  }
  /** Raw proxies that forward everything. */
  /** Values that cannot be read with the present master key, as they were counted last. */
  readonly unreadable: () => UnreadableCounts
  readonly openProxies: () => Promise<{ id: number; name: string }[]>
  /** @throws AppError send_throttled */
  readonly countMail: (email: string) => Promise<void>
  readonly mailer: {
    isSet(): boolean
    send(mail: { readonly to: string; readonly subject: string; readonly text: string }): Promise<void>
  }
  readonly pusher: {
    isSet(): boolean
    send(message: Message): Promise<void>
  }
  readonly releases: {
    isSet(): boolean
    latest(): Promise<{ readonly tag: string; readonly notes: string }>
  }
}

export const optionApi = (deps: OptionDeps) => {
  const { db, store, audit, mailer, pusher, releases } = deps

  /** @throws AppError option_value_invalid, option_needs_own_factor */
  async function checkChange({ key, value }: { readonly key: OptionKey; readonly value: string }, caller: Caller): Promise<void> {
    if (needsOwnFactor(key, value, caller) && !(await deps.hasSecondStep(caller.id)))
      throw new AppError('option_needs_own_factor', { params: { name: key } })
    await deps.texts.check(key, value)
  }

  return implement(contract.option, {
    list: async () => [...store.texts()],
    async update(change, caller, visit) {
      if (contract.option.update.credentialParts.includes(change.key)) needScope(caller, credentialScope)
      const by = { ...caller, role: setterRole(caller) }
      if (isOptionKey(change.key)) await checkChange({ ...change, key: change.key }, by)
      const { keptBack, isWaiting, isPending } = await store.save({
        ...{ ...change, by },
        async alsoWrite(changes, tx) {
          for (const stored of changes) await audit({ actor: caller, ...savedEvent(stored) }, tx)
        },
      })
      deps.changed()
      addSaveWarnings({ keptBack, isWaiting, isPending }, visit)
      return { kept_back: [...keptBack], waits: isWaiting, is_pending: isPending }
    },

    unreadable: async () => deps.unreadable(),

    async details(_input, caller) {
      const [changes, unreadable] = await Promise.all([lastChanges(db), store.unreadable()])
      const rows = store.details().map(({ key, isSet, isKeptBack, isWaiting, pending }) => {
        const { by = '', at = 0 } = changes.get(key) ?? {}
        const isShown = pending !== null && (pending.by === caller.id || mayVouch(caller))
        return {
          ...{
            key,
            is_set: isSet,
            is_kept_back: isKeptBack,
            is_unreadable: unreadable.includes(key),
            waits: isWaiting,
            changed_by: by,
            changed_at: at,
          },
          ...{ is_pending: pending !== null, pending_value: isShown ? pending.text : '' },
        }
      })
      return { options: rows, has_release_feed: releases.isSet() }
    },

    history: async ({ key }) => await listChanges(db, { noun: 'option', target: key }),

    preview: (params) => deps.texts.preview(params),

    async testMail(_input, { id, username: actor }, { language }) {
      const to = await emailOf(db, id)
      if (to === '') throw new AppError('mail_own_missing')
      if (!mailer.isSet()) throw new AppError('mail_not_set')
      await deps.countMail(to)
      const params = { system: store.current().SystemName, actor }
      const text = messageText('mail_test_text', params, language)
      await mailer.send({ to, subject: messageText('mail_test_subject', params, language), text }).catch(withSmtpCode)
      return to
    },

    async testPusher(_input, { username: actor }, { language }) {
      if (!pusher.isSet()) throw new AppError('pusher_not_set')
      const params = { system: store.current().SystemName, actor }
      await pusher.send({ title: messageText('push_test_title', params, language), text: messageText('push_test_text', params, language) })
      return null
    },

    async release() {
      const { tag, notes } = await releases.latest()
      return { tag_name: tag, body: (await deps.texts.stored({ kind: 'markdown', text: notes })).html }
    },

    async waiting() {
      const { options: waiting, revision } = store.waiting()
      const rows = waiting.map(({ key, value, isPending, inForce }) => ({
        ...{ key, value, is_secret: options[key].secret },
        ...{ is_pending: isPending, in_force: inForce },
      }))
      return {
        ...{ options: rows, revision, answers_any_host: deps.isUnchecked(), open_proxies: await deps.openProxies() },
        logins_without_address: [...deps.loginsWithoutAddress(store.current())],
      }
    },

    async confirm({ revision }, caller) {
      await store.confirm(revision, async (confirmed, tx) => {
        const keys = confirmed.map(({ key }) => key).join(', ')
        await audit({ actor: caller, messageKey: 'log_options_confirmed', params: { keys } }, tx)
        for (const stored of confirmed) if (stored.before !== stored.after) await audit({ actor: caller, ...savedEvent(stored) }, tx)
      })
      deps.changed()
      return null
    },

    async reject(rejected, caller) {
      await store.reject(rejected, (_changes, tx) =>
        audit({ actor: caller, messageKey: 'log_option_rejected', params: { key: rejected.key } }, tx),
      )
      deps.changed()
      return null
    },
  })
}

/** Only the key is logged: the value may be long or secret. A proposed value is in no history, which other administrators may read. */
function savedEvent(stored: StoredChange): Pick<Parameters<Audit>[0], 'messageKey' | 'params' | 'change'> {
  const params = { key: stored.key }
  return stored.isPending
    ? { messageKey: 'log_option_proposed', params }
    : { messageKey: 'log_option', params, change: optionChange(stored) }
}

/** Adds a message about the consequences of a saved option. */
function addSaveWarnings(
  { keptBack, isWaiting, isPending }: Awaited<ReturnType<SettingsStore['save']>>,
  { language, sayBeside }: Visit,
): void {
  const sentences = [
    ...(keptBack.length > 0 ? [messageText('option_secret_kept_back', { key: keptBack.join(', ') }, language)] : []),
    ...(isPending || isWaiting ? [messageText(isPending ? 'option_pending' : 'option_waits', {}, language)] : []),
  ]
  if (sentences.length > 0) sayBeside({ message: sentences.join(' ') })
}

/** Adds the response code of the mail server, or the logins that it takes, by which an administrator finds the mistake. Its text stays in the log: it could be anything. */
function withSmtpCode(error: unknown): never {
  const { cause } = error instanceof AppError && error.code === 'mail_failed' ? error : {}
  if (!(cause instanceof Error)) throw error
  if ('authMethods' in cause) throw new AppError('mail_login_unsupported', { params: { methods: String(cause.authMethods) }, cause: error })
  const codes = ['code' in cause ? cause.code : '', 'responseCode' in cause ? cause.responseCode : '']
  const detail = codes
    .map((code) => String(code ?? ''))
    .join(' ')
    .trim()
  throw new AppError('mail_test_failed', { params: { detail }, cause: error })
}
