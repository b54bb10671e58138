import { join } from 'node:path'
import { messageText } from '@sluice/contract'
import type { Logger } from 'pino'
import { bootstrapRoot } from './api/account/bootstrap.ts'
import { accountApi } from './api/account/handlers.ts'
import { hasDefaultPassword } from './api/account/queries.ts'
import { createSessions } from './api/account/sessions.ts'
import { catalogueApi } from './api/catalogue/handlers.ts'
import { channelApi } from './api/channel/handlers.ts'
import { logApi } from './api/log/handlers.ts'
import { optionApi } from './api/option/handlers.ts'
import { openSettings } from './api/option/settings.ts'
import { statusApi } from './api/status/handlers.ts'
import { tokenApi } from './api/token/handlers.ts'
import type { Store } from './db/connect.ts'
import { connectSqlite } from './db/connect-sqlite.ts'
import type { Env } from './env.ts'
import type { ConsoleFiles } from './http/console-files.ts'
import { createFetch } from './http/server.ts'
import { schedule } from './jobs/schedule.ts'
import { createLedger } from './ledger/create-ledger.ts'
import type { Ledger } from './ledger/ledger.ts'
import { type Clock, nowSeconds, systemClock } from './lib/clock.ts'
import { createDeadlines } from './lib/deadlines.ts'
import { readMasterKey } from './lib/master-key.ts'
import { argonCost, createPasswords } from './lib/passwords.ts'
import { createSeal } from './lib/seal.ts'
import { createRelay } from './relay/create-relay.ts'

export interface AppOptions {
  readonly env: Env
  readonly log: Logger
  readonly consoleFiles: ConsoleFiles | null
  /** Stands in for the real clock, and for the real cost of a password, where a test asks for it. */
  readonly clock?: Clock
  readonly passwordCost?: typeof argonCost
  /** ':memory:' keeps nothing. */
  readonly databasePath?: string
}

/** A running server. */
export interface App {
  readonly port: number
  readonly store: Store
  readonly ledger: Ledger
  readonly hasDefaultPassword: boolean
  /** Waits for running answers, at most the grace period, and closes everything in order. */
  stop(): Promise<void>
}

const hourMs = 3_600_000

/** Puts the parts together and listens; nothing else constructs anything. */
export async function startApp({
  env,
  log,
  consoleFiles,
  clock = systemClock,
  passwordCost = argonCost,
  databasePath,
}: AppOptions): Promise<App> {
  const store = await connectSqlite(databasePath ?? join(env.dataDir, 'sluice.db'))
  const { db } = store
  const seal = createSeal(readMasterKey(env.secret, env.dataDir))
  const ledger = await createLedger({ store, clock, log })
  const passwords = createPasswords(passwordCost)
  await bootstrapRoot({
    db,
    ledger,
    seal,
    clock,
    passwords,
    initialPassword: env.initialRootPassword,
    initialAccessToken: env.initialRootAccessToken,
  })
  const settingsStore = await openSettings(db)
  const settings = settingsStore.current
  const sessions = createSessions({ db, clock, seal })
  let port = env.port
  const ownPort = (): number => port
  const relay = createRelay({ store, ledger, seal, settings, clock, log, limits: env.limits, ownPort })
  let isReady = true

  const endpoints = [
    ...statusApi({ settings, startTime: nowSeconds(clock) }),
    ...accountApi({
      db,
      clock,
      settings,
      sessions,
      passwords,
      modelsOf: relay.modelsOf,
      changed: (id) => relay.changed({ what: 'user', id }),
    }),
    ...tokenApi({ db, ledger, seal, clock, changed: (id) => relay.changed({ what: 'token', id }) }),
    ...channelApi({ db, seal, clock, probe: relay.probe, changed: () => relay.changed({ what: 'channels' }), ownPort }),
    ...logApi({ db }),
    ...optionApi({ store: settingsStore, changed: () => relay.changed({ what: 'options' }) }),
    ...catalogueApi({ settings }),
  ]
  const fetch = createFetch({
    endpoints,
    authenticate: sessions.authenticate,
    deadlines: createDeadlines(clock),
    report: (err) => log.error({ err }, 'a management call failed'),
    relay: relay.handle,
    consoleFiles,
    frameOrigins: () => originsOf([settings().ChatLink]),
    trustedProxies: env.trustedProxies,
    isReady: () => isReady,
  })
  // Bun ends a connection that is silent for this many seconds; streams switch that off for themselves.
  const server = Bun.serve({
    port: env.port,
    hostname: env.host,
    fetch,
    idleTimeout: 120,
    maxRequestBodySize: env.limits.bodyBytesMax + 1024 * 1024,
  })
  port = server.port ?? env.port

  const warn = async (): Promise<void> => {
    if (await hasDefaultPassword(db)) log.warn(messageText('log_default_password'))
  }
  const stopJobs = schedule(
    [
      { name: 'warn-default-password', everyMs: hourMs, run: warn },
      { name: 'clean-sessions', everyMs: hourMs, run: sessions.clean },
    ],
    log,
  )

  return {
    port,
    store,
    ledger,
    hasDefaultPassword: await hasDefaultPassword(db),
    async stop() {
      isReady = false
      stopJobs()
      await relay.drain(env.shutdownGraceMs)
      await server.stop(true)
      await ledger.drain()
      await store.close()
    },
  }
}

function originsOf(addresses: readonly string[]): readonly string[] {
  return addresses.flatMap((address) => URL.parse(address)?.origin ?? [])
}
