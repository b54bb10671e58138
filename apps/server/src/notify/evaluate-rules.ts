import { type MessageParams, messageText, type Settings } from '@sluice/contract'
import type { Db } from '../db/connect.ts'
import { type Clock, nowSeconds } from '../lib/clock.ts'
import { newRequestId } from '../lib/id.ts'
import { insertDelivery } from './delivery-queries.ts'
import { type Notice, quotaText } from './notices.ts'
import {
  type Account,
  type AccountRange,
  addBreaches,
  type Breach,
  breachesMax,
  type Ends,
  endBreach,
  endEarlierDays,
  endRecovered,
  findAccountRange,
  findChannelName,
  listBreached,
  listBreaches,
  listBreachesBehind,
  listEnds,
  listLowAccounts,
  listLowOwn,
  listSpentOwn,
  listWatching,
  readSpent,
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

/** Accounts that one round looks at for rules about all of them, and breaches of which it sees whether they are over: more wait for the next. */
const accountsMax = 20_000
const breachesSeenMax = 2_000

const noBreach: Breach = { rule_id: 0, subject: 0 }

/** A channel that the program has disabled. */
export interface DisabledChannel {
  readonly id: number
  readonly name: string
  /** In English, without secrets; may be empty. */
  readonly reason: string
}

export interface NotificationRules {
  /**
   * Compares every rule with balances and hourly sums, and adds notifications of what is new. The work of a round does not grow with the number
   * of accounts, of requests or of what is breached: where these are many, a round takes the next part of them.
   */
  evaluate(): Promise<void>
  /** Adds notifications of a disabled channel, as a part of the transaction that disables it. */
  channelDisabled(tx: Db, channel: DisabledChannel): Promise<void>
}

/** A breach and its notification are written in one transaction, and a stored breach sends nothing again, so each is notified of once. */
export function createNotificationRules({ db, reads, clock, nowMs, settings }: EvaluateDeps): NotificationRules {
  /** Where the next look at the accounts begins, and whether the accounts that it covers are looked at for the first time. */
  let accountsSeen = 0
  let hasBegun = false
  let breachesSeen = noBreach
  let endedDay = 0

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

  /** Ends breaches by balances that are above their thresholds again. */
  async function endRecoveries(): Promise<void> {
    const breaches = await listBreachesBehind(reads, breachesSeen, breachesSeenMax)
    breachesSeen = breaches.length < breachesSeenMax ? noBreach : (breaches.at(-1) ?? noBreach)
    for (const one of breaches) if (one.isOver) await endRecovered(db, one)
  }

  async function evaluateBalances(now: number): Promise<void> {
    for (const { rule, account } of await listLowOwn(reads)) await breachOfBalance(rule, [account])
    const rules = await listWatching(reads, 'balance', 'all')
    const range = rules.length === 0 ? null : await findAccountRange(reads, accountsSeen, accountsMax)
    if (range !== null) await evaluateRange(rules, range, startOfHour(now - (hasBegun ? activeSeconds : activeAtStartSeconds)))
    const hasMore = range !== null && (await findAccountRange(reads, range.upTo, 1)) !== null
    if (range !== null && !hasMore) hasBegun = true
    accountsSeen = hasMore ? range.upTo : 0
  }

  async function evaluateRange(rules: readonly WatchingRule[], range: AccountRange, since: number): Promise<void> {
    const below = Math.max(...rules.map(({ threshold }) => threshold))
    const accounts = await listLowAccounts(reads, { range, below, since })
    for (const rule of rules) {
      const low = accounts.filter(({ quota }) => quota < rule.threshold)
      if (low.length === 0) continue
      const known = await listBreaches(reads, rule.id, range)
      await breachOfBalance(rule, low.filter(({ id }) => !known.has(id)).slice(0, breachesMax))
    }
  }

  async function evaluateSpending(day: { readonly number: number; readonly start: number }): Promise<void> {
    for (const { rule, username, spent } of await listSpentOwn(reads, day))
      await breach(rule, [day.number], () => spendNotice(rule, { who: username, spent }, settings()))
    const rules = await listWatching(reads, 'spend', 'all')
    if (rules.length === 0) return
    const spent = await readSpent(reads, day.start)
    const breached = await listBreached(reads, 'spend', day.number)
    const who = { en: messageText('notice_all_accounts'), zh: messageText('notice_all_accounts', {}, 'zh') }
    for (const rule of rules)
      if (spent >= rule.threshold && !breached.has(rule.id))
        await breach(rule, [day.number], () => spendNotice(rule, { who, spent }, settings()))
  }

  async function evaluateErrors(now: number): Promise<void> {
    const rules = await listWatching(reads, 'errors', 'all')
    if (rules.length === 0) return
    const breached = await listBreached(reads, 'errors', 0)
    const endsOf = createEndsOf(now)
    for (const rule of rules) {
      const { served, unserved } = await endsOf(rule)
      const requests = served + unserved
      const isBad = requests >= requestsMin && unserved * 100 >= rule.threshold * requests
      if (isBad && !breached.has(rule.id)) {
        const of = await watchedBy(rule)
        await breach(rule, [0], () => errorNotice(rule, { requests, failed: unserved, of }, settings()))
      } else if (!isBad && breached.has(rule.id)) await endBreach(db, rule.id)
    }
  }

  /** Reads how requests ended once for all rules that count over the same hours. */
  function createEndsOf(now: number) {
    const read = new Map<string, Promise<ReadonlyMap<string, Ends>>>()
    return async ({ hours, model_name: model, channel_id: channel }: WatchingRule): Promise<Ends> => {
      const [scope, name] = model !== '' ? (['model', model] as const) : channel > 0 ? (['channel', String(channel)] as const) : all
      const ends = read.get(`${scope} ${hours}`) ?? listEnds(reads, scope, startOfHour(now - hours * hourSeconds))
      read.set(`${scope} ${hours}`, ends)
      return (await ends).get(name) ?? { served: 0, unserved: 0 }
    }
  }

  /** The model or channel that a rule watches, in words; `null` = everything. */
  async function watchedBy({ model_name: model, channel_id: id }: WatchingRule): Promise<Watched | null> {
    if (model !== '') return inWords('notice_model', { name: model })
    if (id === 0) return null
    return inWords('notice_channel', { id, name: (await findChannelName(reads, id)) ?? '-' })
  }

  return {
    async evaluate() {
      const now = nowSeconds(clock)
      const day = { number: Math.floor(now / daySeconds), start: now - (now % daySeconds) }
      await endRecoveries()
      if (day.number !== endedDay) await endEarlierDays(db, day.number)
      endedDay = day.number
      await evaluateBalances(now)
      await evaluateSpending(day)
      await evaluateErrors(now)
    },
    async channelDisabled(tx, { id, name, reason }) {
      const params = { system: settings().SystemName, id, name, reason: reason || '-' }
      for (const rule of await listWatching(tx, 'channel', 'all'))
        if (rule.channel_id === 0 || rule.channel_id === id)
          await add(tx, rule, { kind: 'channel', params, data: { channel_id: id, channel_name: name, reason } })
    },
  }
}

const all = ['all', ''] as const

interface Watched {
  readonly en: string
  readonly zh: string
}

const inWords = (key: 'notice_model' | 'notice_channel', params: MessageParams): Watched => ({
  en: messageText(key, params),
  zh: messageText(key, params, 'zh'),
})

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
  readonly of: Watched | null
}

function errorNotice(rule: WatchingRule, { requests, failed, of }: Failures, settings: Settings): Notice {
  const { hours, threshold, model_name, channel_id } = rule
  const share = Math.round((failed / requests) * 1_000) / 10
  return {
    kind: 'errors',
    params: { system: settings.SystemName, share, failed, requests, hours, ...(of !== null && { of }) },
    data: { threshold, share, failed, requests, hours, model: model_name, channel_id },
  }
}
