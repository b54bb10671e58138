import { messageText, type Settings } from '@sluice/contract'
import type { Db } from '../db/connect.ts'
import { type Clock, nowSeconds } from '../lib/clock.ts'
import { newRequestId } from '../lib/id.ts'
import { insertDelivery } from './delivery-queries.ts'
import { type Notice, quotaText } from './notices.ts'
import {
  type Account,
  addBreaches,
  endBreach,
  endRecovered,
  listLowAccounts,
  listLowOwn,
  listSpentOwn,
  listWatching,
  readTotals,
  type WatchingRule,
} from './rule-queries.ts'

interface EvaluateDeps {
  readonly db: Db
  /** For reads that may take long. */
  readonly reads: Db
  /** The one that rows of the log, and so the hourly sums, have their time from. */
  readonly clock: Clock
  /** By the clock that all nodes share: when deliveries are due. */
  readonly nowMs: () => number
  readonly settings: () => Settings
}

const hourSeconds = 3_600
const daySeconds = 86_400

/** Fewer requests say nothing about a share. */
const requestsMin = 10

/** Accounts that have spent since then are looked at: the present hour and the one before; after a start, those of a day. */
const activeSeconds = hourSeconds
const activeAtStartSeconds = daySeconds

/** A channel that the program has disabled. */
export interface DisabledChannel {
  readonly id: number
  readonly name: string
  /** In English, without secrets; may be empty. */
  readonly reason: string
}

export interface NotificationRules {
  /** Compares every rule with balances and hourly sums, and adds notifications of what is new. */
  evaluate(): Promise<void>
  /** Adds notifications of a disabled channel, as a part of the transaction that disables it. */
  channelDisabled(tx: Db, channel: DisabledChannel): Promise<void>
}

/** A breach and its notification are written in one transaction, and a stored breach sends nothing again, so each is notified of once. */
export function createNotificationRules({ db, reads, clock, nowMs, settings }: EvaluateDeps): NotificationRules {
  let hasBegun = false

  async function add(tx: Db, rule: WatchingRule, notice: Notice): Promise<void> {
    await insertDelivery(tx, { ...newDelivery(rule, notice), is_test: 0, next_ms: nowMs(), created_time: nowSeconds(clock) })
  }

  async function breach(rule: WatchingRule, subjects: readonly number[], noticeOf: (added: ReadonlySet<number>) => Notice): Promise<void> {
    if (subjects.length === 0) return
    await db.transaction().execute(async (tx) => {
      const added = await addBreaches(tx, rule.id, subjects)
      if (added.size > 0) await add(tx, rule, noticeOf(added))
    })
  }

  async function breachOfBalance(rule: WatchingRule, accounts: readonly Account[]): Promise<void> {
    const ids = accounts.map(({ id }) => id)
    await breach(rule, ids, (added) =>
      balanceNotice(
        rule,
        accounts.filter(({ id }) => added.has(id)),
        settings(),
      ),
    )
  }

  async function evaluateBalances(now: number): Promise<void> {
    for (const { rule, account } of await listLowOwn(db)) await breachOfBalance(rule, [account])
    const since = startOfHour(now - (hasBegun ? activeSeconds : activeAtStartSeconds))
    for (const rule of await listWatching(db, 'balance', 'all')) await breachOfBalance(rule, await listLowAccounts(reads, rule, since))
  }

  async function evaluateSpending(day: { readonly number: number; readonly start: number }): Promise<void> {
    for (const { rule, username, spent } of await listSpentOwn(db, day))
      await breach(rule, [day.number], () => spendNotice(rule, { who: username, spent }, settings()))
    const rules = await listWatching(db, 'spend', 'all')
    if (rules.length === 0) return
    const { quota: spent } = await readTotals(db, day.start)
    const who = { en: messageText('notice_all_accounts'), zh: messageText('notice_all_accounts', {}, 'zh') }
    for (const rule of rules)
      if (spent >= rule.threshold) await breach(rule, [day.number], () => spendNotice(rule, { who, spent }, settings()))
  }

  async function evaluateErrors(now: number): Promise<void> {
    for (const rule of await listWatching(db, 'errors', 'all')) {
      const { served, unserved } = await readTotals(db, startOfHour(now - rule.hours * hourSeconds))
      const requests = served + unserved
      if (requests >= requestsMin && unserved * 100 >= rule.threshold * requests)
        await breach(rule, [0], () => errorNotice(rule, { requests, failed: unserved }, settings()))
      else await endBreach(db, rule.id)
    }
  }

  return {
    async evaluate() {
      const now = nowSeconds(clock)
      const day = { number: Math.floor(now / daySeconds), start: now - (now % daySeconds) }
      await endRecovered(db, day)
      await evaluateBalances(now)
      await evaluateSpending(day)
      await evaluateErrors(now)
      hasBegun = true
    },
    async channelDisabled(tx, { id, name, reason }) {
      const params = { system: settings().SystemName, id, name, reason: reason || '-' }
      for (const rule of await listWatching(tx, 'channel', 'all'))
        await add(tx, rule, { kind: 'channel', params, data: { channel_id: id, channel_name: name, reason } })
    },
  }
}

const startOfHour = (seconds: number): number => seconds - (seconds % hourSeconds)

/** A delivery of a rule that has had no attempt yet. */
export function newDelivery(rule: Pick<WatchingRule, 'id' | 'user_id' | 'name' | 'target'>, notice: Notice) {
  return {
    delivery_id: newRequestId(),
    user_id: rule.user_id,
    rule_id: rule.id,
    rule_name: rule.name,
    target: rule.target,
    notice: JSON.stringify(notice),
    state: 'waiting',
    attempts: 0,
    address: '',
    error: '',
    ended_time: 0,
  } as const
}

function balanceNotice({ threshold }: WatchingRule, accounts: readonly Account[], settings: Settings): Notice {
  const named = accounts.map(({ username, quota }) => `${username} (${quotaText(quota, settings)})`).join(', ')
  return {
    kind: 'balance',
    params: { system: settings.SystemName, threshold: quotaText(threshold, settings), accounts: named },
    data: { threshold, accounts },
  }
}

interface Spending {
  readonly who: string | { readonly en: string; readonly zh: string }
  readonly spent: number
}

function spendNotice({ name, threshold }: WatchingRule, { who, spent }: Spending, settings: Settings): Notice {
  const amounts = { spent: quotaText(spent, settings), threshold: quotaText(threshold, settings) }
  return {
    kind: 'spend',
    params: { system: settings.SystemName, who, rule: name, ...amounts },
    data: { threshold, spent, account: typeof who === 'string' ? who : null },
  }
}

interface Failures {
  readonly requests: number
  readonly failed: number
}

function errorNotice({ hours, threshold }: WatchingRule, { requests, failed }: Failures, settings: Settings): Notice {
  const share = Math.round((failed / requests) * 1_000) / 10
  return {
    kind: 'errors',
    params: { system: settings.SystemName, share, failed, requests, hours },
    data: { threshold, share, failed, requests, hours },
  }
}
