import type { Worker } from 'node:worker_threads'

/** Runs jobs of one kind in a thread, so that input which makes one slow delays neither requests nor writes. */
export interface WorkerJobs<Job, Result> {
  /** Never rejects. */
  run(job: Job): Promise<JobOutcome<Result>>
  close(): Promise<void>
}

/** `timed_out`: it took longer than allowed, and its thread was ended. `not_started`: there is no thread for it. `busy`: too many wait. */
export type JobOutcome<Result> =
  | { readonly kind: 'done'; readonly result: Result }
  | { readonly kind: 'failed'; readonly reason: 'timed_out' | 'threw' | 'not_started' | 'busy' | 'closed'; readonly detail: string }

export interface JobLimits {
  /** Longest time of one job in milliseconds; then its thread is ended. */
  readonly jobMs: number
  /** Most jobs that wait for the thread. */
  readonly waiting: number
  /** Milliseconds after which an idle thread is ended. */
  readonly idleMs: number
}

/** What the thread sends; `serveJobs` writes it. */
export type JobMessage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'done'; readonly result: unknown }
  | { readonly kind: 'threw'; readonly detail: string }

/** Longest time for a thread to load its code, on a busy machine. */
const startMs = 20_000

interface Pending<Job, Result> {
  readonly job: Job
  readonly resolve: (outcome: JobOutcome<Result>) => void
}

/** One thread, which is started on demand, has one job at a time, and ends when it has been idle. */
export function createWorkerJobs<Job, Result>(
  startThread: () => Worker,
  { jobMs, waiting: waitingMax, idleMs }: JobLimits,
): WorkerJobs<Job, Result> {
  const waiting: Pending<Job, Result>[] = []
  let thread: Worker | null = null
  let isReady = false
  let running: Pending<Job, Result> | null = null
  /** The end of a thread, which may have to finish a step of native code first. The next one is started after it. */
  let ending: Promise<unknown> | null = null
  let timer: ReturnType<typeof setTimeout> | undefined
  let isClosed = false

  function waitAtMost(delayMs: number, onDue: () => void): void {
    clearTimeout(timer)
    timer = setTimeout(onDue, delayMs)
    timer.unref()
  }

  function end(reason: 'timed_out' | 'threw' | 'closed', detail: string): void {
    clearTimeout(timer)
    const wasReady = isReady
    const failed = running ?? (wasReady ? null : (waiting.shift() ?? null))
    running = null
    isReady = false
    const ended = thread
    thread = null
    failed?.resolve({ kind: 'failed', reason: wasReady || reason === 'closed' ? reason : 'not_started', detail })
    if (ended === null) return
    ending = ended.terminate().finally(() => {
      ending = null
      advance()
    })
  }

  function start(): void {
    const started = startThread()
    thread = started
    started.unref()
    const endIfCurrent = (cause: unknown): void => {
      if (thread === started) end('threw', String(cause))
    }
    // Holds: `serveJobs` sends nothing else.
    started.on('message', (message: JobMessage) => {
      if (thread === started) take(message)
    })
    started.on('error', endIfCurrent)
    started.on('messageerror', endIfCurrent)
    started.on('exit', (code) => endIfCurrent(`the thread ended with code ${code}`))
    waitAtMost(startMs, () => end('timed_out', 'the thread did not start'))
  }

  function take(message: JobMessage): void {
    if (message.kind === 'ready') isReady = true
    else {
      const finished = running
      running = null
      // Holds: the thread runs the jobs of this kind only.
      if (message.kind === 'done') finished?.resolve({ kind: 'done', result: message.result as Result })
      else finished?.resolve({ kind: 'failed', reason: 'threw', detail: message.detail })
    }
    advance()
  }

  /** Gives the thread its next job, if it has none. */
  function advance(): void {
    if (running !== null || ending !== null) return
    if (waiting.length === 0) {
      if (thread !== null) waitAtMost(idleMs, () => end('closed', 'the thread was idle'))
    } else if (thread === null) start()
    else if (isReady) {
      running = waiting.shift() ?? null
      thread.postMessage(running?.job)
      waitAtMost(jobMs, () => end('timed_out', `it took more than ${jobMs} ms`))
    }
  }

  return {
    run(job) {
      if (isClosed) return Promise.resolve({ kind: 'failed', reason: 'closed', detail: 'no more jobs are taken' })
      if (waiting.length >= waitingMax) return Promise.resolve({ kind: 'failed', reason: 'busy', detail: 'too many jobs wait' })
      const { promise, resolve } = Promise.withResolvers<JobOutcome<Result>>()
      waiting.push({ job, resolve })
      advance()
      return promise
    },
    async close() {
      isClosed = true
      for (const { resolve } of waiting.splice(0)) resolve({ kind: 'failed', reason: 'closed', detail: 'no more jobs are taken' })
      end('closed', 'no more jobs are taken')
      await ending
    },
  }
}
