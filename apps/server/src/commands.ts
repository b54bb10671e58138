import { dirname } from 'node:path'
import { isPostgres, isThere, placeLabel, storePlace } from './db/store-place.ts'
import { type Env, EnvError, loadEnvFile, missingStartVariables, readEnv } from './env.ts'
import { takeEnvFileOption } from './environment/env-file.ts'
import type { VerifyReport } from './ledger/verify.ts'
import { AppError } from './lib/app-error.ts'
import { assertUsable } from './lib/data-folder.ts'
import { ownCommand } from './lib/inside-executable.ts'

// Each command loads what it needs where it runs, so that the server, and whoever reads for it, do not keep the rest in memory.

interface Command {
  /** What follows the name in the list; empty = nothing. */
  readonly parameters: string
  readonly summary: string
  /** What `--help` prints; without it, the line of the list. */
  readonly usage?: () => Promise<string>
  /** @returns the exit code */
  readonly run: (words: readonly string[]) => Promise<number>
  /** How many words it takes; missing: it reads them itself. */
  readonly wordsMax?: number
}

const commands: Readonly<Record<string, Command>> = {
  admin: {
    parameters: 'COMMAND',
    summary: 'passwords, options, backups, the master key; `admin --help` lists the commands',
    usage: async () => (await import('./admin/run-admin.ts')).adminUsage(),
    run: async (words) => await (await import('./admin/run-admin.ts')).runAdmin(words, readStoreEnv()),
  },
  import: {
    parameters: 'SOURCE [--apply]',
    summary: 'imports the database of another gateway; without --apply it only reports',
    usage: async () => (await import('./import/arguments.ts')).usage,
    run: async (words) => await (await import('./import/run-import.ts')).runImport(words, readStoreEnv()),
  },
  'migrate-store': {
    parameters: '--from PLACE --to PLACE',
    summary: 'copies everything from SQLite to PostgreSQL or back',
    usage: async () => migrationUsage,
    run: async (words) => ((await runMigration(words)) ? 0 : 1),
  },
  verify: {
    parameters: '[PLACE]',
    summary: 'checks the rules of the ledger on a database, which may be in use',
    run: async ([place]) => ((await printVerification(placeOf(place) ?? place ?? storePlace(readStoreEnv()))) ? 0 : 1),
    wordsMax: 1,
  },
  doctor: {
    parameters: '',
    summary: 'checks settings, folders, database, master key, proxies, mail and vendors; says what to do',
    run: async () => await (await import('./doctor/run-doctor.ts')).runDoctor((line) => console.log(line)),
    wordsMax: 0,
  },
  healthcheck: {
    parameters: '',
    summary: 'exits with 0 if a server is healthy at HOST and PORT, for container engines',
    run: async () => ((await checkHealth(readEnv())) ? 0 : 1),
    wordsMax: 0,
  },
}

export const commandNames: readonly string[] = Object.keys(commands)

const helpWords: readonly (string | undefined)[] = ['--help', '-h', 'help']
const versionWords: readonly (string | undefined)[] = ['--version', '-v', 'version']

/** Columns of the list before the summaries. */
const summaryColumn = 42

function listLine(name: string, parameters: string, summary: string): string {
  return `  ${`${name} ${parameters}`.padEnd(summaryColumn)}${summary}`
}

function listOfCommands(): string {
  const lines = Object.entries(commands).map(([name, { parameters, summary }]) => listLine(name, parameters, summary))
  return `Usage: sluice [COMMAND]

Without a command the server starts. It reads its settings from environment variables (docs/variables.md).

${lines.join('\n')}
${listLine('--env-file', 'PATH', 'reads variables from a file, for the server and every command')}
${listLine('--help', '', 'prints this list')}
${listLine('--version', '', 'prints the version')}`
}

async function usageOf(name: string, { usage, parameters, summary }: Command): Promise<string> {
  return usage === undefined ? `Usage: ${`${name} ${parameters}`.trimEnd()}\n\n  ${summary}` : await usage()
}

/** For commands that use the store. @throws where this process may not use the data folder */
function readStoreEnv(): Env {
  const env = readEnv()
  if (needsDataFolder(env)) assertUsable(env.dataDir)
  return env
}

/** With PostgreSQL and a master key from the environment, a folder that cannot be used takes little away. */
export const needsDataFolder = ({ databaseUrl, secret }: Env): boolean => databaseUrl === '' || secret === ''

/** Characters of an unknown word that are repeated to the operator. */
const wordCharactersMax = 60

/**
 * Runs the command that the words name, to its end.
 * @returns its exit code, `serve` where there are no words, or `running` where this process now works for another one
 */
export async function runCommand([name, ...words]: readonly string[]): Promise<number | 'serve' | 'running'> {
  if (name === undefined) return 'serve'
  if (helpWords.includes(name)) return print(listOfCommands())
  if (versionWords.includes(name)) return print(`Sluice ${(await import('@sluice/contract')).version}`)
  const command = Object.hasOwn(commands, name) ? commands[name] : undefined
  if (command === undefined) return (await runOwnProcess(name, words)) ?? refuse(`Unknown command ${quoted(name)}.\n\n${listOfCommands()}`)
  // The first word, or the first after a command of `admin`; later ones may be values.
  if (words.slice(0, 2).some((word) => word === '--help' || word === '-h')) return print(await usageOf(name, command))
  const further = words[command.wordsMax ?? words.length]
  if (further !== undefined) return refuse(`${name} does not take ${quoted(further)}.\n\n${await usageOf(name, command)}`)
  return await command.run(words)
}

function print(text: string): number {
  console.log(text)
  return 0
}

function refuse(text: string): number {
  console.error(text)
  return 1
}

/** A word of the operator, as it is repeated. */
const quoted = (word: string): string => JSON.stringify(word.slice(0, wordCharactersMax))

/** What the server starts beside itself. `null`: nothing of the kind. */
async function runOwnProcess(name: string, [path, copy = '']: readonly string[]): Promise<number | 'running' | null> {
  if (path === undefined) return null
  if (name === 'back-up-store') return (await import('./db/run-back-up.ts')).runBackUp(path, copy)
  if (name !== 'read-store') return null
  const { serveReads } = await import('./db/serve-reads.ts')
  serveReads(path)
  return 'running'
}

/**
 * Reads the file of variables that the arguments name, or that is in the root of the repository.
 * @returns the other arguments, and the path of the file; `null` = none was read
 * @throws EnvError
 */
export function readVariables(args: readonly string[]): { readonly rest: readonly string[]; readonly envFile: string | null } {
  const { path, rest } = takeEnvFileOption(args)
  const file = loadEnvFile(path)
  if (file !== null && file.restartWith !== null) startAgain(file.restartWith)
  return { rest, envFile: file?.path ?? null }
}

/** Starts the program anew where Bun has not been given what it reads only at its start. */
export function startAgainWhereNeeded(): void {
  const variables = missingStartVariables()
  if (variables !== null) startAgain(variables)
}

/**
 * Starts the program anew in the same process: same process id, same parent, same standard streams. Where the system has no such call (Windows)
 * the program goes on as it is.
 */
function startAgain(variables: Readonly<Record<string, string>>): void {
  if (process.platform !== 'win32') process.execve?.(process.execPath, [...ownCommand()], { ...variables })
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

/** Checks whether the server configured by these variables is healthy. `false`: it is not, or it cannot be reached. */
async function checkHealth({ host, port }: Pick<Env, 'host' | 'port'>): Promise<boolean> {
  if (port === 0) console.error('With PORT=0 the server listens on any free port: healthcheck needs the number in PORT.')
  const { isHealthy } = await import('./healthcheck.ts')
  return port !== 0 && (await isHealthy({ host, port }))
}

/** Prints whether the rules of the ledger hold on a database. `false`: they do not, or it cannot be read. */
async function printVerification(place: string): Promise<boolean> {
  const label = placeLabel(place)
  if (!isThere(place)) {
    console.error(`No database found at ${label}.`)
    return false
  }
  const [{ openForReading }, { verify }, { explainStore }] = await Promise.all([
    import('./db/open-beside.ts'),
    import('./ledger/verify.ts'),
    import('./db/explain-store.ts'),
  ])
  const { db, close } = openForReading(place)
  try {
    return printRules(await verify(db, { withLogs: true }))
  } catch (error) {
    const reason = isPostgres(place) ? await explainStore(place, error) : error
    console.error(reason === error ? `${label} is not a database of Sluice: ${reasonOf(error)}.` : reasonOf(reason))
    return false
  } finally {
    await close()
  }
}

/** What is behind an error of ours that has a code and a cause. */
function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  return error instanceof AppError && error.cause instanceof Error ? error.cause.message : error.message
}

const migrationUsage = `Usage: migrate-store --from PLACE --to PLACE

  PLACE    sqlite:PATH or postgres://user:password@host:5432/database
  Copies everything from one into the other, which must be empty. No server may be running on either. The source stays as it is.`

/** Moves an installation between engines. `false`: nothing was written. */
async function runMigration(words: readonly string[]): Promise<boolean> {
  const places = readPlaces(words)
  if (typeof places === 'string') {
    console.error(`${places}\n\n${migrationUsage}`)
    return false
  }
  const { from, to } = places
  for (const place of [from, to]) if (!isPostgres(place)) assertUsable(dirname(place))
  const { migrateStore } = await import('./db/migrate-store.ts')
  try {
    for (const { table, rows } of await migrateStore(from, to)) console.log(`${String(rows).padStart(12)}  ${table}`)
  } catch (error) {
    console.error(`Nothing was written: ${error instanceof Error ? error.message : String(error)}.`)
    return false
  }
  console.log(`Everything was copied to ${placeLabel(to)}; counts and sums match. Ledger check:`)
  return await printVerification(to)
}

/** A text that says what is wrong with the words. */
function readPlaces([first, from = '', second, to = '', ...more]: readonly string[]):
  | { readonly from: string; readonly to: string }
  | string {
  if (first !== '--from' || second !== '--to' || more.length > 0) return 'migrate-store takes --from PLACE --to PLACE and nothing else.'
  const [source, target] = [from, to].map(placeOf)
  if (source === undefined || target === undefined) return 'A place is sqlite:PATH or the address of a PostgreSQL database.'
  return source === target ? 'Both places are the same.' : { from: source, to: target }
}

/** The place of a store as commands take it: an address of PostgreSQL, or `sqlite:` and a path. `undefined`: it is neither. */
function placeOf(word: string | undefined): string | undefined {
  if (word === undefined || isPostgres(word)) return word
  return /^sqlite:(.+)$/.exec(word)?.[1]
}

/** @returns whether all of them hold */
function printRules({ checks, facts, isConsistent }: VerifyReport): boolean {
  for (const { rule, broken } of checks) {
    console.log(`${broken.length === 0 ? 'holds ' : 'BROKEN'}  ${rule}`)
    for (const line of broken) console.log(`        ${line}`)
  }
  const { entries, balance, openHolds, negativeBalances } = facts
  console.log(
    `        ${entries} entries, balances sum to ${balance}, ${openHolds} open reservations, ${negativeBalances} negative balances`,
  )
  console.log(isConsistent ? 'The ledger is consistent.' : 'The ledger is NOT consistent.')
  return isConsistent
}
