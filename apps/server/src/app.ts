import { setTimeout } from 'node:timers/promises'
import { version } from '@sluice/contract'
import type { Logger } from 'pino'
import { openSeal, warnOfFastKey } from './admin/open-seal.ts'
import { createUnreadableValues } from './admin/unreadable-values.ts'
import { createGrants } from './api/account/grants.ts'
import { hasUsers } from './api/account/login-queries.ts'
import { createSessions } from './api/account/sessions.ts'
import { createAudit } from './api/audit.ts'
import { catalogueApi } from './api/catalogue/handlers.ts'
import { channelApi } from './api/channel/handlers.ts'
import { createOpenProxies } from './api/channel/open-proxies.ts'
import { createChannelStatus } from './api/channel/status.ts'
import { createTestChannel } from './api/channel/test-channel.ts'
import { createTimedTests } from './api/channel/timed-tests.ts'
import { createChannelRunner } from './api/channel/work.ts'
import { ledgerApi } from './api/ledger/handlers.ts'
import { createSetAsides } from './api/ledger/set-aside.ts'
import { logApi } from './api/log/handlers.ts'
import { createLogCopies } from './api/log/log-copies.ts'
import { createUsage } from './api/log/usage.ts'
import { modelApi } from './api/model/handlers.ts'
import { notificationApi } from './api/notification/handlers.ts'
import { loginsWithoutAddress } from './api/oauth/providers.ts'
import { optionApi } from './api/option/handlers.ts'
import { createSetPrice } from './api/option/set-price.ts'
import { openSettings } from './api/option/settings.ts'
import { creditClaimed } from './api/redemption/credit.ts'
import { redemptionApi } from './api/redemption/handlers.ts'
import { routeApi } from './api/route/handlers.ts'
import { hasSecondStep } from './api/second-factor/second-factors.ts'
import { statusApi } from './api/status/handlers.ts'
import { taskApi } from './api/task/handlers.ts'
import { tokenApi } from './api/token/handlers.ts'
import { createCodes } from './api/verification/codes.ts'
import { accountEndpoints } from './app-accounts.ts'
import { openAround } from './app-around.ts'
import { openFirstAccount, openKnownHosts } from './app-first-start.ts'
import { startJobs } from './app-jobs.ts'
import type { Store } from './db/connect.ts'
import { connectStore } from './db/connect-store.ts'
import { explainStore } from './db/explain-store.ts'
import { inspectFolder } from './db/former-folder.ts'
import { nodeIdAt } from './db/node.ts'
import type { StoreEvents } from './db/owned-connection.ts'
import { resultsFolder, storePlace } from './db/store-place.ts'
import type { Env } from './env.ts'
import type { ConsoleFiles } from './http/console-files.ts'
import { createCrossSiteLog } from './http/csrf.ts'
import { framedOrigins } from './http/framed-origins.ts'
import { listen } from './http/listen.ts'
import { createRateLimits } from './http/rate-limits.ts'
import { createFetch } from './http/server.ts'
import { turnAway } from './http/turn-away.ts'
import { createReadForeign } from './import/read-foreign.ts'
import type { schedule } from './jobs/schedule.ts'
import { createLedger } from './ledger/create-ledger.ts'
import type { Ledger } from './ledger/ledger.ts'
import { createReconciler, type Reconciler } from './ledger/reconcile.ts'
import { type ActivityBoard, noBoard } from './lib/activity-board.ts'
import { atMost } from './lib/at-most.ts'
import { createMemory } from './lib/body-memory.ts'
import { type Clock, nowSeconds, systemClock } from './lib/clock.ts'
import { createDeadlines } from './lib/deadlines.ts'
import { failByCommand } from './lib/failpoints.ts'
import { type ScryptCost, scryptCost } from './lib/key-derivation.ts'
import { argonCost, createPasswords } from './lib/passwords.ts'
import { openSpools } from './lib/spool.ts'
import { followConfiguration } from './nodes/configuration.ts'
import { openOwnership } from './nodes/ownership.ts'
import { openLimiters } from './nodes/shared-limiters.ts'
import { openTimetable, openWorkBoard } from './nodes/work.ts'
import type { OutsideAddresses } from './outside/addresses.ts'
import { postTo } from './outside/call.ts'
import { openClickHouse } from './outside/clickhouse-queries.ts'
import { openOperatorCalls } from './outside/operator-calls.ts'
import type { MailNetwork } from './outside/smtp.ts'
import { createRelay } from './relay/create-relay.ts'
import { messageBytesMax } from './relay/realtime/realtime-session.ts'
import type { Relay, RelayDeps } from './relay/relay-deps.ts'
import { openTelemetry } from './telemetry/open-telemetry.ts'
import type { WorkerMetrics } from './telemetry/worker-metrics.ts'

export interface AppOptions {
  readonly env: Env
  readonly log: Logger
  readonly consoleFiles: ConsoleFiles | null
  /** What the watchdog sees of what runs; missing: nobody watches. */
  readonly activities?: ActivityBoard
  /** The other processes on the port; missing: there is one. */
  readonly workers?: WorkerMetrics | null
  /** Stands in for the real clock, and for the real cost of a password, where a test asks for it. */
  readonly clock?: Clock
  readonly passwordCost?: typeof argonCost
  /** The cost of deriving a new master key, likewise. */
  readonly secretCost?: ScryptCost
  /** Instead of the database of the environment: one in memory, which begins as a copy of this SQLite database. */
  readonly databaseImage?: Uint8Array
  /** Services outside, where a test has its own. */
  readonly outsideAddresses?: Partial<OutsideAddresses>
  readonly mailNetwork?: Partial<MailNetwork>
  /** Instead of the system's: the addresses of a name. */
  readonly lookUp?: (host: string) => Promise<readonly string[]>
  /** Instead of the networks that the internet does not route: whether an IP address is one of a local network. */
  readonly isLocal?: (address: string) => boolean
  /** Instead of timers: a test runs the jobs itself. */
  readonly schedule?: typeof schedule
}

/** A running server. */
export interface App {
  readonly port: number
  readonly store: Store
  readonly ledger: Ledger
  readonly reconciler: Reconciler
  /** What the operator reads when it serves: how to log in for the first time. */
  readonly startLines: readonly string[]
  /** Waits for running responses, at most the grace period, and closes everything in order. */
  stop(graceMs?: number): Promise<void>
}

/** How long the last bytes of responses may take to leave after everything has been accounted for. */
const lastBytesMs = 5_000

/** How long a shutdown waits for messages that are still to be sent. */
const lastMessagesMs = 5_000

/** Puts the parts together and listens; nothing else constructs anything. */
export const startApp = (options: AppOptions): Promise<App> =>
  putTogether(options).catch(async (error: unknown) => {
    throw await explainStore(storePlace(options.env), error)
  })

async function putTogether(options: AppOptions): Promise<App> {
  const { env, log, consoleFiles, activities = noBoard } = options
  const parts = await openParts(options)
  const { db, store, ledger, clock, sessions, telemetry } = parts
  const settings = parts.settingsStore.current
  let port = env.port
  const around = openAround(parts, options, () => port)
  await around.privateUpstreams.afterStart()
  const upstream = openUpstream(parts, options, around)
  const { relay, runner } = upstream
  let isServing = true

  const respond = createFetch({
    endpoints: endpointsOf(parts, upstream, around),
    authenticate: sessions.authenticate,
    rateLimits: createRateLimits(parts.limiters, env.rateLimits, telemetry.limited),
    deadlines: createDeadlines(clock),
    durable: store.durable,
    ...parts.bodyMemory,
    report: (err, requestId) => log.error({ err, requestId }, 'management API call failed'),
    crossSite: createCrossSiteLog(clock, (call) =>
      log.warn(call, 'cross-site request blocked; if this is your console, the proxy must pass on the Host header with its port'),
    ),
    responded: telemetry.apiResponded,
    relay: relay.handle,
    metrics: telemetry.metricsPage({ ...parts, reconciliation: parts.reconciler.current, channels: relay.health, backups: around.backups }),
    consoleFiles: consoleFiles?.inDesign(settings().Theme) ?? null,
    frameOrigins: async () => framedOrigins([settings().ChatLink, ...(await around.texts.frames(settings()))]),
    hasBotCheck: () => settings().TurnstileCheckEnabled,
    publicAddress: around.configuredAddress,
    isAddressConfirmed: () => parts.settingsStore.isConfirmed('sessions'),
    knownHosts: parts.knownHosts,
    trustedProxies: env.trustedProxies,
    basePath: env.basePath,
    consoleOrigins: env.consoleOrigins,
    ...{ activities, clock },
    isBroken: ledger.isBroken,
    unreadable: parts.unreadable.kinds,
    isReady: async () =>
      isServing &&
      ledger.isReady() &&
      !parts.configuration.isStale() &&
      (await Promise.race([hasUsers(db).catch(() => false), afterReadyMs()])),
  })
  const server = listen({
    ...{ port: env.port, host: env.host, isPortShared: env.isPortShared, stallMs: env.limits.stallMs, keepMs: env.keepAliveMs },
    ...{ clock, respond, messageBytesMax, longMessages: parts.longMessages },
    failed: (err, keptBack) => log.error({ err, keptBack }, 'connection failed'),
  })
  port = server.port
  const { timedTests } = upstream
  const stopJobs = await startJobs({ ...parts, ...around, activities, relay, timedTests, runner, log, schedule: options.schedule })

  return {
    port,
    store,
    ledger,
    reconciler: parts.reconciler,
    startLines: await parts.firstLogin.startLines(around.consoleAddresses()),
    async stop(graceMs = env.shutdownGraceMs) {
      isServing = false
      if (graceMs > 0) await turnAway(server, env.shutdownDelayMs)
      const stopped = server.stop()
      stopJobs()
      const runnerStopped = runner.stop()
      parts.usage.stop()
      const backupsStopped = around.backups.stop()
      const copiesStopped = parts.logCopies.stop()
      const reconcilerStopped = parts.reconciler.stop()
      await relay.drain(graceMs)
      await runnerStopped
      await parts.ownership.end()
      // The relay is done when the last response is accounted for; its last bytes may still be on their way.
      await atMost(lastBytesMs, stopped)
      server.cut()
      await ledger.close()
      await atMost(lastMessagesMs, around.outbox.drain())
      around.outside.close()
      await around.texts.close()
      await telemetry.stop()
      await reconcilerStopped
      // What is cut short is sent again by whoever copies next.
      await atMost(lastMessagesMs, copiesStopped)
      parts.operatorCalls.close()
      await backupsStopped
      await store.close()
    },
  }
}

type Parts = Awaited<ReturnType<typeof openParts>>

/** Everything below relay and management API, with the first account in place. */
async function openParts({
  env,
  log,
  clock = systemClock,
  passwordCost = argonCost,
  secretCost = scryptCost,
  databaseImage,
  activities = noBoard,
  workers = null,
}: AppOptions) {
  const reached = failByCommand(env.failAt)
  const report: StoreEvents['report'] = (what, err) => (err === null ? log.warn(what) : log.error({ err }, what))
  const store = await openStore(env, databaseImage, { reached, report })
  const { db } = store
  const seal = await openSeal(db, { ...env, scryptCost: secretCost })
  warnOfFastKey(seal, env, (problem) => log.warn(problem))
  const operatorCalls = openOperatorCalls(env, clock)
  const traces = { ...env.traces, post: postTo(env.traces, operatorCalls.send) }
  const telemetry = openTelemetry({ clock, activities, log, metricsToken: env.metricsToken, workers, version, traces })
  const ledger = await createLedger({ store, clock, log, reached, committed: telemetry.committed })
  const passwords = createPasswords(passwordCost)
  const reportRow = (err: unknown, what: string): void => log.error({ err }, what)
  await creditClaimed(db, ledger, reportRow)
  const configuration = await followConfiguration({ store, clock, log })
  const { databaseClock } = configuration
  const limiters = openLimiters({ store, clock, databaseClock, log })
  const node = `${store.node.id} ${store.node.epoch}`
  const settingsStore = await openSettings({ db, seal, clock })
  const grants = createGrants({ db, ledger, report: reportRow })
  await grants.give()
  const openSpool = await openSpools({ reached, folders: [env.temporaryDir, env.dataDir], report: (problem) => log.warn(problem) })
  return {
    ...{ reached, openSpool, store, db },
    ...createMemory({ ...env.limits, messageBytesMax, clock, openSpool }),
    seal,
    ledger,
    passwords,
    firstLogin: await openFirstAccount({ db, ledger, seal, clock, passwords, env, log }),
    knownHosts: await openKnownHosts({ db, settingsStore, env }),
    ...{ clock, configuration, limiters },
    ownership: openOwnership({ store, clock, log, node }),
    workBoard: openWorkBoard(store, { name: 'channel work', node }),
    testsDue: openTimetable(store, { name: 'timed tests', clock, databaseClock }),
    settingsStore,
    grants,
    unreadable: createUnreadableValues({ db, seal, clock, options: settingsStore.unreadable }),
    sessions: createSessions({ db, clock, seal, isSecondFactorRequired: () => settingsStore.current().AdminSecondFactorRequired }),
    codes: createCodes({ db, seal, clock }),
    usage: createUsage(db, clock),
    logCopies: createLogCopies({ ...store, clock, report, sink: openClickHouse(env.clickHouseUrl, operatorCalls.send) }),
    reconciler: createReconciler({ db, clock, log }),
    setAsides: createSetAsides({
      ...{ db, ledger, clock, audit: createAudit({ ledger, clock }) },
      report: (what, details) => log.error(details, what),
    }),
    telemetry,
    operatorCalls,
  }
}

/** Opens the database, and reports where the data folder may be another one than before. */
async function openStore(env: Env, databaseImage: Uint8Array | undefined, events: StoreEvents): Promise<Store> {
  const folderProblems = databaseImage === undefined ? inspectFolder(env) : async () => []
  const store = await connectStore(databaseImage ?? storePlace(env), {
    ...events,
    ...{ reserveBytes: env.reserveBytes, isShared: true },
    node: { id: env.nodeId || nodeIdAt(env.port), version },
  })
  for (const problem of await folderProblems(store)) events.report(problem, null)
  return store
}

type Around = ReturnType<typeof openAround>

/** What talks to vendors, and what the program decides by itself of channels. */
function openUpstream(
  parts: Parts,
  { env, log }: AppOptions,
  { guard, configuredAddress, notifyOfChannel: notify, remindOfQuota: spent, notificationRules }: Around,
) {
  const { store, db, ledger, seal, clock, settingsStore, telemetry, reached, longMessages, bodyMemory } = parts
  const settings = settingsStore.current
  const changed = (id: number): void => void relay.changed({ what: 'channels', ids: [id] })
  const status = createChannelStatus({ db, clock, settings, notify, disabled: notificationRules.channelDisabled, changed })
  const report = (err: unknown, channel: number): void => log.error({ err, channel }, 'channel job failed')
  const suspected: RelayDeps['suspected'] = ({ id, name }, reason) => notify({ what: 'usage_suspect', channelId: id, name, reason })
  const about = {
    limits: env.limits,
    publicAddress: configuredAddress,
    basePath: env.basePath,
    guard,
    keyRefused: status.keyRefused,
    spent,
    suspected,
    telemetry: telemetry.telemetry,
    reached,
    longMessages,
    bodyMemory,
    openSpool: parts.openSpool,
    filePlace: { folder: resultsFolder(env.dataDir), s3: env.resultsS3 },
    configuration: parts.configuration,
  }
  const relay: Relay = createRelay({ store, ledger, seal, settings, clock, log, ...about })
  const runner = createChannelRunner({ clock, report, pauseMs: env.channelPauseMs, board: parts.workBoard })
  const testChannel = createTestChannel({ db, clock, probe: relay.probe })
  return { relay, status, runner, timedTests: createTimedTests({ db, beginDue: parts.testsDue, settings, runner, status, testChannel }) }
}

/** Every noun with what it needs of the others. */
function endpointsOf(parts: Parts, { relay, status, runner }: ReturnType<typeof openUpstream>, around: Around) {
  const { db, seal, ledger, clock, settingsStore, reconciler } = parts
  const { reads } = parts.store
  const settings = settingsStore.current
  const audit = createAudit({ ledger, clock })
  const { changed } = relay
  const optionsChanged = (): void => void changed({ what: 'options' })
  const setPrice = createSetPrice({ store: settingsStore, audit, changed: optionsChanged })
  const { ownPort, refusalOf, privateUpstreams } = around
  const own = { db, seal, clock, audit, ownPort, refusalOf, readForeign: createReadForeign(ownPort) }
  return [
    ...statusApi({ settings, texts: around.texts, publicAddress: around.configuredAddress, startTime: nowSeconds(clock) }),
    ...tokenApi({ db, ledger, seal, clock, settings, audit, changed: (id) => changed({ what: 'token', id }) }),
    ...channelApi({ ...relay, ...own, status, runner, setPrice, changed: (ids) => changed({ what: 'channels', ids }) }),
    ...redemptionApi({ db, reads, ledger, seal, clock, audit, limiters: parts.limiters }),
    ...taskApi({ db, reads, tasks: relay.tasks, fieldsOf: relay.fieldsOf, estimateTask: relay.estimateTask, audit }),
    ...routeApi({ db, explainRoute: relay.explainRoute }),
    ...modelApi({ settings, listModels: relay.listModels, reads, clock }),
    ...ledgerApi({ reconciliation: reconciler.current, setAsides: parts.setAsides }),
    ...logApi({ ...parts, reads, audit }),
    ...optionApi({
      ...around.outside,
      ...around,
      ...parts.knownHosts,
      openProxies: createOpenProxies(parts),
      loginsWithoutAddress,
      unreadable: parts.unreadable.current,
      hasSecondStep: (id) => hasSecondStep(db, id),
      db,
      store: settingsStore,
      audit,
      changed: optionsChanged,
    }),
    ...notificationApi({ db, seal, clock, audit, ...around, ...around.notices }),
    ...catalogueApi({ settings }),
    ...accountEndpoints({ ...parts, reads }, relay, { ...around, ...privateUpstreams, audit }),
  ]
}

/** Longest wait for the database when somebody asks whether the server is ready. */
const readyMs = 2_000

const afterReadyMs = (): Promise<false> => setTimeout(readyMs, false, { ref: false })
