import { type MessagePort, parentPort } from 'node:worker_threads'
import type { JobMessage } from './worker-jobs.ts'

/** The thread's side of `createWorkerJobs`: runs each job that it is sent. */
export function serveJobs<Job, Result>(run: (job: Job) => Result): void {
  // Holds: only modules that `createWorkerJobs` starts as a thread call this.
  const main = parentPort as MessagePort
  const send = (message: JobMessage): void => main.postMessage(message)
  main.on('message', (job: Job) => {
    try {
      send({ kind: 'done', result: run(job) })
    } catch (error) {
      send({ kind: 'threw', detail: String(error) })
    }
  })
  send({ kind: 'ready' })
}
