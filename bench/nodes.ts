import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { SQL } from 'bun'
import { type PostgresServer, startPostgres } from '../apps/server/test/postgres-server.ts'
import { gatewayEnv, type LoadResult, load, median, ports, prepareGateway, type Target } from './gateway.ts'
import { seedAccounts, writeKeys } from './nodes-seed.ts'
import { canLimit, cpuMicrosOfFamily, limitFamily, type Place, pinFamily, pinning, start, stop, untilAtRest } from './processes.ts'

// `npm run bench -- nodes`: what a request costs on PostgreSQL beside SQLite, with one, two and four processes, and with many accounts.
//
// All processes of the gateway share one core; the load, the upstream and PostgreSQL share another one. So what is compared is the CPU time of
// a request, in the gateway and in PostgreSQL, and not the requests a second, which end where the second core does. Each process has as many
// requests under way as one alone has, because the charges that wait at a time share a commit: a process with a core of its own would have
// them too. If a request costs the same with two processes, two cores serve twice as many. `--limited` measures only how many requests a second
// processes serve that are limited to the same share of a core each.

const accessToken = 'bench'.padEnd(40, 'x')
const secret = 'a secret of the benchmark'
/** Requests under way. */
const connections = 64
/** With `--together` all processes have them together, as where few clients come to many processes; otherwise each has as many. */
const isTogether = process.argv.includes('--together')
const connectionsOf = (processes: number): number => (isTogether ? connections : connections * Math.max(1, processes))
const isQuick = process.argv.includes('--quick')
const requestsPerRound = isQuick ? 2_000 : 10_000
/** Enough for the runtime to compile all hot functions, in each process. */
const warmUpRequests = (processes: number): number => requestsPerRound * (processes + 1)
const rounds = isQuick ? 1 : 3
const accountCounts = [1, 100, 10_000] as const
/** Requests of an account after which each of two processes has surely served some. */
const metBy2 = 8
/** Each sends ten requests a second, so that its lease is refreshed every few seconds. */
const refreshed = { accounts: 100, perSecond: 1_000, seconds: isQuick ? 3 : 10 } as const

/** The share of a core that each process is limited to, so that the other core is enough for everything else. */
const limitedShare = 0.2

/** Few enough that the core of everything else does not slow PostgreSQL down. */
const beside = { perSecond: 1_200, seconds: isQuick ? 3 : 10 } as const

interface Gateway {
  readonly target: Target
  readonly dataDir: string
  stop(): Promise<void>
}

async function startGateway(variables: Readonly<Record<string, string>> = {}): Promise<Gateway> {
  const node = await startNode('measured', ports.gateway, variables)
  return { ...node, target: { ...node.target, token: await prepareGateway(accessToken) } }
}

/** Starts a server whose target has no token yet. */
async function startNode(place: Place, port: number, variables: Readonly<Record<string, string>>): Promise<Gateway> {
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-bench-'))
  const env = { ...gatewayEnv(dataDir, accessToken), PORT: String(port), SLUICE_SECRET: secret, ...variables }
  const running = await start(place, [join(import.meta.dir, '../apps/server/dist/main.ts')], env)
  return {
    target: { name: 'gateway', port, pid: running.pid, token: '' },
    dataDir,
    async stop() {
      await stop(running)
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

interface Figures {
  readonly perSecond: number
  /** Microseconds of a request. */
  readonly gatewayCpu: number
  readonly databaseCpu: number
  /** Share of its core that the gateway used. */
  readonly busy: number
  readonly p99Ms: number
}

/** Requests as fast as they complete. */
async function saturate(
  target: Target,
  database: PostgresServer,
  plan: { readonly connections: number; readonly tokensFile?: string },
): Promise<Figures> {
  const [gatewayBefore, databaseBefore] = [cpuMicrosOfFamily(target.pid), cpuMicrosOfFamily(database.pid)]
  const { failures, requests, perSecond, p99Ms } = await load(target, { stream: false, requests: requestsPerRound, ...plan })
  if (failures > 0) throw new Error(`${failures} requests failed`)
  const gatewayCpu = (cpuMicrosOfFamily(target.pid) - gatewayBefore) / requests
  const databaseCpu = (cpuMicrosOfFamily(database.pid) - databaseBefore) / requests
  return { perSecond, gatewayCpu, databaseCpu, busy: (gatewayCpu * perSecond) / 1e6, p99Ms }
}

function medianOf(seen: readonly Figures[]): Figures {
  const of = (name: keyof Figures): number => median(seen.map((one) => one[name]))
  return { perSecond: of('perSecond'), gatewayCpu: of('gatewayCpu'), databaseCpu: of('databaseCpu'), busy: of('busy'), p99Ms: of('p99Ms') }
}

/** In the order of the columns. */
const columns = ['gateway CPU', 'PostgreSQL CPU', 'requests/s', 'core busy', 'p99'] as const

function printHead(title: string): void {
  console.log(`\n${title.padEnd(40)}${columns.map((column) => column.padStart(16)).join('')}   target`)
}

function print(name: string, { gatewayCpu, databaseCpu, perSecond, busy, p99Ms }: Figures, target: string): void {
  const figures = [
    `${gatewayCpu.toFixed(0)} us`,
    `${databaseCpu.toFixed(0)} us`,
    perSecond.toFixed(0),
    `${(busy * 100).toFixed(0)} %`,
    `${p99Ms.toFixed(1)} ms`,
  ]
  console.log(`${name.padEnd(40)}${figures.map((figure) => figure.padStart(16)).join('')}   ${target}`)
}

/** One round of one kind of installation, started afresh. */
async function measureInstallation(database: PostgresServer, processes: number): Promise<Figures> {
  const variables = processes === 0 ? {} : { DATABASE_URL: await database.createDatabase(), WORKERS: String(processes) }
  const gateway = await startGateway(variables)
  try {
    await untilAtRest(gateway.target.pid)
    const plan = { connections: connectionsOf(processes) }
    await load(gateway.target, { stream: false, requests: warmUpRequests(processes), ...plan })
    return await saturate(gateway.target, database, plan)
  } finally {
    await gateway.stop()
  }
}

/** 0 processes: the one of SQLite. */
const installations = [0, 1, 2, 4] as const

async function compareInstallations(database: PostgresServer): Promise<void> {
  const seen = new Map<number, Figures[]>(installations.map((processes) => [processes, []]))
  for (let round = 0; round < rounds; round += 1) {
    for (const processes of installations) seen.get(processes)?.push(await measureInstallation(database, processes))
  }
  const figures = installations.map((processes) => ({ processes, ...medianOf(seen.get(processes) ?? []) }))
  const cpuOf = (count: number): number => figures.find(({ processes }) => processes === count)?.gatewayCpu ?? 0
  printHead('a request, by engine and processes')
  for (const { processes, ...row } of figures) {
    const speedUp = ((processes * cpuOf(1)) / row.gatewayCpu).toFixed(2)
    if (processes === 0) print('SQLite', row, '')
    else if (processes === 1) print('PostgreSQL, 1 process', row, `${(row.gatewayCpu / cpuOf(0)).toFixed(2)} x SQLite, <= 1.3 x`)
    else print(`PostgreSQL, ${processes} processes`, row, `${speedUp} x one on ${processes} cores${processes === 2 ? ', >= 1.8 x' : ''}`)
  }
}

/** Requests a second of processes that have the same small share of a core each, as each would have a core on a larger machine. */
async function compareLimited(database: PostgresServer): Promise<void> {
  if (!canLimit) return console.log('\nprocesses cannot be limited to a share of a core here, which takes root and control groups')
  const seen = { 1: [] as number[], 2: [] as number[] }
  for (let round = 0; round < rounds; round += 1) {
    for (const processes of [1, 2] as const) {
      const variables = { DATABASE_URL: await database.createDatabase(), WORKERS: String(processes) }
      const gateway = await startGateway(variables)
      const plan = { connections: connectionsOf(processes) }
      await untilAtRest(gateway.target.pid)
      await load(gateway.target, { stream: false, requests: warmUpRequests(processes), ...plan })
      const removeLimits = limitFamily(gateway.target.pid, limitedShare)
      try {
        seen[processes].push((await saturate(gateway.target, database, plan)).perSecond)
      } finally {
        await gateway.stop()
        removeLimits()
      }
    }
  }
  const [one, two] = [median(seen[1]), median(seen[2])]
  console.log(
    `\neach process limited to ${limitedShare * 100} % of a core: ${one.toFixed(0)} requests a second with one, ${two.toFixed(0)} with two, ${(two / one).toFixed(2)} x, >= 1.8 x`,
  )
}

/** The accounts are used in turn, so each has many others between two of its requests. */
async function compareAccounts(database: PostgresServer): Promise<void> {
  const url = await database.createDatabase()
  const gateway = await startGateway({ DATABASE_URL: url, WORKERS: '2' })
  try {
    const keys = await seedAccounts({ url, secret, count: Math.max(...accountCounts) })
    const files = accountCounts.map((count) => writeKeys(join(gateway.dataDir, `keys-${count}`), keys.slice(0, count)))
    await untilAtRest(gateway.target.pid)
    const seen: Figures[][] = accountCounts.map(() => [])
    for (const [index, tokensFile] of files.entries()) {
      // Both processes have met every account.
      const requests = warmUpRequests(2) + metBy2 * (accountCounts[index] ?? 0)
      await load(gateway.target, { stream: false, connections: connectionsOf(2), requests, tokensFile })
    }
    for (let round = 0; round < rounds; round += 1)
      for (const [index, tokensFile] of files.entries())
        seen[index]?.push(await saturate(gateway.target, database, { connections: connectionsOf(2), tokensFile }))
    printHead('2 processes, requests of')
    for (const [index, count] of accountCounts.entries())
      print(`${count.toLocaleString('en')} accounts`, medianOf(seen[index] ?? []), 'flat')
  } finally {
    await gateway.stop()
  }
}

/**
 * What a request costs a server that has a core of its own, while a second server of the installation is idle and while it responds as
 * many. The second one shares its core with everything else, so only the first is measured.
 */
async function compareServers(database: PostgresServer): Promise<void> {
  const variables = { DATABASE_URL: await database.createDatabase() }
  const first = await startGateway(variables)
  const second = await startNode('rig', ports.secondGateway, variables)
  const targets = [first.target, { ...second.target, token: first.target.token }]
  const plan = { stream: false, connections, perSecond: beside.perSecond, seconds: beside.seconds }
  const costOfFirst = async (loaded: readonly Target[]): Promise<number> => {
    const before = cpuMicrosOfFamily(first.target.pid)
    const results = await Promise.all(loaded.map((target) => load(target, plan)))
    if (results.some(({ failures }) => failures > 0)) throw new Error('requests failed')
    return (cpuMicrosOfFamily(first.target.pid) - before) / (results[0]?.requests ?? 0)
  }
  try {
    await untilAtRest(first.target.pid)
    for (const target of targets) await load(target, { stream: false, connections, requests: warmUpRequests(1) })
    const seen = { alone: [] as number[], both: [] as number[] }
    for (let round = 0; round < rounds; round += 1) {
      seen.alone.push(await costOfFirst(targets.slice(0, 1)))
      seen.both.push(await costOfFirst(targets))
    }
    const [alone, both] = [median(seen.alone), median(seen.both)]
    console.log(
      `\na server with its own core at ${beside.perSecond} requests a second: ${alone.toFixed(0)} us a request alone, ${both.toFixed(0)} us beside a second server with as many, ${(both / alone).toFixed(2)} x; up to 1.11 x two servers answer 1.8 times as much as one`,
    )
  } finally {
    await second.stop()
    await first.stop()
  }
}

/** Another node in the table, which is not there: so this one gets no more than its share, and has to ask again and again. */
async function pretendAnotherNode(client: SQL): Promise<void> {
  await client.unsafe(
    `INSERT INTO nodes (id, version, state, started_ms, heartbeat_ms) VALUES ('other', '', 'live', 0, ${Number.MAX_SAFE_INTEGER})`,
  )
}

/** Notes each time that a lease gets more. */
async function noteRefreshes(client: SQL): Promise<void> {
  await client.unsafe(`CREATE TABLE refreshes (id bigint);
    CREATE FUNCTION note_refresh() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN INSERT INTO refreshes VALUES (NEW.id); RETURN NULL; END $$;
    CREATE TRIGGER noted AFTER UPDATE ON leases FOR EACH ROW WHEN (NEW.granted > OLD.granted) EXECUTE FUNCTION note_refresh()`)
}

async function countRefreshes(client: SQL): Promise<number> {
  const [row] = await client.unsafe('SELECT count(*)::int AS count FROM refreshes')
  return row.count
}

/** The slowest hundredth of requests of accounts whose leases last, and of accounts whose leases are refreshed meanwhile. */
async function measureRefreshes(database: PostgresServer): Promise<void> {
  const url = await database.createDatabase()
  const gateway = await startGateway({ DATABASE_URL: url })
  const client = new SQL(url, { max: 1 })
  try {
    const keys = await seedAccounts({ url, secret, count: 2 * refreshed.accounts })
    const lasting = writeKeys(join(gateway.dataDir, 'lasting'), keys.slice(0, refreshed.accounts))
    const asking = writeKeys(join(gateway.dataDir, 'asking'), keys.slice(refreshed.accounts))
    await untilAtRest(gateway.target.pid)
    const { perSecond, seconds } = refreshed
    const steady = (tokensFile: string): Promise<LoadResult> =>
      load(gateway.target, { stream: false, connections: 200, perSecond, seconds, tokensFile })
    await load(gateway.target, { stream: false, connections, requests: warmUpRequests(1), tokensFile: lasting })
    await noteRefreshes(client)
    await pretendAnotherNode(client)
    await untilAtRest(gateway.target.pid)
    await steady(asking)
    const seen = { lasting: [] as number[], asking: [] as number[] }
    let refreshes = 0
    for (let round = 0; round < rounds; round += 1) {
      const before = await countRefreshes(client)
      seen.lasting.push((await steady(lasting)).p99Ms)
      const between = await countRefreshes(client)
      if (between > before) throw new Error('leases that should last were refreshed')
      seen.asking.push((await steady(asking)).p99Ms)
      refreshes += (await countRefreshes(client)) - between
    }
    const [without, with_] = [median(seen.lasting), median(seen.asking)]
    console.log(
      `\np99 at ${perSecond} requests a second: ${without.toFixed(2)} ms while leases last, ${with_.toFixed(2)} ms with ${(refreshes / rounds / seconds).toFixed(0)} refreshes a second; added ${(with_ - without).toFixed(2)} ms, <= 1 ms`,
    )
  } finally {
    await client.close()
    await gateway.stop()
  }
}

export async function benchNodes(): Promise<void> {
  const upstream = await start('rig', [join(import.meta.dir, 'upstream.ts'), String(ports.upstream), '10'])
  const database = await startPostgres()
  try {
    pinFamily('rig', database.pid)
    console.log(
      `Bun ${Bun.version}, ${pinning}, with PostgreSQL, which syncs nothing; median of ${rounds} rounds of ${requestsPerRound} requests`,
    )
    if (!process.argv.includes('--limited')) await compareInstallations(database)
    await compareLimited(database)
    if (process.argv.includes('--limited')) return
    await compareServers(database)
    await compareAccounts(database)
    await measureRefreshes(database)
  } finally {
    await database.stop()
    await stop(upstream)
  }
}
