import { chmodSync, readdirSync, rmSync, statfsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import type { Subprocess } from 'bun'
import { type Clock, nowSeconds, utcTime } from '../lib/clock.ts'
import { makePrivateFolder } from '../lib/private-file.ts'
import type { CopyFacts } from './back-up.ts'
import { lowerPriority } from './lower-priority.ts'
import { backUpCommand } from './run-back-up.ts'

/** Copies of a SQLite database at an interval, each in a process of its own, so that neither the event loop nor a writer waits. */
export interface ScheduledBackups {
  readonly figures: {
    /** Seconds since 1970; 0 = no copy exists. */
    readonly lastSuccessTime: number
    readonly failures: number
  }
  /** Makes a copy if one is due, and no other is being made. Does not throw. */
  runIfDue(): Promise<void>
  /** Ends a copy that is being made, and removes what there is of it. */
  stop(): Promise<void>
}

interface BackupPlan {
  readonly everyMs: number
  /** Number of copies that are kept. */
  readonly keep: number
  readonly folder: string
}

interface BackupEvents {
  /** For the log; `error` is `null` where a copy was made. */
  readonly report: (what: string, error: unknown) => void
  readonly succeeded: () => Promise<void>
  /** @param reason for people */
  readonly failed: (reason: string) => Promise<void>
}

interface BackupDeps extends BackupPlan, BackupEvents {
  /** The database. */
  readonly path: string
  readonly clock: Clock
}

/** Time to the next try after a failure, unless the interval is shorter. */
const retryMs = 600_000
/** Disk space that a copy leaves free, beside the size of the database: a full disk would stop the server. */
const spareBytes = 256 * 1024 * 1024

const copyName = /^sluice-\d{8}T\d{6}Z\.db$/
/** What a copy that was not finished leaves; SQLite names its own files after it. */
const partName = /^sluice-\d{8}T\d{6}Z\.db\.part(?:-journal|-wal|-shm)?$/

/** No backups, as on PostgreSQL, or where nobody wants them. */
export const noBackups: ScheduledBackups = {
  figures: { lastSuccessTime: 0, failures: 0 },
  runIfDue: async () => {},
  stop: async () => {},
}

export function createScheduledBackups({ path, folder, everyMs, keep, clock, report, succeeded, failed }: BackupDeps): ScheduledBackups {
  const figures = { lastSuccessTime: lastCopySeconds(folder), failures: 0 }
  // A clock that was set back does not put a copy off for longer than one interval.
  const ageMs = Math.max(0, clock.nowMs() - figures.lastSuccessTime * 1_000)
  let dueMs = clock.monotonicMs() + Math.max(0, everyMs - ageMs)
  let running: Promise<void> | null = null
  let child: Subprocess | null = null
  let isStopped = false
  removeParts(folder)

  async function copy(): Promise<void> {
    makePrivateFolder(folder)
    assertRoom(path, folder)
    const name = nameAt(nowSeconds(clock))
    const startedMs = clock.monotonicMs()
    const facts = await runChild(join(folder, name))
    chmodSync(join(folder, name), 0o600)
    figures.lastSuccessTime = nowSeconds(clock)
    removeOld(folder, name, keep)
    const seconds = ((clock.monotonicMs() - startedMs) / 1_000).toFixed(1)
    report(`backup written: ${join(folder, name)} (${facts.users} accounts, ${facts.entries} ledger entries, ${seconds} s)`, null)
    // The copy is what the database is, so it is kept: it may be needed to find out why.
    if (facts.difference !== 0)
      report(`backup ${name}: ledger balances do not sum to zero (difference ${facts.difference})`, new Error('run verify'))
  }

  async function runChild(to: string): Promise<CopyFacts> {
    const started = Bun.spawn({ cmd: [...backUpCommand(path, to)], env: {}, stdin: 'ignore', stdout: 'pipe', stderr: 'pipe' })
    child = started
    lowerPriority(started.pid)
    const [code, text, problem] = await Promise.all([
      started.exited,
      new Response(started.stdout).text(),
      new Response(started.stderr).text(),
    ])
    child = null
    if (code !== 0) throw new Error(problem.trim() || `the process of the backup ended with code ${code}`)
    // Holds: `runBackUp` prints nothing else.
    return JSON.parse(text) as CopyFacts
  }

  async function run(): Promise<void> {
    try {
      await copy()
      dueMs = clock.monotonicMs() + everyMs
      await succeeded()
    } catch (error) {
      if (isStopped) return
      dueMs = clock.monotonicMs() + Math.min(everyMs, retryMs)
      figures.failures += 1
      report('backup failed', error)
      await failed(error instanceof Error ? error.message : String(error)).catch((cause: unknown) =>
        report('backup failure alert not sent', cause),
      )
    }
  }

  return {
    figures,
    async runIfDue() {
      if (isStopped || running !== null || clock.monotonicMs() < dueMs) return
      running = run().finally(() => {
        running = null
      })
      await running
    },
    async stop() {
      isStopped = true
      child?.kill('SIGKILL')
      await running
      removeParts(folder)
    },
  }
}

/** Named after the time in UTC, so that names in their order are copies in theirs. */
function nameAt(seconds: number): string {
  const text = utcTime(seconds).replace(/[-:]/g, '').slice(0, 15)
  return `sluice-${text}Z.db`
}

function listNames(folder: string, pattern: RegExp): readonly string[] {
  try {
    return readdirSync(folder).filter((name) => pattern.test(name))
  } catch {
    // There is no such folder yet, or the next copy finds what is wrong with it.
    return []
  }
}

function lastCopySeconds(folder: string): number {
  const times = listNames(folder, copyName).map((name) => statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0)
  return Math.floor(Math.max(0, ...times) / 1_000)
}

function removeParts(folder: string): void {
  for (const name of listNames(folder, partName)) rmSync(join(folder, name), { force: true })
}

/** The newest ones by their names stay, and the one that was just written always does. */
function removeOld(folder: string, written: string, keep: number): void {
  const others = listNames(folder, copyName)
    .filter((name) => name !== written)
    .sort()
    .reverse()
  for (const name of others.slice(keep - 1)) rmSync(join(folder, name), { force: true })
}

/** @throws when the copy could fill the disk */
function assertRoom(path: string, folder: string): void {
  const bytes = [path, `${path}-wal`].reduce((sum, file) => sum + (statSync(file, { throwIfNoEntry: false })?.size ?? 0), 0)
  const { bavail, bsize } = statfsSync(folder)
  if (bavail * bsize < bytes + spareBytes) throw new Error(`not enough disk space for a copy of ${bytes} bytes in ${folder}`)
}
