import { messageText } from '@sluice/contract'
import type { Logger } from 'pino'
import type { UnreadableValues } from './admin/unreadable-values.ts'
import type { FirstLogin } from './api/account/first-login.ts'
import type { Sessions } from './api/account/sessions.ts'
import type { ChannelRunner } from './api/channel/work.ts'
import type { SetAsides } from './api/ledger/set-aside.ts'
import type { LogCopies } from './api/log/log-copies.ts'
import { createLogRetention } from './api/log/retention.ts'
import type { Usage } from './api/log/usage.ts'
import type { SettingsStore } from './api/option/settings.ts'
import { creditClaimed } from './api/redemption/credit.ts'
import type { Codes } from './api/verification/codes.ts'
import type { Db } from './db/connect.ts'
import { makeLogPartitions } from './db/log-partitions.ts'
import type { ScheduledBackups } from './db/scheduled-backups.ts'
import { type Job, schedule } from './jobs/schedule.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { Reconciler } from './ledger/reconcile.ts'
import type { ActivityBoard } from './lib/activity-board.ts'
import { type Clock, nowSeconds } from './lib/clock.ts'
import { type Configuration, lookEveryMs } from './nodes/configuration.ts'
import { claimEveryMs, type Ownership } from './nodes/ownership.ts'
import type { Deliveries } from './notify/deliveries.ts'
import type { NotificationRules } from './notify/evaluate-rules.ts'
import { exchangeMs } from './relay/ingress/shared-minutes.ts'
import type { Relay } from './relay/relay-deps.ts'
import { sweepStoredResponses } from './relay/stored-responses/stored-responses.ts'

const hourMs = 3_600_000

/** How far the hours of usage may lie behind the log, so that whoever asks for them need not wait for much to be added up. */
const rollUpMs = 5_000

/** How often every balance is compared with its entries. */
const reconcileMs = 600_000

/** How often it is looked whether values that cannot be read are to be counted. */
const countUnreadableMs = 5_000

/** How soon decisions of commands on what was set aside are carried out. */
const setAsideMs = 2_000

/** How soon options count that a command has stored beside the running server. */
const reloadMs = 2_000

/** How often it is checked whether a test of all channels is due. */
const testsEveryMs = 10_000

/** Interval of the check for due tasks; the database is queried only when one is due, or after some seconds. */
const pollMs = 500
/** Interval of the check for results to copy; the database is queried every few seconds. */
const copyMs = 1_000

/** How often what is new in the log is sent to where it is copied. */
const copyLogMs = 1_000

/** How often counts that are over are deleted: invented names and addresses make many. */
const cleanLimitsMs = 60_000

/** How often rules of notifications are compared with balances and sums. */
const evaluateMs = 10_000

/** How often it is looked whether a backup is due. */
const backUpMs = 5_000

/** How often it is looked whether notifications are due. */
const notifyMs = 1_000

interface JobDeps {
  readonly db: Db
  /** What the watchdog sees. */
  readonly activities: ActivityBoard
  readonly clock: Clock
  readonly ledger: Ledger
  readonly sessions: Sessions
  readonly configuration: Configuration
  readonly settingsStore: SettingsStore
  readonly usage: Usage
  readonly logCopies: LogCopies
  readonly codes: Codes
  readonly reconciler: Reconciler
  readonly unreadable: UnreadableValues
  readonly setAsides: SetAsides
  readonly relay: Relay
  readonly timedTests: Job['run']
  readonly runner: ChannelRunner
  readonly ownership: Ownership
  readonly notificationRules: NotificationRules
  readonly deliveries: Deliveries
  readonly backups: ScheduledBackups
  readonly firstLogin: FirstLogin
  readonly knownHosts: { isUnchecked(): boolean }
  readonly limiters: { clean(): Promise<void> }
  readonly log: Logger
  /** Instead of timers: a test runs the jobs itself. */
  readonly schedule?: typeof schedule | undefined
}

/** Starts what the server does by itself at intervals. @returns stops it */
export async function startJobs(deps: JobDeps): Promise<() => void> {
  const { db, clock, configuration, settingsStore, relay, reconciler, log, schedule: start = schedule } = deps
  const warn = async (): Promise<void> => {
    const firstLogin = await deps.firstLogin.check()
    if (firstLogin !== null) log.warn(firstLogin)
    if (deps.knownHosts.isUnchecked()) log.warn(messageText('log_any_host'))
    const { options: waiting } = settingsStore.waiting()
    if (waiting.length > 0) log.warn(messageText('log_options_waiting', { keys: waiting.map(({ key }) => key).join(', ') }))
  }
  const reload = async (): Promise<void> => {
    if (await settingsStore.reload()) await relay.changed({ what: 'options' })
  }
  configuration.begin(async (change) => {
    if (change.what === 'options' || change.what === 'everything') await settingsStore.reload()
    await relay.changed(change)
  })
  await warn()
  // Each server before it takes requests: whoever stood still for longer than partitions are made ahead needs them now.
  await makeLogPartitions(db, { now: nowSeconds(clock), keptDays: settingsStore.current().LogRetentionDays })
  void deps.unreadable.count().catch((err: unknown) => log.error({ err }, 'count of unreadable values failed'))
  void reconciler.run().catch((err: unknown) => log.error({ err }, 'initial ledger reconciliation failed'))
  const jobs = [
    ...jobsOf(deps),
    ...jobsOfOwner(deps).map((job) => onlyWhere(deps.ownership.isOwner, job)),
    { name: 'warn', everyMs: hourMs, run: warn },
    { name: 'reload-options', everyMs: reloadMs, run: reload },
    { name: 'follow-changes', everyMs: lookEveryMs, run: configuration.look },
  ]
  return start(
    jobs.map((job) => watchJob(job, deps)),
    log,
  )
}

/** A job that the watchdog sees while it runs. */
function watchJob({ name, everyMs, run }: Job, { activities, clock }: JobDeps): Job {
  return {
    name,
    everyMs,
    async run() {
      const slot = activities.add({ id: '', method: 'job', url: name, bytes: 0, startedMs: clock.monotonicMs() })
      try {
        return await run()
      } finally {
        activities.remove(slot)
      }
    },
  }
}

/** A job that runs on one node. */
function onlyWhere(isOwner: () => Promise<boolean>, job: Job): Job {
  return { ...job, run: async () => ((await isOwner()) ? await job.run() : undefined) }
}

/** What every node does. */
function jobsOf({ ownership, runner, reconciler, unreadable, relay, setAsides }: JobDeps): readonly Job[] {
  return [
    { name: 'claim-ownership', everyMs: claimEveryMs, run: ownership.claim },
    { name: 'keep-channel-work', everyMs: claimEveryMs, run: runner.keep },
    // Each node compares by itself, so what it shows and what its metrics report is its own observation.
    { name: 'reconcile', everyMs: reconcileMs, run: reconciler.run },
    { name: 'count-unreadable', everyMs: countUnreadableMs, run: unreadable.count },
    // Each node counts for its own metrics, and a decision takes effect once, whoever carries it out.
    { name: 'look-at-set-aside', everyMs: setAsideMs, run: setAsides.look },
    { name: 'exchange-minutes', everyMs: exchangeMs, run: relay.exchangeMinutes },
    // Each question is claimed in the database.
    { name: 'poll-tasks', everyMs: pollMs, run: relay.pollTasks },
  ]
}

/** What one node does for all. */
function jobsOfOwner(deps: JobDeps): readonly Job[] {
  const { db, clock, ledger, sessions, configuration, limiters, settingsStore, usage, logCopies, codes, relay, timedTests, log } = deps
  const report = (err: unknown, what: string): void => log.error({ err }, what)
  const days = (): number => settingsStore.current().LogRetentionDays
  return [
    { name: 'roll-up-usage', everyMs: rollUpMs, run: usage.catchUp },
    { name: 'credit-claimed', everyMs: hourMs, run: () => creditClaimed(db, ledger, report) },
    { name: 'test-channels', everyMs: testsEveryMs, run: timedTests },
    { name: 'copy-results', everyMs: copyMs, run: relay.copyResults },
    { name: 'copy-log', everyMs: copyLogMs, run: logCopies.copy },
    { name: 'make-log-partitions', everyMs: hourMs, run: () => makeLogPartitions(db, { now: nowSeconds(clock), keptDays: days() }) },
    { name: 'clean-log', everyMs: hourMs, run: createLogRetention({ db, clock, usage, logCopies, days }) },
    { name: 'clean-tasks', everyMs: hourMs, run: relay.cleanTasks },
    { name: 'clean-sessions', everyMs: hourMs, run: sessions.clean },
    { name: 'clean-codes', everyMs: hourMs, run: codes.clean },
    { name: 'clean-kept-answers', everyMs: hourMs, run: () => sweepStoredResponses(db, clock, settingsStore.current()) },
    { name: 'clean-changes', everyMs: hourMs, run: configuration.clean },
    { name: 'evaluate-rules', everyMs: evaluateMs, run: deps.notificationRules.evaluate },
    { name: 'send-notifications', everyMs: notifyMs, run: deps.deliveries.send },
    { name: 'clean-notifications', everyMs: hourMs, run: deps.deliveries.clean },
    { name: 'back-up', everyMs: backUpMs, run: deps.backups.runIfDue },
    { name: 'clean-limits', everyMs: cleanLimitsMs, run: limiters.clean },
  ]
}
