import { expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { startApp } from '../src/app.ts'
import { readEnv } from '../src/env.ts'
import { type Job, runJob } from '../src/jobs/schedule.ts'
import { createLog } from '../src/log.ts'
import { startPostgres } from './postgres-server.ts'
import { until } from './server-process.ts'

const stepMs = 10_000
const outageMs = 600_000
/** Real time for the jobs of a step. */
const stepWaitMs = 100

test('ten minutes without the database are a few lines of the log, and each of them names what failed', async () => {
  const postgres = await startPostgres()
  const folder = mkdtempSync(join(tmpdir(), 'sluice-away-'))
  const lines: string[] = []
  let passedMs = 0
  const clock = { nowMs: () => Date.now() + passedMs, monotonicMs: () => performance.now() + passedMs }
  const log = createLog('info', { write: (line) => void lines.push(line) }, clock)
  let jobs: readonly Job[] = []
  const app = await startApp({
    env: readEnv({
      PORT: '0',
      HOST: '127.0.0.1',
      DATA_DIR: folder,
      DATABASE_URL: await postgres.createDatabase(),
      SLUICE_SECRET: 'a master key for the tests',
      INITIAL_ROOT_PASSWORD: 'root-password',
    }),
    ...{ log, clock },
    consoleFiles: null,
    schedule(all) {
      jobs = all
      return () => {}
    },
  })
  try {
    expect(jobs.length).toBeGreaterThan(20)
    await postgres.kill()
    const before = lines.length
    const running = new Set<Job>()
    for (; passedMs < outageMs; passedMs += stepMs) {
      for (const job of jobs.filter((one) => !running.has(one))) {
        running.add(job)
        void runJob(job, log).finally(() => running.delete(job))
      }
      // Some wait until the database is back, as they do between their turns in a server.
      await Promise.race([until(() => running.size === 0), setTimeout(stepWaitMs)])
    }
    const during = lines.slice(before).map((line) => JSON.parse(line))
    const failures = during.reduce((sum, { failures: count = 1 }) => sum + count, 0)
    // One of each cause at once and one a minute, of the few ways in which a driver says that there is no connection.
    expect(failures).toBeGreaterThan((5 * outageMs) / stepMs)
    expect(during.length).toBeLessThan(50)
    const summed = during.filter(({ msg }) => msg === 'failures repeated')
    expect(summed.length).toBeGreaterThan(5)
    expect(Object.keys(summed[0].by).some((name) => name.startsWith('scheduled job failed: '))).toBe(true)
    await postgres.start()
    await until(async () => (await fetch(`http://127.0.0.1:${app.port}/readyz`)).ok)
  } finally {
    await app.stop(0)
    await postgres.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}, 180_000)
