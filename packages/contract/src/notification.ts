import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { addressMax, byId, id, noInput, nothing, page, quotaMax, says, searchText, textOf, unreadableOf } from './parts.ts'

/** Most rules of one account. */
export const notificationRulesMax = 20

/** Days for which deliveries are kept. */
export const deliveryDaysMax = 90

/** Longest time that the share of errors is measured over. */
const hoursMax = 24

/**
 * What a rule watches: a balance below the threshold, the spending of a day (UTC) that reaches it, the percentage of requests that failed because of the server
 * or a vendor, channels that the program disables, scheduled backups that fail, or charges that the database refuses and the ledger sets aside.
 */
export const ruleKinds = ['balance', 'spend', 'errors', 'channel', 'backup', 'set_aside'] as const
export type RuleKind = (typeof ruleKinds)[number]

/** Whom a rule watches: the account that has it, or the whole server, which only administrators may. */
export const ruleScopes = ['own', 'all'] as const
export type RuleScope = (typeof ruleScopes)[number]

/** What a rule of each kind can be limited to. */
export const limitsOfRule: Readonly<Record<RuleKind, ReadonlyArray<'model' | 'channel'>>> = {
  balance: [],
  spend: [],
  errors: ['model', 'channel'],
  channel: ['channel'],
  backup: [],
  set_aside: [],
}

/** Where a rule sends to: the address of the account, an address of the web, or the message pusher of the server, which only administrators may. */
export const ruleTargets = ['mail', 'webhook', 'pusher'] as const
export type RuleTarget = (typeof ruleTargets)[number]

/** The scopes of each kind. */
export const scopesOfRule: Readonly<Record<RuleKind, readonly RuleScope[]>> = {
  balance: ['own', 'all'],
  spend: ['own', 'all'],
  errors: ['all'],
  channel: ['all'],
  backup: ['all'],
  set_aside: ['all'],
}

/** The largest threshold of each kind; 0 = it has none. */
export const thresholdMaxOf: Readonly<Record<RuleKind, number>> = {
  balance: quotaMax,
  spend: quotaMax,
  errors: 100,
  channel: 0,
  backup: 0,
  set_aside: 0,
}

const name = z
  .string(says('notification_name_required'))
  .check(z.trim(), z.minLength(1, says('notification_name_required')), z.maxLength(64, says('notification_name_too_long')))

const changing = {
  name,
  /** Quota, or a percentage; 0 for kinds without one. */
  threshold: z
    .int(says('notification_threshold_invalid'))
    .check(z.gte(0, says('notification_threshold_invalid')), z.lte(quotaMax, says('notification_threshold_invalid'))),
  /** Hours that the share of errors is measured over. */
  hours: z._default(
    z
      .int(says('notification_hours_invalid'))
      .check(z.gte(1, says('notification_hours_invalid')), z.lte(hoursMax, says('notification_hours_invalid'))),
    1,
  ),
  is_on: z._default(z.boolean(), true),
}

/** The address of a webhook. It may contain a secret, so lists show its origin only. */
const url = z.pipe(textOf(addressMax, 'notification_url_invalid'), z.string().check(z.trim()))

const ruleRow = z.object({
  id: z.int(),
  name: z.string(),
  kind: z.enum(ruleKinds),
  scope: z.enum(ruleScopes),
  threshold: z.int(),
  hours: z.int(),
  /** Of `errors`: the only model or channel whose requests count; of `channel`: the only channel. Empty or 0 = all. */
  model_name: z.string(),
  channel: z.int(),
  /** The name of that channel; empty if there is none, or it was deleted. */
  channel_name: z.string(),
  target: z.enum(ruleTargets),
  /** Of a webhook: the origin of its address. */
  address: z.string(),
  is_on: z.boolean(),
  /** Whether it has sent a notification of something that is still so. */
  is_breached: z.boolean(),
  created_time: z.int(),
  /** Of a webhook: it sends nothing until its address is entered again, which makes a new secret if that is what cannot be read. */
  unreadable: unreadableOf(['url', 'secret']),
})
export type RuleRow = z.output<typeof ruleRow>

const deliveryRow = z.object({
  id: z.int(),
  /** The id that the receiver gets; the same in every attempt. */
  delivery_id: z.string(),
  rule_id: z.int(),
  rule_name: z.string(),
  target: z.enum(ruleTargets),
  /** A mail address, or the origin of a webhook; empty before the first attempt and for the pusher. */
  address: z.string(),
  /** The notification in the language of the caller. */
  text: z.string(),
  is_test: z.boolean(),
  state: z.enum(['waiting', 'sent', 'failed']),
  attempts: z.int(),
  /** Why the last attempt failed; empty = it did not. */
  error: z.string(),
  created_time: z.int(),
  /** Seconds since the epoch; 0 = it has not ended. */
  ended_time: z.int(),
  /** When the next attempt is made; 0 = none. */
  next_time: z.int(),
})
export type DeliveryRow = z.output<typeof deliveryRow>

/** Notifications of the own account: rules, and what they sent. */
export const notification = {
  /** Newest first. */
  list: endpoint({ method: 'GET', path: '/api/notification/', access: 'user', input: noInput, data: z.array(ruleRow) }),
  /** Shows the secret of a webhook in this response only; empty for other targets. */
  create: endpoint({
    method: 'POST',
    path: '/api/notification/',
    access: 'user',
    input: z.object({
      ...changing,
      kind: z.enum(ruleKinds, says('invalid_input')),
      scope: z.enum(ruleScopes, says('invalid_input')),
      target: z.enum(ruleTargets, says('invalid_input')),
      /** At most one of the two. */
      model_name: searchText,
      channel: z._default(z.int(says('invalid_input')).check(z.gte(0, says('invalid_input'))), 0),
      url,
    }),
    data: z.object({ id: z.int(), secret: z.string() }),
  }),
  /**
   * What a rule watches and where it sends to stay; an empty address of a webhook keeps the stored one. `secret` is empty unless the stored
   * one could not be read and an address was sent: then it is the new one, shown in this response only.
   */
  update: endpoint({
    method: 'PUT',
    path: '/api/notification/',
    access: 'user',
    input: z.object({ ...changing, id, url }),
    data: z.extend(ruleRow, { secret: z.string() }),
  }),
  remove: endpoint({ method: 'DELETE', path: '/api/notification/:id', access: 'user', input: byId, data: nothing }),
  /** Makes one attempt at once, also where the rule is off. */
  test: endpoint({ method: 'POST', path: '/api/notification/:id/test', access: 'user', input: byId, data: deliveryRow }),
  /** Newest first, also of rules that were deleted. */
  history: endpoint({ method: 'GET', path: '/api/notification/history', access: 'user', input: page, data: z.array(deliveryRow) }),
}
