import { afterEach, expect, test } from 'bun:test'
import { Worker } from 'node:worker_threads'
import { createWorkerJobs, type JobLimits, type WorkerJobs } from './worker-jobs.ts'

const usual: JobLimits = { jobMs: 60_000, waiting: 8, idleMs: 60_000 }
const opened: WorkerJobs<string, unknown>[] = []
afterEach(async () => {
  for (const jobs of opened.splice(0)) await jobs.close()
})

/** A thread whose jobs are JavaScript, how many were started, and when the first one has ended. */
function scene(limits: Partial<JobLimits> = {}) {
  let started = 0
  const ended = Promise.withResolvers<void>()
  const code = `const { serveJobs } = await import(${JSON.stringify(new URL('./serve-jobs.ts', import.meta.url).href)}); serveJobs((job) => eval(job))`
  const jobs = createWorkerJobs<string, unknown>(
    () => {
      started += 1
      const worker = new Worker(code, { eval: true })
      worker.once('exit', () => ended.resolve())
      return worker
    },
    { ...usual, ...limits },
  )
  opened.push(jobs)
  return { jobs, started: () => started, ended: ended.promise }
}

test('Jobs are run one after another in one thread', async () => {
  const { jobs, started } = scene()
  expect(started()).toBe(0)
  const outcomes = await Promise.all(['1 + 1', '"a"', '[3]'].map((job) => jobs.run(job)))
  expect(outcomes).toEqual([2, 'a', [3]].map((result) => ({ kind: 'done', result })))
  expect(started()).toBe(1)
})

test('A job that throws fails alone', async () => {
  const { jobs, started } = scene()
  const [thrown, next] = await Promise.all([jobs.run('throw new Error("no")'), jobs.run('1')])
  expect(thrown).toEqual({ kind: 'failed', reason: 'threw', detail: 'Error: no' })
  expect(next).toEqual({ kind: 'done', result: 1 })
  expect(started()).toBe(1)
})

test('A job that does not end is ended with its thread, and the next one has another', async () => {
  const { jobs, started } = scene({ jobMs: 200 })
  const [endless, next] = await Promise.all([jobs.run('for (;;);'), jobs.run('2')])
  expect(endless).toMatchObject({ kind: 'failed', reason: 'timed_out' })
  expect(next).toEqual({ kind: 'done', result: 2 })
  expect(started()).toBe(2)
})

test('A thread that ends takes only its own job with it', async () => {
  const { jobs } = scene()
  const [ended, next] = await Promise.all([jobs.run('process.exit(3)'), jobs.run('2')])
  expect(ended).toMatchObject({ kind: 'failed', reason: 'threw' })
  expect(next).toEqual({ kind: 'done', result: 2 })
})

test('More jobs than may wait are refused at once', async () => {
  const { jobs } = scene({ waiting: 2 })
  const outcomes = await Promise.all(['1', '2', '3'].map((job) => jobs.run(job)))
  expect(outcomes.map(({ kind }) => kind)).toEqual(['done', 'done', 'failed'])
  expect(outcomes[2]).toMatchObject({ reason: 'busy' })
})

test('An idle thread is ended, and a later job has another', async () => {
  const { jobs, started, ended } = scene({ idleMs: 1 })
  expect(await jobs.run('1')).toEqual({ kind: 'done', result: 1 })
  await ended
  expect(await jobs.run('2')).toEqual({ kind: 'done', result: 2 })
  expect(started()).toBe(2)
})

test('where no thread can be started, each job fails with that error', async () => {
  const jobs = createWorkerJobs<string, unknown>(() => new Worker('process.exit(1)', { eval: true }), usual)
  opened.push(jobs)
  const outcomes = await Promise.all([jobs.run('1'), jobs.run('2')])
  expect(outcomes).toMatchObject([{ reason: 'not_started' }, { reason: 'not_started' }])
})

test('After the end no job is taken', async () => {
  const { jobs } = scene()
  const running = jobs.run('for (;;);')
  await jobs.close()
  expect(await running).toMatchObject({ kind: 'failed', reason: 'closed' })
  expect(await jobs.run('1')).toMatchObject({ kind: 'failed', reason: 'closed' })
})
