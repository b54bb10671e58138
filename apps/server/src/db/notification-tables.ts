import type { Generated } from 'kysely'

/** A rule of an account that says what it is notified of. */
export interface NotificationRuleTable {
  id: Generated<number>
  user_id: number
  name: string
  kind: 'balance' | 'spend' | 'errors' | 'channel' | 'backup' | 'set_aside'
  /** What it watches: the account that has it, or all. */
  scope: 'own' | 'all'
  /** Quota, or a percentage. */
  threshold: number
  /** What the share of errors is measured over. */
  hours: number
  /** Of all requests or channels, those of one model, or of one channel; empty or 0 = all. */
  model_name: Generated<string>
  channel_id: Generated<number>
  target: 'mail' | 'webhook' | 'pusher'
  /** Of a webhook: its address and the secret that signs; empty for others. */
  url_sealed: string
  secret_sealed: string
  is_on: number
  created_time: number
}

/** What a rule has sent a notification of, and what is still so. */
export interface NotificationBreachTable {
  rule_id: number
  /** The account, the number of the day since 1970, or 0. */
  subject: number
}

/** A notification that waits to be sent, or has ended. */
export interface NotificationDeliveryTable {
  id: Generated<number>
  /** What the receiver knows it by. */
  delivery_id: string
  user_id: number
  /** The rule, which may have been deleted, and its name and target at that time. */
  rule_id: number
  rule_name: string
  target: 'mail' | 'webhook' | 'pusher'
  /** JSON: what it says. */
  notice: string
  is_test: number
  state: 'waiting' | 'sent' | 'failed'
  attempts: number
  /** When the next attempt is due. Whoever moves it on with a comparison makes that attempt. */
  next_ms: number
  address: string
  /** JSON: a coded message; empty = none. */
  error: string
  created_time: number
  /** 0 = it has not ended. */
  ended_time: number
}

export interface NotificationTables {
  notification_rules: NotificationRuleTable
  notification_breaches: NotificationBreachTable
  notification_deliveries: NotificationDeliveryTable
}
