import { isPostgres, isThere, placeLabel, storePlace } from './db/store-place.ts'
import { type Env, EnvError, missingStartVariables, readEnv } from './env.ts'
import type { VerifyReport } from './ledger/verify.ts'
import { ownCommand } from './lib/inside-executable.ts'

// Each command loads what it needs where it runs, so that the server, and whoever reads for it, do not keep the rest in memory.

/** Runs `healthcheck`, `verify`, `admin`, `import`, `migrate-store`, or `read-store` and `back-up-store` (which the server starts itself) where that is what was asked for. `false`: nothing of the kind. */
export async function runCommand([name, ...rest]: readonly string[]): Promise<boolean> {
  const [argument] = rest
  if (name === 'healthcheck') process.exit((await checkHealth(readEnv())) ? 0 : 1)
  if (name === 'verify') process.exit((await printVerification(argument ?? storePlace(readEnv()))) ? 0 : 1)
  if (name === 'admin') {
    const { runAdmin } = await import('./admin/run-admin.ts')
    process.exit(await runAdmin(rest, readEnv()))
  }
  if (name === 'import') {
    const { runImport } = await import('./import/run-import.ts')
    process.exit(await runImport(rest, readEnv()))
  }
  if (name === 'migrate-store') process.exit((await runMigration(rest)) ? 0 : 1)
  return await runOwnProcess(name, rest)
}

/** What the server starts beside itself. `false`: nothing of the kind. */
async function runOwnProcess(name: string | undefined, [path, copy = '']: readonly string[]): Promise<boolean> {
  if (path === undefined) return false
  if (name === 'back-up-store') {
    const { runBackUp } = await import('./db/run-back-up.ts')
    process.exit(runBackUp(path, copy))
  }
  if (name !== 'read-store') return false
  const { serveReads } = await import('./db/serve-reads.ts')
  serveReads(path)
  return true
}

/**
 * Starts the program anew in the same process where Bun has not been given what it reads only at its start: same process id,
 * same parent, same standard streams. Where the system has no such call (Windows) the program goes on as it is.
 */
export function startAgainWhereNeeded(): void {
  const variables = missingStartVariables()
  if (variables === null || process.platform === 'win32') return
  process.execve?.(process.execPath, [...ownCommand()], variables)
}

/** Why the program cannot start, in plain words where the operator can mend it, with the stack where only we can. */
export function explainStart(error: unknown): string {
  const reasons = error instanceof EnvError ? error.problems : isSystemError(error) ? [error.message] : null
  return `Sluice cannot start:\n${reasons?.map((reason) => `  - ${reason}`).join('\n') ?? Bun.inspect(error)}`
}

/** A port, a folder or a lock that the system did not give. Codes that begin with ERR_ are mistakes of ours. */
function isSystemError(error: unknown): error is Error {
  if (!(error instanceof Error)) return false
  const code = 'code' in error ? error.code : undefined
  return (typeof code === 'string' && !code.startsWith('ERR_')) || isSystemError(error.cause)
}

/** Asks the server of these variables whether it works. `false`: it does not, or it cannot be asked. */
async function checkHealth({ host, port }: Pick<Env, 'host' | 'port'>): Promise<boolean> {
  if (port === 0) console.error('With PORT=0 the server listens on any free port: healthcheck needs the number in PORT.')
  const { isHealthy } = await import('./healthcheck.ts')
  return port !== 0 && (await isHealthy({ host, port }))
}

/** Prints whether the rules of the ledger hold on a database. `false`: they do not, or it cannot be read. */
async function printVerification(place: string): Promise<boolean> {
  const label = placeLabel(place)
  if (!isThere(place)) {
    console.error(`There is no database at ${label}.`)
    return false
  }
  const [{ openForReading }, { verify }] = await Promise.all([import('./db/open-beside.ts'), import('./ledger/verify.ts')])
  const { db, close } = openForReading(place)
  try {
    return printRules(await verify(db, { withLogs: true }))
  } catch (error) {
    console.error(`${label} is not a database of Sluice: ${reasonOf(error)}.`)
    return false
  } finally {
    await close()
  }
}

/** What is behind an error of ours that has a cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error.cause instanceof Error ? error.cause.message : error.message
}

const migrationUsage = `Usage: migrate-store --from PLACE --to PLACE

  PLACE    sqlite:PATH or postgres://user:password@host:5432/database
  Copies everything from one into the other, which must be empty. No server may be running on either. The source stays as it is.`

/** Moves an installation between engines. `false`: nothing was written. */
async function runMigration(given: readonly string[]): Promise<boolean> {
  const places = readPlaces(given)
  if (places === null) {
    console.error(migrationUsage)
    return false
  }
  const { from, to } = places
  const { migrateStore } = await import('./db/migrate-store.ts')
  try {
    for (const { table, rows } of await migrateStore(from, to)) console.log(`${String(rows).padStart(12)}  ${table}`)
  } catch (error) {
    console.error(`Nothing was written: ${error instanceof Error ? error.message : String(error)}.`)
    return false
  }
  console.log(`Everything is in ${placeLabel(to)}, and counts and sums agree. The ledger there:`)
  return await printVerification(to)
}

/** `null`: they are not as they should be. */
function readPlaces(given: readonly string[]): { readonly from: string; readonly to: string } | null {
  const [first, from = '', second, to = '', ...more] = given
  if (first !== '--from' || second !== '--to' || more.length > 0) return null
  const places = [from, to].map((place) => (isPostgres(place) ? place : (/^sqlite:(.+)$/.exec(place)?.[1] ?? '')))
  return places.includes('') || places[0] === places[1] ? null : { from: places[0] ?? '', to: places[1] ?? '' }
}

/** @returns whether all of them hold */
function printRules({ checks, facts, isSound }: VerifyReport): boolean {
  for (const { rule, broken } of checks) {
    console.log(`${broken.length === 0 ? 'holds ' : 'BROKEN'}  ${rule}`)
    for (const line of broken) console.log(`        ${line}`)
  }
  const { entries, balance, openHolds, negativeBalances } = facts
  console.log(
    `        ${entries} entries, balances sum to ${balance}, ${openHolds} open reservations, ${negativeBalances} negative balances`,
  )
  console.log(isSound ? 'The ledger is sound.' : 'The ledger is NOT sound.')
  return isSound
}
