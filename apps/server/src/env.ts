import { availableParallelism, tmpdir } from 'node:os'
import { isHttpAddress, isLimitClass, type LimitClass, type RateLimit, rateLimits } from '@sluice/contract'
import { certificateVariables, checkCertificateFiles } from './environment/certificate-files.ts'
import { readEnvFile } from './environment/env-file.ts'
import { itemsOf } from './environment/items.ts'
import { type BackupPlan, readBackups, readS3Place, webAddress } from './environment/read-copies.ts'
import { readProxies } from './environment/read-proxies.ts'
import { readTraces, type TraceSettings } from './environment/read-traces.ts'
import { secretVariables, withSecretFiles } from './environment/secret-files.ts'
import { warnOfUnknown } from './environment/unknown-variables.ts'
import type { Findings, ReadText, Variables } from './environment/variables.ts'
import { basePathProblem, readBasePath } from './lib/base-path.ts'
import { isIpAddress, parseSubnet, type Subnet } from './lib/cidr.ts'
import { type FailRule, parseFailRule } from './lib/failpoints.ts'
import type { OutgoingProxies } from './lib/outgoing-proxy.ts'
import { isAddressError, parsePostgresAddress } from './lib/postgres-address.ts'
import { readHost } from './lib/read-host.ts'
import type { S3Place } from './relay/model/file-place.ts'
import type { RelayLimits } from './relay/model/limits.ts'

/** Set for workers (`workers.ts`). */
const sharedPortVariable = 'SLUICE_SHARED_PORT'

/** What the operator sets from outside. Everything else is an option in the console. */
export interface Env {
  readonly port: number
  readonly host: string
  /** Name of this process among those that share a database, the same after a restart; empty = its host and port. */
  readonly nodeId: string
  /** Path below which a proxy publishes the server, without a final slash; empty = the root. */
  readonly basePath: string
  /** Processes that serve the port, each a node of the installation. */
  readonly workers: number
  /** Other processes of the same supervisor listen on the port too. */
  readonly isPortShared: boolean
  /** Folder of the database and the master key. */
  readonly dataDir: string
  /** Folder of temporary files. */
  readonly temporaryDir: string
  /** Address of a PostgreSQL database; empty = SQLite in the data folder. Holds a password. */
  readonly databaseUrl: string
  /** Address of a ClickHouse database that the log is copied to; empty = none. Holds a password. */
  readonly clickHouseUrl: string
  /** Master key of sealed values; empty = a file in the data folder. */
  readonly secret: string
  /** The master key that takes its place, while `admin rotate-secret` runs. */
  readonly nextSecret: string
  readonly initialRootPassword: string
  readonly initialRootAccessToken: string
  /** The first password may be the built-in one, which counts on this machine only. */
  readonly allowsDefaultPassword: boolean
  /** Proxies whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly Subnet[]
  /** Origins of consoles that are served elsewhere. */
  readonly consoleOrigins: readonly string[]
  /** Host names at which the management API responds, besides those of the public address and of consoles; `*` = any. */
  readonly allowedHosts: readonly string[]
  readonly logLevel: string
  readonly traces: TraceSettings
  /** Opens `/metrics` to whoever shows it; empty = there is no such page. */
  readonly metricsToken: string
  readonly limits: RelayLimits
  /** How long a client's idle connection is kept. */
  readonly keepAliveMs: number
  /** Where the latest release is described, in the form of GitHub's API; empty = nowhere. */
  readonly releasesUrl: string
  /** How often calls of the management API may come, by class; `null` = as often as they like. */
  readonly rateLimits: Readonly<Record<LimitClass, RateLimit | null>>
  /** Pause between two channels where many are tested or queried for their balances. */
  readonly channelPauseMs: number
  /** How long requests are still served after SIGTERM, while `/readyz` says that no more should come. */
  readonly shutdownDelayMs: number
  /** How long running responses may go on after that. */
  readonly shutdownGraceMs: number
  /** How long the event loop may be blocked before the process ends itself; 0 = for ever. */
  readonly watchdogMs: number
  /** Size of the file that makes way when the disk is full; 0 = none. */
  readonly reserveBytes: number
  /** Copies of a SQLite database at an interval; `null` = none are made. */
  readonly backups: BackupPlan | null
  /** A store for copies of the results of tasks; `null` = they are in the data folder. */
  readonly resultsS3: S3Place | null
  /** The proxies of everything that leaves, except where a channel has its own. */
  readonly outgoingProxies: OutgoingProxies
  /** Where tests let the server die or its disk fail; empty everywhere else. */
  readonly failAt: readonly FailRule[]
  /** What the operator should look at: variables that are probably misspelled. */
  readonly warnings: readonly string[]
}

/** The variables are wrong; `problems` says all of them at once. */
export class EnvError extends Error {
  readonly problems: readonly string[]

  constructor(problems: readonly string[]) {
    super(problems.join('\n'))
    this.problems = problems
  }
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']

/** @throws EnvError */
export function readEnv(started: Variables = process.env): Env {
  const problems: string[] = []
  const warnings: string[] = []
  const known = new Set<string>()
  const variables = withSecretFiles(started, problems)
  const text: ReadText = (name, otherwise = '') => {
    known.add(name)
    return variables[name]?.trim() || otherwise
  }
  const whole = (name: string, otherwise: number, [min, max]: readonly [number, number]): number => {
    const value = text(name, String(otherwise))
    const number = Number(value)
    if (/^\d+$/.test(value) && number >= min && number <= max) return number
    problems.push(`${name} must be a whole number from ${min} to ${max}, not "${value}"`)
    return otherwise
  }
  const waitMs = (name: string, otherwise: number): number => whole(name, otherwise, [100, 86_400_000])

  const waitMsOrNull = (name: string): number | null => (text(name) === '' ? null : waitMs(name, 0))

  const env: Env = {
    port: whole('PORT', 3000, [0, 65_535]),
    host: hostToListenOn(text('HOST', '0.0.0.0'), problems),
    nodeId: text('NODE_ID'),
    basePath: basePath(text('BASE_PATH'), problems),
    workers: workers(text('WORKERS', '1'), text('DATABASE_URL') !== '', problems),
    isPortShared: text(sharedPortVariable) !== '',
    dataDir: text('DATA_DIR', 'data'),
    temporaryDir: text('TMPDIR', tmpdir()),
    databaseUrl: databaseUrl(text('DATABASE_URL'), problems),
    clickHouseUrl: clickHouseUrl(text('CLICKHOUSE_URL'), problems),
    secret: text('SLUICE_SECRET'),
    nextSecret: text('SLUICE_SECRET_NEXT'),
    initialRootPassword: text('INITIAL_ROOT_PASSWORD'),
    initialRootAccessToken: text('INITIAL_ROOT_ACCESS_TOKEN'),
    allowsDefaultPassword: isOn('ALLOW_DEFAULT_PASSWORD', text('ALLOW_DEFAULT_PASSWORD', '0'), problems),
    trustedProxies: trustedProxies(text('TRUSTED_PROXIES'), { problems, warnings }),
    consoleOrigins: origins(text('CONSOLE_ORIGINS'), problems),
    allowedHosts: hosts(text('ALLOWED_HOSTS'), problems),
    logLevel: text('LOG_LEVEL', 'info'),
    metricsToken: text('METRICS_TOKEN'),
    traces: readTraces(text, problems),
    releasesUrl: webAddress('RELEASES_URL', text('RELEASES_URL'), problems),
    limits: {
      bodyBytesMax: whole('BODY_BYTES_MAX', 32 * 1024 * 1024, [1_024, 1024 * 1024 * 1024]),
      bodiesBytesMax: whole('BODIES_BYTES_MAX', 128 * 1024 * 1024, [1024 * 1024, 64 * 1024 * 1024 * 1024]),
      formBytesMax: whole('FORM_BYTES_MAX', 64 * 1024 * 1024, [1_024, 1024 * 1024 * 1024]),
      bodyMs: waitMs('BODY_TIMEOUT_MS', 60_000),
      firstByteMs: waitMsOrNull('FIRST_BYTE_TIMEOUT_MS'),
      idleMs: waitMsOrNull('IDLE_TIMEOUT_MS'),
      totalMs: waitMs('TOTAL_TIMEOUT_MS', 1_800_000),
      stallMs: waitMs('STALL_TIMEOUT_MS', 60_000),
      abandonedMs: whole('ABANDONED_MS', 60_000, [0, 600_000]),
      heartbeatMs: waitMs('HEARTBEAT_MS', 15_000),
    },
    keepAliveMs: waitMs('KEEP_ALIVE_TIMEOUT_MS', 620_000),
    rateLimits: readRateLimits(text('RATE_LIMITS'), problems),
    channelPauseMs: whole('CHANNEL_PAUSE_MS', 200, [0, 600_000]),
    shutdownDelayMs: whole('SHUTDOWN_DELAY_MS', 0, [0, 600_000]),
    shutdownGraceMs: waitMs('SHUTDOWN_GRACE_MS', 30_000),
    watchdogMs: watchdogMs(text('WATCHDOG_MS', '15000'), problems),
    reserveBytes: whole('STORAGE_RESERVE_BYTES', 64 * 1024 * 1024, [0, 64 * 1024 * 1024 * 1024]),
    backups: readBackups(text, whole('BACKUP_KEEP', 7, [1, 10_000]), { problems, warnings }),
    resultsS3: readS3Place(text, { problems, warnings }),
    outgoingProxies: readProxies(text, { problems, warnings }),
    failAt: failRules(text('FAIL_AT'), problems),
    warnings,
  }
  checkCertificateFiles(text, problems)
  if (!logLevels.includes(env.logLevel)) problems.push(`LOG_LEVEL must be one of ${logLevels.join(', ')}, not "${env.logLevel}"`)
  checkSecrets(env, problems)
  if (problems.length > 0) throw new EnvError(problems)
  warnings.push(...warnOfUnknown(started, known, secretVariables))
  return env
}

/** Secrets that can be guessed are refused, without being printed. */
function checkSecrets(env: Env, problems: string[]): void {
  if (env.secret !== '' && env.secret.length < 16) problems.push('SLUICE_SECRET must have at least 16 characters')
  if (env.nextSecret !== '' && env.nextSecret.length < 16) problems.push('SLUICE_SECRET_NEXT must have at least 16 characters')
  if (env.initialRootPassword !== '' && env.initialRootPassword.length < 8)
    problems.push('INITIAL_ROOT_PASSWORD must have at least 8 characters')
  if (env.initialRootAccessToken !== '' && env.initialRootAccessToken.length < 32)
    problems.push('INITIAL_ROOT_ACCESS_TOKEN must have at least 32 characters')
  if (env.metricsToken !== '' && !/^[\x21-\x7e]{16,}$/.test(env.metricsToken))
    problems.push('METRICS_TOKEN must have at least 16 printable characters without spaces')
}

/** A file whose variables were added to those of the process. */
interface LoadedFile {
  readonly path: string
  /** It has variables that Bun reads only at its start: the program must be started again with these. `null` = it has none. */
  readonly restartWith: Readonly<Record<string, string>> | null
}

/**
 * Adds the variables that the process does not have from a file: the named one, or `.env` in the root of the repository.
 * @returns `null` = there is none, or nothing is in it
 * @throws EnvError
 */
export function loadEnvFile(named: string | null): LoadedFile | null {
  const problems: string[] = []
  const file = readEnvFile(named, problems)
  if (problems.length > 0) throw new EnvError(problems)
  if (file === null || Object.keys(file.variables).length === 0) return null
  const added = Object.entries(file.variables).filter(([name]) => process.env[name] === undefined)
  for (const [name, value] of added) process.env[name] = value
  return { path: file.path, restartWith: added.some(([name]) => startVariables.has(name)) ? presentIn(process.env) : null }
}

const startVariables: ReadonlySet<string> = new Set(certificateVariables)

function basePath(value: string, problems: string[]): string {
  const problem = basePathProblem(value)
  if (problem !== '') problems.push(problem)
  return readBasePath(value) ?? ''
}

/** An IPv6 address may be in brackets, as in the address of a page, and name its interface. */
function hostToListenOn(value: string, problems: string[]): string {
  const host = value.replace('[', '').replace(']', '')
  // Short forms such as 127.1 are addresses too.
  const isName = !/[/:@?#\s]/.test(host) && readHost(URL.parse(`http://${host}`)?.hostname ?? null) !== null
  if (!isName && !isIpAddress(host.replace(/%\w{1,32}$/, '')))
    problems.push(`HOST must be an address of this machine or a host name, such as 127.0.0.1 or 0.0.0.0 for all, not "${value}"`)
  return host
}

function isOn(name: string, value: string, problems: string[]): boolean {
  if (value !== '0' && value !== '1') problems.push(`${name} must be 0 or 1, not "${value}"`)
  return value === '1'
}

/** The environment of a worker, which serves a port with others. @param id its name among the nodes */
export function workerVariables(id: string, port: number, variables: Variables = process.env): Variables {
  return { ...variables, NODE_ID: id, PORT: String(port), WORKERS: '1', [sharedPortVariable]: '1' }
}

/** Shorter limits would end a process that only collects garbage. */
const watchdogRange = { min: 1_000, max: 600_000 }

function watchdogMs(value: string, problems: string[]): number {
  const { min, max } = watchdogRange
  const limitMs = Number(value)
  const isRight = /^\d{1,6}$/.test(value) && (limitMs === 0 || (limitMs >= min && limitMs <= max))
  if (!isRight) problems.push(`WATCHDOG_MS must be 0 or a whole number from ${min} to ${max}, not "${value}"`)
  return limitMs
}

const workersMax = 64

/** `auto`: one for each core on PostgreSQL, one on SQLite, which has one process. */
function workers(value: string, isShared: boolean, problems: string[]): number {
  if (value === 'auto') return isShared ? Math.min(availableParallelism(), workersMax) : 1
  const count = /^\d{1,2}$/.test(value) ? Number(value) : 0
  if (count < 1 || count > workersMax) problems.push(`WORKERS must be auto or a whole number from 1 to ${workersMax}, not "${value}"`)
  else if (count > 1 && !isShared) problems.push('WORKERS above 1 needs PostgreSQL (DATABASE_URL): SQLite supports a single process')
  return Math.max(count, 1)
}

/** Bun reads it before it starts: without it only 256 upstream requests run at a time. */
const fetchLimit = { name: 'BUN_CONFIG_MAX_HTTP_REQUESTS', value: '65336' } as const

/** The environment that the process should have been started with; `null` = it was. */
export function missingStartVariables(variables: Variables = process.env): Record<string, string> | null {
  if ((variables[fetchLimit.name] ?? '') !== '') return null
  return { ...presentIn(variables), [fetchLimit.name]: fetchLimit.value }
}

function presentIn(variables: Variables): Record<string, string> {
  return Object.fromEntries(Object.entries(variables).filter((entry): entry is [string, string] => entry[1] !== undefined))
}

/** `off`, or the classes that differ from the table: `login=120/300,search=off`. */
function readRateLimits(list: string, problems: string[]): Env['rateLimits'] {
  if (list === 'off') return noRateLimits()
  const changed = itemsOf(list).flatMap((item) => {
    const [, name = '', value = '', count = '', seconds = ''] = /^(\w+)=(off|(\d{1,9})\/(\d{1,6}))$/.exec(item) ?? []
    const rule = value === 'off' ? null : { count: Number(count), perSeconds: Number(seconds) }
    if (isLimitClass(name) && (rule === null || (rule.count > 0 && rule.perSeconds > 0))) return [[name, rule] as const]
    problems.push(
      `RATE_LIMITS holds "${item}"; it must look like login=60/300 or login=off, with one of ${Object.keys(rateLimits).join(', ')}`,
    )
    return []
  })
  return { ...rateLimits, ...Object.fromEntries(changed) }
}

function noRateLimits(): Env['rateLimits'] {
  // Holds: made from the names of the table itself.
  return Object.fromEntries(Object.keys(rateLimits).map((name) => [name, null])) as Env['rateLimits']
}

/** What is wrong is said without the value, which holds a password. */
function databaseUrl(value: string, problems: string[]): string {
  if (value === '') return ''
  try {
    parsePostgresAddress(value)
  } catch (error) {
    if (!isAddressError(error)) throw error
    problems.push(`DATABASE_URL ${error.message} (or empty for SQLite in DATA_DIR)`)
  }
  return value
}

/** What is wrong is said without the value, which holds a password. */
function clickHouseUrl(value: string, problems: string[]): string {
  const isRight = value === '' || (/^https?:\/\/[^/?#]+(?:\/\w*)?$/.test(value) && URL.parse(value) !== null)
  if (!isRight) problems.push('CLICKHOUSE_URL must be an address like https://user:password@host:8443/database')
  return value
}

function failRules(list: string, problems: string[]): readonly FailRule[] {
  return itemsOf(list).flatMap((item) => {
    const rule = parseFailRule(item)
    if (rule === null) problems.push(`FAIL_AT holds "${item}", which names no step of the ledger and how often it is reached first`)
    return rule === null ? [] : [rule]
  })
}

/** Exact origins without wildcards, because any page of an origin in the list may act as whoever is logged in. */
function origins(list: string, problems: string[]): readonly string[] {
  return itemsOf(list).filter((item) => {
    const isOrigin = isHttpAddress(item) && !item.includes('*') && URL.parse(item)?.origin === item
    if (!isOrigin) problems.push(`CONSOLE_ORIGINS holds "${item}", which is not an origin like https://console.example.com`)
    return isOrigin
  })
}

/** Names in the form of browsers: lower case, international ones in ASCII. */
function hosts(list: string, problems: string[]): readonly string[] {
  return itemsOf(list).flatMap((item) => {
    const name = item === '*' ? item : readHost(URL.parse(`http://${item}`)?.hostname ?? null)
    if (name !== null && !/[\s/?#@:\\]/.test(item)) return [name]
    problems.push(`ALLOWED_HOSTS holds "${item}", which is neither a host name like ai.example.com nor *`)
    return []
  })
}

/** Where every address is trusted, clients choose the address that limits and logs know them by. */
function trustedProxies(list: string, { problems, warnings }: Findings): readonly Subnet[] {
  if (itemsOf(list).some((item) => item.endsWith('/0')))
    warnings.push('TRUSTED_PROXIES trusts every address: any client can claim another one by X-Forwarded-For; name the proxies alone')
  return itemsOf(list).flatMap((item) => {
    const subnet = parseSubnet(item)
    if (subnet === null) problems.push(`TRUSTED_PROXIES holds "${item}", which is neither an address nor a range like 10.0.0.0/8`)
    return subnet === null ? [] : [subnet]
  })
}
