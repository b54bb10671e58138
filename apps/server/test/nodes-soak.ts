import { openForReading } from '../src/db/open-beside.ts'
import { chatResponse, chatStream, json, type Script, startFakeUpstream } from './fake-upstream.ts'
import { type FaultProxy, type NetworkFault, startFaultProxy } from './fault-proxy.ts'
import { type Cluster, createCluster } from './node-cluster.ts'
import { numbersFrom } from './numbers-from.ts'
import type { PostgresServer } from './postgres-server.ts'
import { until } from './server-process.ts'

// Clients send chats to any of several nodes while nodes and their database are killed, stopped and started again. Afterwards the charges
// are compared with what clients and the vendor saw.

type Database = Pick<PostgresServer, 'createDatabase' | 'kill' | 'start'>

interface NodesSoakOptions {
  readonly database: Database
  /** Of random faults. */
  readonly seconds?: number
  readonly seed: number
  /** The only fault, instead of random ones; in between and afterwards so many responses are whole. */
  readonly only?: { readonly fault: () => Promise<void>; readonly responses: number }
  readonly size: number
  /** Requests a second of all clients together; missing: each sends its next one when the last one has ended. */
  readonly rate?: number
}

interface NodesSoakReport {
  /** How often each fault was made. */
  readonly deeds: Readonly<Record<string, number>>
  readonly requestCount: number
  /** Responses that clients received whole. */
  readonly whole: number
  readonly wrong: readonly string[]
  /** Nodes that still ran when the faults were over. */
  readonly unended: number
}

const clients = 12
/** A node that is stopped does not respond; its client asks another one then. */
const patienceMs = 8_000
const completionTokens = 50
/** Makes the prompt long enough for the counts that the vendor reports, which are the numbers of the requests. */
const explaining = ' word'.repeat(2_000)

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

/** The vendor reports the number of a request as its prompt tokens. */
function responseOf(body: string): Script {
  const number = Number(/number (\d+)/.exec(body)?.[1])
  if (number % 11 === 0) return json({ error: { message: 'no' } }, 500)
  if (!body.includes('"stream":true')) return json(chatResponse('one two', { prompt_tokens: number, completion_tokens: completionTokens }))
  const whole = chatStream(['one', ' two', ' three'], { promptTokens: number, completionTokens })
  if (number % 7 === 0) return [...whole.slice(0, 3), { do: 'cut' }]
  return number % 5 === 0 ? [...whole.slice(0, 2), { do: 'pause', ms: 2_500 }, ...whole.slice(2)] : whole
}

interface Scene {
  /** Between each node and the database. */
  readonly proxies: readonly FaultProxy[]
  readonly cluster: Cluster
  readonly database: Database
  readonly random: () => number
  /** Numbers that reached the vendor. */
  readonly vendorNumbers: Set<number>
  /** Ids of the requests whose responses were seen whole, with their numbers. */
  readonly whole: Map<string, number>
  readonly deeds: Record<string, number>
  isOver: boolean
  requestCount: number
}

async function send({ cluster, random, whole }: Scene, number: number, authorization: string): Promise<void> {
  const nodes = cluster.running()
  const server = nodes[Math.floor(random() * nodes.length)]
  if (server === undefined) return await pause(50)
  const isStream = random() < 0.6
  const response = await fetch(`${server.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization },
    body: JSON.stringify({
      model: 'gpt-4o-mini',
      stream: isStream,
      messages: [{ role: 'user', content: `number ${number}${explaining}` }],
    }),
    signal: AbortSignal.timeout(patienceMs),
  })
  const text = await response.text()
  const isWhole = response.ok && (isStream ? text.endsWith('data: [DONE]\n\n') : text.endsWith('}'))
  if (isWhole) whole.set(response.headers.get('x-request-id') ?? '', number)
  else await pause(20)
}

async function load(scene: Scene, authorizations: readonly string[], rate: number): Promise<void> {
  const client = async (): Promise<void> => {
    while (!scene.isOver) {
      scene.requestCount += 1
      const number = scene.requestCount
      // Fails when the node ends, is stopped, or refuses.
      const sending = send(scene, number, authorizations[number % authorizations.length] ?? '').catch(() => {})
      await Promise.all([sending, pause((clients * 1000) / rate)])
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
}

/** Starts a node again, as long as it takes: its database may be away. */
async function startAgain({ cluster }: Scene, place: number): Promise<void> {
  for (;;) {
    try {
      await cluster.start(place)
      return
    } catch {
      await pause(200)
    }
  }
}

async function endAndStart(scene: Scene, place: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  await scene.cluster.end(place, signal)
  await startAgain(scene, place)
}

/** After a long stop the node ends itself, because another one has declared it dead. */
async function stopFor({ cluster }: Scene, place: number, ms: number): Promise<void> {
  const server = cluster.at(place)
  server?.signal('SIGSTOP')
  await pause(ms)
  server?.signal('SIGCONT')
}

/** What passes between a node and the database is delayed or lost; then its connections end, and new ones are good. */
async function disturbNetwork({ proxies }: Scene, place: number, { fault, ms }: { fault: NetworkFault; ms: number }): Promise<void> {
  const proxy = proxies[place]
  proxy?.arm(fault)
  await pause(ms)
  proxy?.arm({ do: 'nothing' })
  proxy?.cut()
}

async function restartDatabase({ database }: Scene): Promise<void> {
  await database.kill()
  await database.start()
}

type Fault = readonly [name: string, make: (scene: Scene, place: number) => Promise<void>]

function networkFault(name: string, fault: NetworkFault, ms: number): Fault {
  return [name, (scene, place) => disturbNetwork(scene, place, { fault, ms })]
}

/** A fault, by a number between 0 and 1. */
function faultAt(part: number): Fault {
  if (part < 0.3) return ['killed', (scene, place) => endAndStart(scene, place, 'SIGKILL')]
  if (part < 0.45) return ['told to stop', (scene, place) => endAndStart(scene, place, 'SIGTERM')]
  if (part < 0.55) return networkFault('connections reset', { do: 'reset', afterBytes: 2_000 }, 500)
  if (part < 0.63) return networkFault('connections half open', { do: 'blackhole', afterBytes: 2_000 }, 6_000)
  if (part < 0.7) return networkFault('connections slow', { do: 'delay', ms: 150 }, 3_000)
  if (part < 0.85) return ['stopped for a while', (scene, place) => stopFor(scene, place, 200 + scene.random() * 2_800)]
  if (part < 0.92) return ['stopped until it is dead', (scene, place) => stopFor(scene, place, 16_000)]
  return ['database killed', restartDatabase]
}

/** Makes faults, one at a time for each node and for the database, until the time is over. */
async function disturb(scene: Scene, seconds: number): Promise<void> {
  const untilMs = performance.now() + seconds * 1000
  const busy = new Map<number, Promise<void>>()
  const ofDatabase = -1
  const places = Array.from({ length: scene.cluster.size }, (_, place) => place)
  const begin = (place: number, work: Promise<void>): void =>
    void busy.set(
      place,
      work.finally(() => busy.delete(place)),
    )
  while (performance.now() < untilMs) {
    await pause(300 + scene.random() * 1_200)
    for (const place of places) if (!busy.has(place) && scene.cluster.at(place) === null) begin(place, startAgain(scene, place))
    const [name, make] = faultAt(scene.random())
    const place = name === 'database killed' ? ofDatabase : Math.floor(scene.random() * scene.cluster.size)
    if (busy.has(place)) continue
    scene.deeds[name] = (scene.deeds[name] ?? 0) + 1
    begin(place, make(scene, place))
  }
  await Promise.all(busy.values())
}

async function disturbOnce({ whole }: Scene, { fault, responses }: NonNullable<NodesSoakOptions['only']>): Promise<void> {
  await until(() => whole.size >= responses)
  await fault()
  const before = whole.size
  await until(() => whole.size >= before + responses)
}

async function countHolds(url: string): Promise<number> {
  const { db, close } = openForReading(url)
  const { length } = await db.selectFrom('holds').select('request_id').execute()
  await close()
  return length
}

/** Wrong charges, by what clients and the vendor saw. */
async function findWrong(url: string, { vendorNumbers, whole }: Scene): Promise<readonly string[]> {
  const { db, close } = openForReading(url)
  const rows = await db.selectFrom('logs').selectAll().where('type', '=', 2).execute()
  await close()
  const charged = new Map(rows.map((row) => [row.request_id, row]))
  const uncharged = [...whole].flatMap(([requestId, number]) => {
    const row = charged.get(requestId)
    const isRight = row?.prompt_tokens === number && row.completion_tokens === completionTokens && row.quota > 0
    return isRight ? [] : [`whole answer ${number} (${requestId}) is charged as ${row?.prompt_tokens}, ${row?.completion_tokens}`]
  })
  const unsent = rows.flatMap((row) =>
    row.quota > 0 && whole.has(row.request_id) && !vendorNumbers.has(row.prompt_tokens)
      ? [`${row.request_id} is charged and was never sent`]
      : [],
  )
  return [...uncharged, ...unsent]
}

export async function nodesSoak({
  database,
  seconds = 0,
  seed,
  size,
  only,
  rate = Number.POSITIVE_INFINITY,
}: NodesSoakOptions): Promise<NodesSoakReport> {
  const url = await database.createDatabase()
  const proxies = await Promise.all(Array.from({ length: size }, () => startFaultProxy(url)))
  const urls = proxies.map(({ port }) => Object.assign(new URL(url), { port }).href)
  const cluster = createCluster({ url, urls, size, variables: { SHUTDOWN_GRACE_MS: '3000' } })
  const upstream = await startFakeUpstream()
  const vendorNumbers = new Set<number>()
  const scene: Scene = {
    ...{ cluster, database, proxies, random: numbersFrom(seed), vendorNumbers, whole: new Map(), deeds: {} },
    ...{ isOver: false, requestCount: 0 },
  }
  upstream.fallback(({ body }) => {
    vendorNumbers.add(Number(/number (\d+)/.exec(body)?.[1]))
    return responseOf(body)
  })
  try {
    await Promise.all(Array.from({ length: size }, (_, place) => cluster.start(place)))
    const limited = { unlimited_quota: false, remain_quota: 3_000_000 }
    const authorizations = [await cluster.prepare(upstream), await cluster.prepare(upstream, limited)]
    const loading = load(scene, authorizations, rate)
    await (only === undefined ? disturb(scene, seconds) : disturbOnce(scene, only))
    scene.isOver = true
    await loading
    const unended = cluster.running().length
    await Promise.all(Array.from({ length: size }, (_, place) => cluster.end(place, 'SIGTERM')))
    // The last start sweeps what the others have left.
    await cluster.start(0)
    while ((await countHolds(url)) > 0) await pause(100)
    await cluster.end(0, 'SIGTERM')
    const wrong = [...(await findWrong(url, scene)), ...(await cluster.inconsistencies())]
    return { deeds: scene.deeds, requestCount: scene.requestCount, whole: scene.whole.size, wrong, unended }
  } finally {
    await cluster.close()
    for (const proxy of proxies) proxy.close()
    await upstream.close()
  }
}
