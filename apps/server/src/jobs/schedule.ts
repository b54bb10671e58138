import type { Logger } from 'pino'

/** A task that runs at an interval while the server runs. */
export interface Job {
  readonly name: string
  readonly everyMs: number
  run(): Promise<unknown>
}

/** Runs each job at its interval, never concurrently with itself. A failure is logged; the next run follows. @returns stops all jobs */
export function schedule(jobs: readonly Job[], log: Logger): () => void {
  const timers = jobs.map((job) => {
    let isRunning = false
    const timer = setInterval(() => {
      if (isRunning) return
      isRunning = true
      void runJob(job, log).finally(() => {
        isRunning = false
      })
    }, job.everyMs)
    timer.unref()
    return timer
  })
  return () => {
    for (const timer of timers) clearInterval(timer)
  }
}

/** Runs a job once. A failure is logged. Does not throw. */
export async function runJob({ name, run }: Pick<Job, 'name' | 'run'>, log: Logger): Promise<void> {
  await run().catch((err: unknown) => log.error({ err, job: name }, 'scheduled job failed'))
}
