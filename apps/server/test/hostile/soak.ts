import { contract } from '@sluice/contract'
import { openForReading } from '../../src/db/open-beside.ts'
import { type FakeUpstream, startFakeUpstream } from '../fake-upstream.ts'
import { type Cluster, createCluster } from '../node-cluster.ts'
import { numbersFrom } from '../numbers-from.ts'
import type { PostgresServer } from '../postgres-server.ts'
import { until } from '../server-process.ts'
import { type HostileVendor, hostileVendors } from '../vendors/hostile-vendors.ts'
import { garbledScript } from './garble.ts'

// Clients of two nodes ask vendors that respond in the right form with values of random types. No request may end in an error of the server, no
// node may end, and the ledger stays audio.

interface HostileSoakOptions {
  readonly database: Pick<PostgresServer, 'createDatabase'>
  readonly seconds: number
  readonly seed: number
}

interface HostileSoakReport {
  readonly requests: number
  /** Responses of the server by their status and code. */
  readonly responses: Readonly<Record<string, number>>
  /** Rows of the log, and tasks by their state. */
  readonly rows: number
  readonly tasks: Readonly<Record<string, number>>
  /** Messages that nodes logged as errors. */
  readonly errors: Readonly<Record<string, number>>
  readonly wrong: readonly string[]
}

const clients = 8
/** A request that takes longer hangs: the vendors respond at once. */
const patienceMs = 60_000
/** Tasks and responses that clients ask about. */
const knownMax = 200

interface Scene {
  readonly cluster: Cluster
  readonly random: () => number
  readonly channels: ReadonlyArray<{ readonly id: number; readonly vendor: HostileVendor }>
  readonly key: string
  /** Paths at which clients read what they have made. */
  readonly known: string[]
  readonly responses: Map<string, number>
  readonly wrong: Set<string>
  requests: number
}

interface SoakRequest {
  readonly method: string
  readonly path: string
  readonly body?: object
  readonly authorization: string
}

const count = (counts: Map<string, number>, name: string): void => void counts.set(name, (counts.get(name) ?? 0) + 1)

function oneOf<Item>(items: readonly Item[], random: () => number): Item {
  const item = items[Math.floor(random() * items.length)]
  if (item === undefined) throw new Error('there is nothing to choose from')
  return item
}

const accessToken = 'cluster'.padEnd(40, 'x')
/** What an administrator asks for: vendors' balances and models, tests of channels, and pages that show what was stored. */
const adminPaths = [
  ...['/api/channel/update_balance/:id/', '/api/channel/:id/upstream_models', '/api/channel/test/:id'],
  ...[contract.log.list.path, contract.task.list.path, contract.channel.board.path, contract.log.losses.path, contract.channel.health.path],
]

/** The next request of a client. */
function nextRequest({ random, channels, key, known }: Scene): SoakRequest {
  const { id, vendor } = oneOf(channels, random)
  const part = random()
  const authorization = `Bearer sk-${key}-${id}`
  if (part < 0.1) return { method: 'GET', path: oneOf(adminPaths, random).replace(':id', String(id)), authorization: accessToken }
  if (part < 0.3 && known.length > 0) {
    const path = oneOf(known, random)
    const isRemoved = random() < 0.1
    return { method: isRemoved ? 'DELETE' : 'GET', path, authorization: `Bearer sk-${key}` }
  }
  return { method: 'POST', ...oneOf(vendor.calls, random), authorization }
}

/** Where a client reads what a request has made. */
function pathsOf(path: string, text: string): readonly string[] {
  const id = /"(?:id|data|task_id)": ?"((?:video|task|msgbatch|resp)_\w+)"/.exec(text)?.[1]
  if (id === undefined) return []
  if (path.startsWith('/suno')) return [`/suno/fetch/${id}`]
  if (path.startsWith('/v1/messages/batches')) return [`${path}/${id}`, `${path}/${id}/results`]
  if (path.startsWith('/v1/responses')) return [`/v1/responses/${id}`]
  return path.startsWith('/v1/videos') || path.startsWith('/v1/tasks') ? [`/v1/tasks/${id}`, `${path.split('?')[0]}/${id}/content`] : []
}

function codeIn(text: string): string {
  return /"(?:code|type)": ?"([a-z_]{3,60})"/.exec(/"error": ?\{.*/.exec(text)?.[0] ?? '')?.[1] ?? ''
}

async function ask(scene: Scene): Promise<void> {
  const { cluster, random, known, responses, wrong } = scene
  const { method, path, body, authorization } = nextRequest(scene)
  const server = oneOf(cluster.running(), random)
  const what = `${method} ${path}`
  try {
    const response = await fetch(server.url + path, {
      method,
      headers: { authorization, 'content-type': 'application/json', 'anthropic-version': '2023-06-01' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      signal: AbortSignal.timeout(patienceMs),
    })
    const text = await response.text()
    const code = response.ok && !text.includes('"error":{') ? '' : codeIn(text)
    count(responses, `${response.status} ${code}`.trim())
    if (response.status === 500 || text.includes('internal_error')) wrong.add(`${what}: ${response.status} ${text.slice(-300)}`)
    if (method === 'POST' && response.ok) known.push(...pathsOf(path, text))
    if (known.length > knownMax) known.splice(0, known.length - knownMax)
  } catch (error) {
    wrong.add(`${what}: ${String(error)}`)
  }
}

async function load(scene: Scene, seconds: number): Promise<void> {
  const untilMs = performance.now() + seconds * 1000
  const client = async (): Promise<void> => {
    while (performance.now() < untilMs && scene.cluster.running().length > 0) {
      scene.requests += 1
      await ask(scene)
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
}

/** A channel for each vendor, at an address of its own. */
async function openChannels(cluster: Cluster, random: () => number) {
  const upstreams: FakeUpstream[] = []
  const channels: { id: number; vendor: HostileVendor }[] = []
  for (const vendor of hostileVendors()) {
    const upstream = await startFakeUpstream()
    upstreams.push(upstream)
    upstream.fallback((request) => garbledScript(vendor.response(request, upstream.url), random))
    const { key, ...channel } = vendor.channel
    const form = {
      ...channel,
      name: vendor.name,
      base_url: upstream.url,
      key: key.replaceAll('{upstream}', upstream.url),
      group: 'default',
    }
    const response = await cluster.call(cluster.nodeAt(0), contract.channel.create, form)
    if (!response.success) throw new Error(`${vendor.name}: ${response.message}`)
    const rows = await cluster.read(cluster.nodeAt(0), { path: `/api/channel/search?keyword=${encodeURIComponent(vendor.name)}` })
    // Holds: the call returns rows of channels.
    const row = (rows as readonly { readonly id: number; readonly name: string }[]).find(({ name }) => name === vendor.name)
    channels.push({ id: row?.id ?? 0, vendor })
  }
  return { upstreams, channels }
}

async function setOption(cluster: Cluster, key: string, value: string): Promise<void> {
  const { success, message } = await cluster.call(cluster.nodeAt(0), contract.option.update, { key, value })
  if (!success) throw new Error(message)
}

interface Stored {
  readonly rows: number
  readonly tasks: Readonly<Record<string, number>>
  /** Reservations of requests, none of which runs, and of tasks that have ended. */
  readonly orphans: readonly string[]
}

async function readStored(url: string): Promise<Stored> {
  const { db, close } = openForReading(url)
  try {
    const logs = await db.selectFrom('logs').select('id').where('type', '=', 2).execute()
    const tasks = await db.selectFrom('tasks').select(['public_id', 'state', 'stage']).execute()
    const holds = await db.selectFrom('holds').select(['request_id', 'task_id']).execute()
    const running = new Set(tasks.flatMap(({ public_id: id, stage }) => (stage === 'ended' ? [] : [id])))
    const states = new Map<string, number>()
    for (const { state } of tasks) count(states, state)
    const orphans = holds.filter(({ task_id: id }) => !running.has(id)).map(({ request_id: id }) => `the reservation of ${id} is open`)
    return { rows: logs.length, tasks: Object.fromEntries(states), orphans }
  } finally {
    await close()
  }
}

/** Messages of errors that nodes printed, without their numbers. */
function errorsIn(printed: readonly string[]): Map<string, number> {
  const errors = new Map<string, number>()
  for (const line of printed.flatMap((text) => text.split('\n'))) {
    if (/"level":"(?:error|fatal)"/.test(line))
      count(errors, `${/"msg":"([^"]*)"/.exec(line)?.[1] ?? ''}: ${/"message":"([^"]{0,120})/.exec(line)?.[1] ?? ''}`)
  }
  return errors
}

async function isReady(url: string): Promise<boolean> {
  return (await fetch(`${url}/readyz`)).ok
}

export async function hostileSoak({ database, seconds, seed }: HostileSoakOptions): Promise<HostileSoakReport> {
  const url = await database.createDatabase()
  const cluster = createCluster({ url, size: 2, variables: { SHUTDOWN_GRACE_MS: '3000', RATE_LIMITS: 'off', CHANNEL_PAUSE_MS: '0' } })
  const random = numbersFrom(seed)
  let upstreams: readonly FakeUpstream[] = []
  try {
    const started = await Promise.all([cluster.start(0), cluster.start(1)])
    await setOption(cluster, 'UnpricedModelRatio', '1')
    await setOption(cluster, 'AutomaticDisableChannelEnabled', 'false')
    const opened = await openChannels(cluster, random)
    upstreams = opened.upstreams
    const token = await cluster.call(cluster.nodeAt(0), contract.token.create, { name: 'hostile', unlimited_quota: true })
    // Holds: the response contains the new token with its key.
    const { key } = token.data as { readonly key: string }
    const scene: Scene = { cluster, random, channels: opened.channels, key, known: [], responses: new Map(), wrong: new Set(), requests: 0 }
    // Configuration reaches every node within two seconds.
    await new Promise((resolve) => setTimeout(resolve, 3_000))
    await load(scene, seconds)
    const wrong = [...scene.wrong]
    for (const [place, server] of started.entries()) {
      if (cluster.at(place) !== server) wrong.push(`node ${place} has ended`)
      else if (!(await isReady(server.url))) wrong.push(`node ${place} is not ready`)
    }
    // The last requests are settled in the background.
    let stored = await readStored(url)
    const settledByMs = performance.now() + 10_000
    await until(async () => {
      stored = await readStored(url)
      return stored.orphans.length === 0 || performance.now() > settledByMs
    })
    const errors = errorsIn(started.map((server) => server.printed()))
    const codes = await Promise.all([cluster.end(0, 'SIGTERM'), cluster.end(1, 'SIGTERM')])
    for (const code of codes) if (code !== 0) wrong.push(`a node ended with the code ${code}`)
    wrong.push(...stored.orphans, ...(await cluster.inconsistencies()))
    const { rows, tasks } = stored
    return {
      ...{ requests: scene.requests, responses: Object.fromEntries([...scene.responses].sort(([, one], [, other]) => other - one)) },
      ...{ rows, tasks, errors: Object.fromEntries(errors), wrong },
    }
  } finally {
    await cluster.close()
    for (const upstream of upstreams) await upstream.close()
  }
}
