import { type ChildProcess, spawn } from 'node:child_process'
import { freePort } from '@sluice/http1/http-server'
import type { Logger } from 'pino'
import { nodeIdAt } from './db/node.ts'
import { type Env, workerVariables } from './env.ts'
import { systemClock } from './lib/clock.ts'
import { ownCommand } from './lib/inside-executable.ts'
import { stopSignals } from './lib/signals.ts'
import { forwardWorkerMessage, type WorkerMessage } from './telemetry/worker-metrics.ts'

/** The message that a worker sends its supervisor when it serves. */
export interface WorkerReady {
  /** How to log in for the first time. */
  readonly startLines: readonly string[]
}

/** The first message of a worker. */
export interface ReadyMessage extends WorkerReady {
  readonly kind: 'ready'
}

/** Pause before a worker that ended is started again; it doubles with each end that follows soon, up to the longest. */
const restartMs = 500
const longestRestartMs = 15_000
/** A worker that ran for this long, its start included, did not end soon. */
const steadyMs = 60_000

interface Worker {
  readonly id: string
  process: ChildProcess
  /** Monotonic milliseconds. */
  startedMs: number
  /** How often it ended soon, one after the other. */
  earlyEnds: number
}

interface SupervisorOptions {
  readonly env: Pick<Env, 'workers' | 'nodeId' | 'port' | 'host'>
  readonly log: Pick<Logger, 'warn'>
  /** Called once, when all workers serve. */
  readonly ready: (port: number, workerReady: WorkerReady) => void
}

/**
 * Runs several processes of this program on one port: the system gives each connection to one of them. Each is a node of the installation, and
 * is started again when it ends. A signal to stop ends all of them, and then this process; a second one ends them at once.
 * @returns the exit code: that of a first worker that could not start, or 0
 */
export async function superviseWorkers({ env, log, ready }: SupervisorOptions): Promise<number> {
  const port = freePort(env.host, env.port)
  const name = env.nodeId || nodeIdAt(port)
  const workers: Worker[] = []
  const over = Promise.withResolvers<number>()
  let isStopping = false

  function start(id: string): { readonly process: ChildProcess; readonly ready: Promise<WorkerReady> } {
    const [program, ...args] = ownCommand()
    const child = spawn(program, args, {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
      env: workerVariables(id, port),
    })
    const first = Promise.withResolvers<WorkerReady>()
    child.on('message', (data) => {
      // Holds: a worker sends nothing else.
      const message = data as ReadyMessage | WorkerMessage
      if (message.kind === 'ready') first.resolve(message)
      else forwardWorkerMessage(message, connected())
    })
    child.once('exit', (code) => first.reject(new WorkerEnded(code ?? 1)))
    return { process: child, ready: first.promise }
  }

  /** The workers that take messages. What is sent to one that ends at this moment is lost. */
  function connected() {
    const running = workers.map(({ process: child }) => child).filter((child) => child.connected)
    return running.map((child) => ({ pid: child.pid, send: (message: WorkerMessage) => void child.send(message, () => {}) }))
  }

  /** Starts the worker again each time that it ends. */
  function keep(worker: Worker): void {
    const again = (): void => {
      if (isStopping) return
      const { exitCode: code, signalCode: signal } = worker.process
      if (systemClock.monotonicMs() - worker.startedMs > steadyMs) worker.earlyEnds = 0
      const pauseMs = Math.min(restartMs * 2 ** worker.earlyEnds, longestRestartMs)
      worker.earlyEnds += 1
      log.warn({ worker: worker.id, code, signal, pauseMs }, 'worker ended, starting it again')
      setTimeout(() => restart(worker), pauseMs)
    }
    if (isRunning(worker.process)) worker.process.once('exit', again)
    else again()
  }

  function restart(worker: Worker): void {
    if (isStopping) return
    const next = start(worker.id)
    worker.process = next.process
    worker.startedMs = systemClock.monotonicMs()
    // It has said itself why it could not start, and is started again.
    next.ready.catch(() => {})
    keep(worker)
  }

  async function stop(code: number): Promise<void> {
    const running = workers.map(({ process: child }) => child).filter(isRunning)
    for (const child of running) child.kill(isStopping ? 'SIGKILL' : 'SIGTERM')
    isStopping = true
    await Promise.all(running.map((child) => new Promise((resolve) => child.once('exit', resolve))))
    over.resolve(code)
  }
  for (const signal of stopSignals) process.on(signal, () => stop(0))

  /** The first one alone: it makes the tables, the first account and the master key. */
  async function begin(): Promise<WorkerReady> {
    let workerReady: WorkerReady = { startLines: [] }
    for (let place = 1; place <= env.workers; place += 1) {
      const id = `${name}/${place}`
      const { process: child, ready: served } = start(id)
      workers.push({ id, process: child, startedMs: systemClock.monotonicMs(), earlyEnds: 0 })
      const own = await served
      if (place === 1) workerReady = own
    }
    return workerReady
  }

  begin().then(
    (workerReady) => {
      if (isStopping) return
      for (const worker of workers) keep(worker)
      ready(port, workerReady)
    },
    (error) => {
      if (!isStopping) void stop(error instanceof WorkerEnded ? error.code : 1)
    },
  )
  return await over.promise
}

/** A worker ended before it served. It has said why. */
class WorkerEnded extends Error {
  readonly code: number

  constructor(code: number) {
    super('a worker could not start')
    this.code = code
  }
}

const isRunning = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null
