import { logType } from '@sluice/contract'
import { explainStore } from '../db/explain-store.ts'
import { storePlace } from '../db/store-place.ts'
import type { Env } from '../env.ts'
import { codedText, plainLog } from '../ledger/log-entry.ts'
import { verify } from '../ledger/verify.ts'
import { nowSeconds, systemClock } from '../lib/clock.ts'
import { type ImportArguments, readArguments, usage } from './arguments.ts'
import { detectDialect, unreadLimits } from './detect-dialect.ts'
import { importOptions } from './import-options.ts'
import { importChannels, importLogs, importRedemptions, importTokens } from './import-tables.ts'
import { importUsers, readPosted } from './import-users.ts'
import { listOptionKeys } from './queries.ts'
import { isBalanced, type Report, refusedIn, reportLines, summaryOf } from './report.ts'
import type { Run } from './run.ts'
import { openSource, type Source } from './source.ts'
import { nameSource } from './source-name.ts'
import { newTally } from './tally.ts'
import { openTarget, openTargetForReading, type Target } from './target.ts'
import { createWriter, dryWriter } from './writer.ts'

/** Imports the database of another gateway of the family, or reports what an import would do. @returns the exit code */
export async function runImport(args: readonly string[], env: Env): Promise<number> {
  const options = readArguments(args)
  if (typeof options === 'string') return say(`${options}\n\n${usage}`)
  const opened: Array<{ close(): Promise<void> }> = []
  const open = async <Thing extends { close(): Promise<void> }>(opening: Promise<Thing>): Promise<Thing> => {
    const thing = await opening
    opened.push(thing)
    return thing
  }
  try {
    const source = await open(openSource(options.source))
    const logs = options.logs === options.source ? source : options.logs === null ? null : await open(openSource(options.logs))
    const target = await open(options.isApplied ? openTarget(env) : openTargetForReading(env))
    return await importInto(target, { options, source, logs, ownPort: env.port })
  } catch (thrown) {
    const error = await explainStore(storePlace(env), thrown)
    return say(`The import failed: ${error instanceof Error ? error.message : String(error)}`)
  } finally {
    for (const thing of opened.toReversed()) await thing.close()
  }
}

interface ImportInput {
  readonly options: ImportArguments
  readonly source: Source
  readonly logs: Source | null
  readonly ownPort: number
}

async function importInto(target: Target, { options, source, logs, ownPort }: ImportInput): Promise<number> {
  const detected = detectDialect(source.tables, options.dialect)
  if ('problem' in detected) return say(`${source.label} cannot be imported: ${detected.problem}`)
  const { dialect } = detected
  const { db, seal, ledger, settings } = target
  const named = await nameSource(source, { db, seal, requestedName: options.name })
  if ('problem' in named) return say(named.problem)
  const { name } = named
  const now = nowSeconds(systemClock)
  const writer = ledger === null ? dryWriter : createWriter({ db, ledger, seal, source: name, now, isDefaultPassword })
  const run: Run = {
    source,
    logs,
    dialect,
    name,
    db,
    seal,
    writer,
    ownPort,
    withAdmins: options.withAdmins,
    now,
    tallies: newTallies(),
    trusted: { admins: [], options: [] },
    users: new Map(),
    refusedUsers: new Set(),
    channels: new Map(),
  }

  const stored = new Set(await listOptionKeys(db))
  const balances = await importUsers(run)
  await importTokens(run)
  await importChannels(run)
  await importRedemptions(run)
  await importOptions(run, { stored, settings })
  await importLogs(run)

  const posted = await readPosted(run, balances)
  const isDialectFound = options.dialect === null
  const unread = unreadLimits(source.tables)
  const report = {
    ...run,
    source: source.label,
    isDialectFound,
    target: target.label,
    isApplied: ledger !== null,
    balances,
    posted,
    unread,
  }
  for (const line of reportLines(report)) console.log(line)
  if (ledger === null) return sayDry(report, options.mayMiss)
  const text = codedText({ code: 'log_imported', params: { source: source.label, what: summaryOf(run.tallies) } })
  await ledger.writeLog(plainLog({ userId: 0, username: '', createdAt: now, type: logType.admin, ...text }))
  return await conclude(target, report, options.mayMiss)
}

function newTallies(): Run['tallies'] {
  return { user: newTally(), token: newTally(), channel: newTally(), redemption: newTally(), option: newTally(), log: newTally() }
}

/** First passwords of installations of the family. */
const defaultPasswords = ['123456', '12345678']

async function isDefaultPassword(hash: string): Promise<boolean> {
  if (hash === '') return false
  for (const password of defaultPasswords) if (await Bun.password.verify(password, hash)) return true
  return false
}

function sayDry(report: Report, mayMiss: boolean): number {
  console.log('\nNothing was written. Run it again with --apply to write.')
  return sayRefused(report, mayMiss)
}

/** Checks the balances and reports: the import has succeeded only if they are equal. @returns the exit code */
async function conclude({ db }: Target, report: Report, mayMiss: boolean): Promise<number> {
  const areBalancesEqual = isBalanced(report)
  const { checks, isConsistent } = await verify(db, { withLogs: false })
  console.log(areBalancesEqual ? '\nThe balances agree.' : '\nThe balances do NOT agree.')
  for (const { broken } of checks) for (const line of broken) console.log(`  ${line}`)
  console.log(isConsistent ? 'The ledger is consistent.' : 'The ledger is NOT consistent.')
  const code = sayRefused(report, mayMiss)
  return areBalancesEqual && isConsistent ? code : 1
}

/** The exit code of an import that succeeded except for refused rows. */
const incomplete = 2

function sayRefused({ tallies }: Report, mayMiss: boolean): number {
  const refused = refusedIn(tallies)
  if (refused === 0) return 0
  const rows = `${refused.toLocaleString('en')} ${refused === 1 ? 'row was' : 'rows were'} refused, as listed above.`
  console.log(mayMiss ? rows : `${rows} The exit code is ${incomplete} for that; with --allow-missing it is 0.`)
  return mayMiss ? 0 : incomplete
}

/** @returns the exit code of a failure */
function say(problem: string): number {
  console.error(problem)
  return 1
}
