import {
  codedMessageText,
  contract,
  type DataOf,
  type DeliveryRow,
  isHttpAddress,
  type Language,
  limitsOfRule,
  notificationRulesMax,
  type RuleRow,
  readCodedMessage,
  scopesOfRule,
  thresholdMaxOf,
} from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { lockAccount } from '../../db/lock-account.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { randomBase62 } from '../../lib/id.ts'
import { tryParseJson } from '../../lib/parse-json.ts'
import { isPublicAddress } from '../../lib/public-address.ts'
import type { Seal } from '../../lib/seal.ts'
import type { Audit } from '../audit.ts'
import { mayVouch, mayWatchAll } from '../authorize.ts'
import { type Caller, implement } from '../implement.ts'
import {
  countRules,
  deleteRule,
  findDeliveryOf,
  findRule,
  forgetBreaches,
  hasChannel,
  insertRule,
  listDeliveries,
  listRules,
  type StoredDelivery,
  type StoredRule,
  updateRule,
} from './queries.ts'

interface NotificationDeps {
  readonly db: Db
  readonly seal: Seal
  readonly clock: Clock
  readonly audit: Audit
  /** Purposes of the sealed columns of a webhook. */
  readonly purposes: { readonly url: string; readonly secret: string }
  /** Makes one attempt of a test. @returns the id of the delivery */
  readonly sendTest: (rule: Pick<StoredRule, 'id' | 'name' | 'target'> & { readonly user_id: number }) => Promise<number>
  /** The notification of a delivery as text. */
  readonly textOf: (notice: string, language: Language) => string
  readonly emailOf: (db: Db, userId: number) => Promise<string>
  /** What forbids to go to an address; `null` = nothing. */
  readonly refusalOf: (way: { readonly address: string; readonly proxy: string }) => Promise<{ readonly isPrivate: boolean } | null>
  /** Counts a mail to a mailbox. @throws AppError send_throttled */
  readonly countMail: (to: string) => Promise<void>
}

/** What secrets of webhooks begin with, so that scanners for secrets find them. */
const secretPrefix = 'whsec_'
/** Characters behind it: 256 bits. */
const secretLength = 43

/** Notifications of the caller's own account. */
export const notificationApi = (deps: NotificationDeps) => {
  const { db, seal, clock, audit, purposes, sendTest, textOf, emailOf, countMail } = deps

  function rowOf({ url_sealed, secret_sealed, channel_id, is_on, is_breached, ...row }: StoredRule): RuleRow {
    const [url, secret] = [originOf(open(url_sealed, purposes.url)), open(secret_sealed, purposes.secret)]
    return {
      ...row,
      channel: channel_id,
      address: url ?? '',
      is_on: is_on === 1,
      is_breached: Boolean(is_breached),
      unreadable: [...(url === null ? ['url' as const] : []), ...(secret === null ? ['secret' as const] : [])],
    }
  }

  const open = (sealed: string, purpose: string): string | null => (sealed === '' ? '' : seal.tryOpen(sealed, purpose))

  const deliveryOf = ({ notice, error, is_test, next_ms, state, ...row }: StoredDelivery, language: Language): DeliveryRow => {
    const failure = error === '' ? null : readCodedMessage(tryParseJson(error))
    return {
      ...row,
      state,
      text: textOf(notice, language),
      is_test: is_test === 1,
      error: failure === null ? '' : codedMessageText(failure, language),
      next_time: state === 'waiting' ? Math.ceil(next_ms / 1000) : 0,
    }
  }

  async function ruleOf({ id: userId }: Caller, id: number): Promise<StoredRule> {
    const rule = await findRule(db, userId, id)
    if (rule === undefined) throw noSuchRule()
    return rule
  }

  /** @throws AppError notification_url_invalid, notification_url_private, service_address_private */
  async function checkUrl(url: string, caller: Caller): Promise<void> {
    if (!isHttpAddress(url)) throw new AppError('notification_url_invalid')
    if (!mayWatchAll(caller) && !isPublicAddress(url)) throw new AppError('notification_url_private')
    // Users would learn which names a local network knows.
    if (!mayWatchAll(caller) || mayVouch(caller)) return
    const refusal = await deps.refusalOf({ address: url, proxy: '' })
    if (refusal?.isPrivate === true) throw new AppError('service_address_private', { params: { service: new URL(url).host }, field: 'url' })
  }

  return implement(contract.notification, {
    async list(_input, caller) {
      return (await listRules(db, caller.id)).map(rowOf)
    },

    async create({ name, kind, scope, threshold, hours, model_name, channel, target, url, is_on }, caller) {
      if (!scopesOfRule[kind].includes(scope)) throw new AppError('invalid_input', { field: 'scope' })
      checkReach({ scope, target }, caller)
      checkThreshold(kind, threshold)
      checkLimit(kind, { model: model_name, channel })
      if (channel > 0 && !(await hasChannel(db, channel)))
        throw new AppError('not_found', { messageKey: 'no_such_channel', field: 'channel' })
      const isWebhook = target === 'webhook'
      if (isWebhook) await checkUrl(url, caller)
      const secret = isWebhook ? newSecret() : ''
      const id = await db.transaction().execute(async (tx) => {
        await lockAccount(tx, caller.id)
        if ((await countRules(tx, caller.id)) >= notificationRulesMax)
          throw new AppError('notification_rules_too_many', { params: { max: notificationRulesMax } })
        await audit({ actor: caller, messageKey: 'log_notification_made', params: { name, target } }, tx)
        return await insertRule(tx, {
          ...{ user_id: caller.id, name, kind, scope, hours, model_name, channel_id: channel, target, created_time: nowSeconds(clock) },
          threshold: thresholdMaxOf[kind] === 0 ? 0 : threshold,
          url_sealed: isWebhook ? seal.seal(url, purposes.url) : '',
          secret_sealed: isWebhook ? seal.seal(secret, purposes.secret) : '',
          is_on: is_on ? 1 : 0,
        })
      })
      return { id, secret }
    },

    async update({ id, name, threshold, hours, url, is_on }, caller) {
      const rule = await ruleOf(caller, id)
      checkReach(rule, caller)
      checkThreshold(rule.kind, threshold)
      const isMoved = rule.target === 'webhook' && url !== ''
      if (isMoved) await checkUrl(url, caller)
      const secret = isMoved && open(rule.secret_sealed, purposes.secret) === null ? newSecret() : ''
      const change = {
        ...{ name, hours, is_on: is_on ? 1 : 0 },
        threshold: thresholdMaxOf[rule.kind] === 0 ? 0 : threshold,
        url_sealed: isMoved ? seal.seal(url, purposes.url) : rule.url_sealed,
        ...(secret !== '' && { secret_sealed: seal.seal(secret, purposes.secret) }),
      }
      await db.transaction().execute(async (tx) => {
        await updateRule(tx, { userId: caller.id, id }, change)
        const isSame = change.threshold === rule.threshold && hours === rule.hours && change.is_on === rule.is_on
        if (!isSame) await forgetBreaches(tx, id)
        await audit({ actor: caller, messageKey: 'log_notification_changed', params: { name } }, tx)
      })
      return { ...rowOf(await ruleOf(caller, id)), secret }
    },

    async remove({ id }, caller) {
      await db.transaction().execute(async (tx) => {
        const name = await deleteRule(tx, caller.id, id)
        if (name === undefined) throw noSuchRule()
        await audit({ actor: caller, messageKey: 'log_notification_removed', params: { name } }, tx)
      })
      return null
    },

    async test({ id }, caller, { language }) {
      const rule = await ruleOf(caller, id)
      checkReach(rule, caller)
      if (rule.target === 'mail') {
        const to = await emailOf(db, caller.id)
        if (to === '') throw new AppError('mail_own_missing')
        await countMail(to)
      }
      const delivery = await sendTest({ id, name: rule.name, target: rule.target, user_id: caller.id })
      return deliveryOf(await findDeliveryOf(db, caller.id, delivery), language)
    },

    async history(page, caller, { language }): Promise<DataOf<typeof contract.notification.history>> {
      return (await listDeliveries(db, caller.id, page)).map((row) => deliveryOf(row, language))
    },
  })
}

const newSecret = (): string => `${secretPrefix}${randomBase62(secretLength)}`

/** Of the address of a webhook; `null`: it cannot be read. */
const originOf = (url: string | null): string | null => (url === '' ? '' : (URL.parse(url ?? '')?.origin ?? null))

const noSuchRule = (): AppError => new AppError('not_found', { messageKey: 'no_such_notification_rule' })

/** @throws AppError permission_denied */
function checkReach({ scope, target }: Pick<RuleRow, 'scope' | 'target'>, caller: Caller): void {
  if ((scope === 'all' || target === 'pusher') && !mayWatchAll(caller)) throw new AppError('permission_denied')
}

/** @throws AppError notification_threshold_invalid */
function checkThreshold(kind: RuleRow['kind'], threshold: number): void {
  const max = thresholdMaxOf[kind]
  if (max > 0 && (threshold < 1 || threshold > max)) throw new AppError('notification_threshold_invalid')
}

/** @throws AppError notification_limit_invalid */
function checkLimit(kind: RuleRow['kind'], { model, channel }: { readonly model: string; readonly channel: number }): void {
  const limits = [...(model === '' ? [] : ['model' as const]), ...(channel === 0 ? [] : ['channel' as const])]
  if (limits.length > 1 || limits.some((name) => !limitsOfRule[kind].includes(name))) throw new AppError('notification_limit_invalid')
}
