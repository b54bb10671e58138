import { messageText } from '@sluice/contract'
import type { Logger } from 'pino'
import { hasDefaultPassword } from './api/account/login-queries.ts'
import type { Sessions } from './api/account/sessions.ts'
import { createLogRetention } from './api/log/retention.ts'
import type { Usage } from './api/log/usage.ts'
import type { SettingsStore } from './api/option/settings.ts'
import { creditClaimed } from './api/redemption/credit.ts'
import type { Codes } from './api/verification/codes.ts'
import type { Db } from './db/connect.ts'
import { type Job, schedule } from './jobs/schedule.ts'
import type { Ledger } from './ledger/ledger.ts'
import type { Reconciler } from './ledger/reconcile.ts'
import type { Clock } from './lib/clock.ts'
import type { Relay } from './relay/relay-deps.ts'
import { sweepStoredResponses } from './relay/stored-responses/stored-responses.ts'

const hourMs = 3_600_000

/** How far the hours of usage may lie behind the log, so that whoever asks for them need not wait for much to be added up. */
const rollUpMs = 5_000

/** How often every balance is compared with its entries. */
const reconcileMs = 600_000

/** How soon options count that a command has stored beside the running server. */
const reloadMs = 2_000

/** How often it is looked whether the channels are to be tested. */
const testsEveryMs = 10_000

/** How often tasks that are due are looked for; the database is asked only when one is, or after seconds. */
const pollMs = 500
/** How often it is looked whether results are to be copied; the database is asked every few seconds. */
const copyMs = 1_000

interface JobDeps {
  readonly db: Db
  readonly clock: Clock
  readonly ledger: Ledger
  readonly sessions: Sessions
  readonly settingsStore: SettingsStore
  readonly usage: Usage
  readonly codes: Codes
  readonly reconciler: Reconciler
  readonly relay: Relay
  readonly timedTests: Job['run']
  readonly log: Logger
  /** Instead of timers: a test runs the jobs itself. */
  readonly schedule?: typeof schedule | undefined
}

/** Starts what the server does by itself at intervals. @returns stops it */
export async function startJobs({ log, schedule: start = schedule, ...deps }: JobDeps): Promise<() => void> {
  const { db, settingsStore, relay, reconciler } = deps
  const warn = async (): Promise<void> => {
    if (await hasDefaultPassword(db)) log.warn(messageText('log_default_password'))
    const { options: waiting } = settingsStore.waiting()
    if (waiting.length > 0) log.warn(messageText('log_options_waiting', { keys: waiting.map(({ key }) => key).join(', ') }))
  }
  const reload = async (): Promise<void> => {
    if (await settingsStore.reload()) relay.changed({ what: 'options' })
  }
  await warn()
  void reconciler.run().catch((err: unknown) => log.error({ err }, 'the first look at the books failed'))
  return start(
    [...jobsOf(deps), { name: 'warn', everyMs: hourMs, run: warn }, { name: 'reload-options', everyMs: reloadMs, run: reload }],
    log,
  )
}

function jobsOf({
  db,
  clock,
  ledger,
  sessions,
  settingsStore,
  usage,
  codes,
  reconciler,
  relay,
  timedTests,
}: Omit<JobDeps, 'log'>): readonly Job[] {
  return [
    { name: 'roll-up-usage', everyMs: rollUpMs, run: usage.catchUp },
    { name: 'reconcile', everyMs: reconcileMs, run: reconciler.run },
    { name: 'credit-claimed', everyMs: hourMs, run: () => creditClaimed(db, ledger) },
    { name: 'test-channels', everyMs: testsEveryMs, run: timedTests },
    {
      name: 'clean-log',
      everyMs: hourMs,
      run: createLogRetention({ db, clock, usage, days: () => settingsStore.current().LogRetentionDays }),
    },
    { name: 'poll-tasks', everyMs: pollMs, run: relay.pollTasks },
    { name: 'copy-results', everyMs: copyMs, run: relay.copyResults },
    { name: 'clean-tasks', everyMs: hourMs, run: relay.cleanTasks },
    { name: 'clean-sessions', everyMs: hourMs, run: sessions.clean },
    { name: 'clean-codes', everyMs: hourMs, run: codes.clean },
    { name: 'clean-kept-answers', everyMs: hourMs, run: () => sweepStoredResponses(db, clock, settingsStore.current()) },
  ]
}
