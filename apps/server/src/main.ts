import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { explainStart, needsDataFolder, readVariables, runCommand, startAgainWhereNeeded } from './commands.ts'
import { embeddedConsole } from './embedded-console.ts'
import { readEnv } from './env.ts'
import { filesIn, loadConsole } from './http/console-files.ts'
import { atMost } from './lib/at-most.ts'
import { systemClock } from './lib/clock.ts'
import { openDataFolder } from './lib/data-folder.ts'
import { type Listening, ownAddresses } from './lib/own-addresses.ts'
import { ignoreStraySignals, stopSignals } from './lib/signals.ts'
import { createLog } from './log.ts'
import { type Output, standardOutput } from './output.ts'
import { connectWorkerMetrics, type WorkerMetrics } from './telemetry/worker-metrics.ts'
import { createWatchdog } from './watchdog/create-watchdog.ts'
import { type ReadyMessage, superviseWorkers, type WorkerReady } from './workers.ts'

const consoleFolder = join(import.meta.dir, '../../console/dist')

/** Exit code of a server that another one declared dead: temporary, so that a supervisor starts it again (EX_TEMPFAIL). */
const fencedCode = 75
/** Exit code of a server whose database takes no writes any more (EX_IOERR): a supervisor starts it again. */
const brokenCode = 74
/** Longest time that such a server takes to end. */
const lastMs = 15_000

/** Until then the watchdog's thread and the first jobs have started too, and what they needed for it can be freed: 2 MB. */
const startedMs = 1_000

async function serve(envFile: string | null): Promise<void> {
  const env = readEnv()
  startAgainWhereNeeded()
  if (needsDataFolder(env)) openDataFolder(env.dataDir)
  ignoreStraySignals()
  const output = standardOutput()
  const log = createLog(env.logLevel, output)
  const end = async (code: number): Promise<never> => {
    await output.flush()
    process.exit(code)
  }
  // Its supervisor has written it.
  if (!env.isPortShared) {
    if (envFile !== null) output.write(`Variables not set in the environment are read from ${envFile}\n`)
    for (const warning of env.warnings) log.warn(warning)
  }
  if (env.workers > 1)
    return await end(
      await superviseWorkers({ env, log, ready: (port, started) => reportReady(output, { ...started, host: env.host, port }) }),
    )
  const files = embeddedConsole() ?? (existsSync(join(consoleFolder, 'index.html')) ? filesIn(consoleFolder) : null)
  // Only here: the commands, one of which the server runs beside itself, need little of it.
  const { startApp } = await import('./app.ts')
  const watchdog = createWatchdog(env.watchdogMs, systemClock)
  const { activities } = watchdog
  const starting = startApp({
    env,
    log,
    activities,
    workers: workerMetrics(env.nodeId),
    consoleFiles: files === null ? null : await loadConsole(files),
  })
  let isStopping = false
  const isWorker = process.send !== undefined
  // A server that gets a stop signal while it starts stops when it has started: until it says so, others take it for running.
  const stop = async (): Promise<void> => {
    // A worker gets the signal twice, of its supervisor and of whoever signals a whole group; its supervisor ends it at once by SIGKILL.
    if (isStopping && isWorker) return
    if (isStopping) process.exit(1)
    isStopping = true
    watchdog.allowShutdown()
    await (await starting).stop()
    await end(0)
  }
  for (const signal of stopSignals) process.on(signal, stop)
  const app = await starting
  app.store.node.onFenced(async () => {
    // What is delivered from here on could not be charged, so running responses end at once, with an error.
    isStopping = true
    watchdog.allowShutdown()
    await app.stop(0)
    await end(fencedCode)
  })
  app.ledger.onBroken(async () => {
    if (isStopping) return
    isStopping = true
    watchdog.allowShutdown()
    // What is delivered could not be charged, and a part that waits for the database must not keep the others waiting.
    await atMost(
      lastMs,
      app.stop(0).catch((err: unknown) => log.error({ err }, 'graceful shutdown failed')),
    )
    await end(brokenCode)
  })
  await watchdog.start()
  if (isStopping) return
  // Frees what only the start needed: 5 MB. Deprecated, but nothing else drops compiled code that is not used again; it collects too.
  setTimeout(() => Bun.shrink(), startedMs).unref()
  // Only now: whoever reads this may stop the server at once.
  if (process.send === undefined) reportReady(output, { ...app, host: env.host })
  else {
    process.on('disconnect', stop)
    process.send({ kind: 'ready', startLines: app.startLines } satisfies ReadyMessage)
  }
}

/** The last part of a worker's name identifies it. `null`: this process is not a worker. */
function workerMetrics(nodeId: string): WorkerMetrics | null {
  if (process.send === undefined) return null
  return connectWorkerMetrics(
    {
      pid: process.pid,
      send: (message) => void process.send?.(message),
      listen: (listener) => void process.on('message', listener),
    },
    nodeId.slice(nodeId.lastIndexOf('/') + 1),
  )
}

function reportReady(output: Output, { startLines, ...listening }: WorkerReady & Listening): void {
  for (const line of [`Sluice is running: ${ownAddresses(listening)[0]}`, ...startLines]) output.write(`${line}\n`)
}

// Everything that the server and its commands write is for their owner only, also in folders that others may read.
process.umask(0o077)
try {
  const { rest, envFile } = readVariables(process.argv.slice(2))
  const outcome = await runCommand(rest)
  if (outcome === 'serve') await serve(envFile)
  else if (outcome !== 'running') process.exit(outcome)
} catch (error) {
  console.error(explainStart(error))
  process.exit(1)
}
