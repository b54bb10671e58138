import { messageText, type Settings } from '@sluice/contract'
import type { Db } from '../db/connect.ts'
import { countAsides } from '../ledger/set-aside-queries.ts'
import { type Clock, nowSeconds } from '../lib/clock.ts'
import { daySeconds } from '../lib/day.ts'
import { eachAlone } from '../lib/each-alone.ts'
import { newRequestId } from '../lib/id.ts'
import { insertDeliveries, supersedeWaiting } from './delivery-queries.ts'
import type { Notice } from './notices.ts'
import { backupNotice, balanceNotice, errorNotice, type Spending, setAsideNotice, spendNotice, watchedIn } from './rule-notices.ts'
import {
  type Account,
  type AccountRange,
  addBreaches,
  type Breach,
  breachesMax,
  endBreaches,
  endEarlierDays,
  endRecovered,
  findAccountRange,
  type HourOfEnds,
  listBreached,
  listBreachesBehind,
  listChannelNames,
  listEnds,
  listLowAccounts,
  listLowBreaches,
  listLowOwn,
  listNewestSubjects,
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
  /** Called with errors that do not stop the other rules. */
  readonly report: (error: unknown, what: string) => void
}

const hourSeconds = 3_600

/** Fewer requests say nothing about a share. */
const requestsMin = 10

/** Accounts that have spent since then are looked at: the present hour and the one before; after a start, those of a day. */
const activeSeconds = hourSeconds
const activeAtStartSeconds = daySeconds

/** Accounts that one round looks at for rules about all of them, and breaches of which it sees whether they are over: more wait for the next. */
const accountsMax = 20_000
const breachesSeenMax = 2_000

/** Comparisons of a rule about all balances with an account that one round makes, and the fewest low accounts that it takes. */
const comparisonsMax = 100_000
const lowAccountsMin = 100

/** Rules whose breaches one transaction stores: their rows fit into one statement, and other writes wait a short time. */
const rulesAtOnce = 50

const noBreach: Breach = { rule_id: 0, subject: 0 }

/** A rule that is breached, unless that is stored already. */
interface NewBreach {
  readonly rule: WatchingRule
  /** At least one, and at most `breachesMax`. */
  readonly subjects: readonly number[]
  readonly noticeOf: (added: ReadonlySet<number>) => Notice
}

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
  /** Adds notifications of a backup that failed: once, until one succeeds. @param reason in English, without secrets */
  backupFailed(reason: string): Promise<void>
  backupSucceeded(): Promise<void>
}

/** A breach and its notification are written in one transaction, and a stored breach sends nothing again, so each is notified of once. */
export function createNotificationRules({ db, reads, clock, nowMs, settings, report }: EvaluateDeps): NotificationRules {
  /** Where the next look at the accounts begins, and whether the accounts that it covers are looked at for the first time. */
  let accountsSeen = 0
  let hasBegun = false
  let breachesSeen = noBreach
  let endedDay = 0

  /**
   * Adds notifications of rules, as a part of a transaction. One of an own rule replaces what still waits for that rule, so that an account
   * whose target takes nothing cannot fill the queue.
   */
  async function add(tx: Db, notifications: ReadonlyArray<{ readonly rule: WatchingRule; readonly notice: Notice }>): Promise<void> {
    const due = { is_test: 0, next_ms: nowMs(), created_time: nowSeconds(clock) }
    const own = notifications.filter(({ rule }) => rule.scope === 'own').map(({ rule }) => rule.id)
    if (own.length > 0) await supersedeWaiting(tx, own, due.created_time)
    await insertDeliveries(
      tx,
      notifications.map(({ rule, notice }) => ({ ...newDelivery(rule, notice), ...due })),
    )
  }

  async function breach(newBreaches: readonly NewBreach[]): Promise<void> {
    for (let from = 0; from < newBreaches.length; from += rulesAtOnce) await breachSeveral(newBreaches.slice(from, from + rulesAtOnce))
  }

  /** If the database refuses the notification of one rule, the others are stored each by itself. */
  async function breachSeveral(newBreaches: readonly NewBreach[]): Promise<void> {
    let isStored = false
    const several = eachAlone(
      async (all: readonly NewBreach[]) => {
        await breachSome(all)
        isStored = true
      },
      (error) => report(error, 'rule notifications not stored together, storing one by one'),
    )
    await several(newBreaches)
    if (!isStored) for (const one of newBreaches) await breachOne(one)
  }

  const breachOne = eachAlone(
    (one: NewBreach) => breachSome([one]),
    (error, { rule }) => report(error, `rule notification not stored: rule ${rule.id}`),
  )

  async function breachSome(newBreaches: readonly NewBreach[]): Promise<void> {
    await db.transaction().execute(async (tx) => {
      const breaches = newBreaches.flatMap(({ rule, subjects }) => subjects.map((subject) => ({ rule_id: rule.id, subject })))
      const added = Map.groupBy(await addBreaches(tx, breaches), ({ rule_id }) => rule_id)
      const notifications = newBreaches.flatMap(({ rule, noticeOf }) => {
        const subjects = added.get(rule.id)
        return subjects === undefined ? [] : [{ rule, notice: noticeOf(new Set(subjects.map(({ subject }) => subject))) }]
      })
      await add(tx, notifications)
    })
  }

  const lowBalance = (rule: WatchingRule, accounts: readonly Account[]): NewBreach => ({
    rule,
    subjects: accounts.map(({ id }) => id),
    noticeOf: (added) =>
      balanceNotice(
        rule,
        accounts.filter(({ id }) => added.has(id)),
        settings(),
      ),
  })

  /** Ends breaches by balances that are above their thresholds again. */
  async function endRecoveries(): Promise<void> {
    const breaches = await listBreachesBehind(reads, breachesSeen, breachesSeenMax)
    breachesSeen = breaches.length < breachesSeenMax ? noBreach : (breaches.at(-1) ?? noBreach)
    for (const one of breaches) if (one.isOver) await endRecovered(db, one)
  }

  async function endDays(today: number): Promise<void> {
    if (today !== endedDay) await endEarlierDays(db, today)
    endedDay = today
  }

  async function evaluateBalances(now: number): Promise<void> {
    await breach((await listLowOwn(reads)).map(({ rule, account }) => lowBalance(rule, [account])))
    const rules = await listWatching(reads, 'balance', 'all')
    const range = rules.length === 0 ? null : await findAccountRange(reads, accountsSeen, accountsMax)
    if (range === null) {
      accountsSeen = 0
      return
    }
    const since = startOfHour(now - (hasBegun ? activeSeconds : activeAtStartSeconds))
    const upTo = await evaluateRange(rules, range, since)
    const hasMore = (await findAccountRange(reads, upTo, 1)) !== null
    if (!hasMore) hasBegun = true
    accountsSeen = hasMore ? upTo : 0
  }

  /** @returns the id up to which all accounts were looked at */
  async function evaluateRange(rules: readonly WatchingRule[], range: AccountRange, since: number): Promise<number> {
    const below = Math.max(...rules.map(({ threshold }) => threshold))
    const limit = Math.max(lowAccountsMin, Math.floor(comparisonsMax / rules.length))
    const accounts = await listLowAccounts(reads, { range, below, since, limit })
    const upTo = accounts.length < limit ? range.upTo : (accounts.at(-1)?.id ?? range.upTo)
    const known = await listLowBreaches(reads, { after: range.after, upTo })
    const low = rules.map((rule) => ({
      rule,
      accounts: accounts.filter(({ id, quota }) => quota < rule.threshold && known.get(rule.id)?.has(id) !== true),
    }))
    await breach(low.filter((one) => one.accounts.length > 0).map((one) => lowBalance(one.rule, one.accounts.slice(0, breachesMax))))
    // What did not fit into one notification is found by the next round.
    return low.some((one) => one.accounts.length > breachesMax) ? range.after : upTo
  }

  async function evaluateSpending(day: { readonly number: number; readonly start: number }): Promise<void> {
    const spending = (rule: WatchingRule, of: Spending): NewBreach => ({
      rule,
      subjects: [day.number],
      noticeOf: () => spendNotice(rule, of, settings()),
    })
    await breach((await listSpentOwn(reads, day)).map(({ rule, username, spent }) => spending(rule, { who: username, spent })))
    const rules = await listWatching(reads, 'spend', 'all')
    if (rules.length === 0) return
    const spent = await readSpent(reads, day.start)
    const breached = await listBreached(reads, 'spend', day.number)
    const who = { en: messageText('notice_all_accounts'), zh: messageText('notice_all_accounts', {}, 'zh') }
    const over = rules.filter((rule) => spent >= rule.threshold && !breached.has(rule.id))
    await breach(over.map((rule) => spending(rule, { who, spent })))
  }

  async function evaluateErrors(now: number): Promise<void> {
    const rules = await listWatching(reads, 'errors', 'all')
    if (rules.length === 0) return
    const breached = await listBreached(reads, 'errors', 0)
    const endsOf = await readEnds(rules, now)
    const counted = rules.map((rule) => ({ rule, ...endsOf(rule) })).map((one) => ({ ...one, isBad: isBreachedBy(one.rule, one) }))
    const isNew = counted.filter(({ rule, isBad }) => isBad && !breached.has(rule.id))
    const names = await listChannelNames(reads, [...new Set(isNew.map(({ rule }) => rule.channel_id).filter((id) => id > 0))])
    await breach(
      isNew.map(({ rule, served, unserved }) => {
        const failures = { requests: served + unserved, failed: unserved, of: watchedIn(rule, names) }
        return { rule, subjects: [0], noticeOf: () => errorNotice(rule, failures, settings()) }
      }),
    )
    const over = counted.filter(({ rule, isBad }) => !isBad && breached.has(rule.id))
    await endBreaches(
      db,
      over.map(({ rule }) => rule.id),
    )
  }

  /** Each rise is notified of once: the subject of a breach is the newest of what is set aside. */
  async function evaluateSetAside(): Promise<void> {
    const rules = await listWatching(reads, 'set_aside', 'all')
    if (rules.length === 0) return
    const { open, last } = await countAsides(reads)
    const known = await listNewestSubjects(reads, 'set_aside')
    if (open === 0) return await endBreaches(db, [...known.keys()])
    const isNew = rules.filter(({ id }) => last > (known.get(id) ?? 0))
    await breach(isNew.map((rule) => ({ rule, subjects: [last], noticeOf: () => setAsideNotice(open, settings()) })))
  }

  /** Reads how requests ended once for all rules about everything, once for those about models, and once for those about channels. */
  async function readEnds(rules: readonly WatchingRule[], now: number): Promise<(rule: WatchingRule) => Ends> {
    const sinceOf = ({ hours }: WatchingRule): number => startOfHour(now - hours * hourSeconds)
    const read = new Map<string, ReadonlyMap<string, readonly HourOfEnds[]>>()
    for (const [scope, watching] of Map.groupBy(rules, (rule) => watchedOf(rule).scope))
      read.set(scope, await listEnds(reads, scope, Math.min(...watching.map(sinceOf))))
    return (rule) => {
      const { scope, name } = watchedOf(rule)
      return sumEnds(read.get(scope)?.get(name) ?? [], sinceOf(rule))
    }
  }

  return {
    async evaluate() {
      const now = nowSeconds(clock)
      const day = { number: Math.floor(now / daySeconds), start: now - (now % daySeconds) }
      const steps: readonly (() => Promise<void>)[] = [
        endRecoveries,
        () => endDays(day.number),
        () => evaluateBalances(now),
        () => evaluateSpending(day),
        () => evaluateErrors(now),
        evaluateSetAside,
      ]
      const evaluateStep = eachAlone(
        (step: () => Promise<void>) => step(),
        (error) => report(error, 'rules not evaluated'),
      )
      for (const step of steps) await evaluateStep(step)
    },
    async channelDisabled(tx, { id, name, reason }) {
      const params = { system: settings().SystemName, id, name, reason: reason || '-' }
      const notice: Notice = { kind: 'channel', params, data: { channel_id: id, channel_name: name, reason } }
      const rules = (await listWatching(tx, 'channel', 'all')).filter((rule) => rule.channel_id === 0 || rule.channel_id === id)
      await add(
        tx,
        rules.map((rule) => ({ rule, notice })),
      )
    },
    async backupFailed(reason) {
      const notice = backupNotice(reason, settings())
      const rules = await listWatching(db, 'backup', 'all')
      await breach(rules.map((rule) => ({ rule, subjects: [0], noticeOf: () => notice })))
    },
    async backupSucceeded() {
      await endBreaches(db, [...(await listBreached(db, 'backup', 0))])
    },
  }
}

interface Ends {
  readonly served: number
  readonly unserved: number
}

/** The sums that a rule about failures watches. */
function watchedOf({ model_name: model, channel_id: channel }: WatchingRule) {
  if (model !== '') return { scope: 'model', name: model } as const
  return channel > 0 ? ({ scope: 'channel', name: String(channel) } as const) : ({ scope: 'all', name: '' } as const)
}

function sumEnds(hours: readonly HourOfEnds[], since: number): Ends {
  const counted = hours.filter(({ hour }) => hour >= since)
  return {
    served: counted.reduce((sum, { served }) => sum + served, 0),
    unserved: counted.reduce((sum, { unserved }) => sum + unserved, 0),
  }
}

function isBreachedBy({ threshold }: WatchingRule, { served, unserved }: Ends): boolean {
  const requests = served + unserved
  return requests >= requestsMin && unserved * 100 >= threshold * requests
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
