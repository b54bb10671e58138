import { afterAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { openForReading } from '../src/db/open-beside.ts'
import { verify } from '../src/ledger/verify.ts'
import { chatChunk, chatResponse, chatStream, json, type Script, type Step, startFakeUpstream } from './fake-upstream.ts'
import { numbersFrom } from './numbers-from.ts'
import { createServerPlace } from './server-place.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import { testEngine } from './stores.ts'

// The server process is killed repeatedly under a mixed load on one database. Its charges are compared with what the vendor and the clients
// saw, never with what it reports itself.

/** Fewer rounds on PostgreSQL, where a start takes longer. CRASH_ROUNDS sets the number. */
const rounds = Number(process.env['CRASH_ROUNDS'] ?? (testEngine === 'sqlite' ? 6 : 3))
const clients = 12
const roundMsMax = 4_500
/** Younger output may be lost with the process: progress marks are two seconds apart, and half a second is for a busy machine. */
const lostMsMax = 2_500

const { place, accessToken, variables, remove } = await createServerPlace('crash')

/** What a client saw of one request. The vendor reports the request's number as its prompt tokens. */
interface Seen {
  readonly number: number
  requestId: string
  /** When each piece of output arrived. */
  readonly wordsAt: number[]
  isWhole: boolean
}

const upstreamNumbers = new Set<number>()
const upstream = await startFakeUpstream()
upstream.fallback(({ body }) => {
  const number = Number(/number (\d+)/.exec(body)?.[1])
  upstreamNumbers.add(number)
  return body.includes('"stream":true') ? streamOf(number) : wholeOf(number)
})
afterAll(async () => {
  await upstream.close()
  await remove()
})

function wholeOf(number: number): Script {
  if (number % 10 === 0) return json({ error: { message: 'no' } }, 500)
  return json(chatResponse('one two', { prompt_tokens: number, completion_tokens: 50 }))
}

/** Short streams, streams that break off in the middle, and long slow ones. */
function streamOf(number: number): Script {
  const short = chatStream(['one', ' two'], { promptTokens: number, completionTokens: 50 })
  if (number % 7 === 0) return [...short.slice(0, 3), { do: 'cut' }]
  if (number % 3 !== 0) return short
  const slowly = Array.from({ length: 200 }, (): readonly Step[] => [
    { do: 'send', bytes: `data: ${JSON.stringify(chatChunk({ content: 'one' }))}\n\n` },
    { do: 'pause', ms: 40 },
  ])
  return [...short.slice(0, 2), ...slowly.flat(), ...short.slice(2)]
}

async function prepare(server: ServerProcess): Promise<string> {
  const post = async (path: string, body: object): Promise<{ data?: { key?: string } }> => {
    const response = await fetch(server.url + path, { method: 'POST', headers: { authorization: accessToken }, body: JSON.stringify(body) })
    // Holds: every response of the management API is an envelope.
    return (await response.json()) as { data?: { key?: string } }
  }
  await post(contract.channel.create.path, { name: 'up', type: 1, key: 'k', models: 'gpt-4o-mini', base_url: upstream.url })
  await post(contract.user.topUp.path, { user_id: 1, quota: 1_000_000_000 })
  const { data } = await post(contract.token.create.path, { name: 't', unlimited_quota: true })
  return `Bearer sk-${data?.key}`
}

interface Load {
  readonly authorization: string
  readonly random: () => number
  readonly nextNumber: () => number
}

/** Sends chats until the server is killed. */
async function load(server: ServerProcess, { authorization, random, nextNumber }: Load): Promise<readonly Seen[]> {
  const seen: Seen[] = []
  async function send(one: Seen): Promise<void> {
    const isStream = random() < 0.6
    const leaves = new AbortController()
    const wordsMax = random() < 0.1 ? 1 : Number.POSITIVE_INFINITY
    const messages = [{ role: 'user', content: `number ${one.number}` }]
    const response = await fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization },
      body: JSON.stringify({ model: 'gpt-4o-mini', stream: isStream, messages }),
      signal: leaves.signal,
    })
    one.requestId = response.headers.get('x-request-id') ?? ''
    let text = ''
    for await (const bytes of response.body ?? []) {
      text += new TextDecoder().decode(bytes)
      const words = text.split('"content":"one"').length - 1
      while (one.wordsAt.length < words) one.wordsAt.push(performance.now())
      if (words >= wordsMax) leaves.abort()
    }
    one.isWhole = response.ok && (isStream ? text.endsWith('data: [DONE]\n\n') : text.endsWith('}'))
  }
  let isGone = false
  const client = async (): Promise<void> => {
    while (!isGone) {
      const one: Seen = { number: nextNumber(), requestId: '', wordsAt: [], isWhole: false }
      seen.push(one)
      // Fails if the client leaves, or the connection breaks with the server.
      await send(one).catch(() => {})
    }
  }
  const kill = setTimeout(() => server.signal('SIGKILL'), random() * roundMsMax)
  void server.exited.then(() => {
    isGone = true
  })
  await Promise.all(Array.from({ length: clients }, client))
  clearTimeout(kill)
  return seen
}

interface Charged {
  readonly promptTokens: number
  readonly completionTokens: number
  readonly quota: number
}

async function readCharges(): Promise<{
  readonly charged: ReadonlyMap<string, Charged>
  readonly holds: number
  readonly broken: readonly string[]
}> {
  const { db, close } = openForReading(place)
  const { checks, facts } = await verify(db, { withLogs: true })
  const rows = await db.selectFrom('logs').selectAll().where('type', '=', 2).execute()
  await close()
  const charged = new Map(
    rows.map((row) => [row.request_id, { promptTokens: row.prompt_tokens, completionTokens: row.completion_tokens, quota: row.quota }]),
  )
  return { charged, holds: facts.openHolds, broken: checks.flatMap(({ broken }) => broken) }
}

const lastOf = (times: readonly number[]): number => times.at(-1) ?? 0

/** Wrong charges after the next start. */
function findWrong(seen: readonly Seen[], charged: ReadonlyMap<string, Charged>): readonly string[] {
  const killedAt = Math.max(0, ...seen.map(({ wordsAt }) => lastOf(wordsAt)))
  return seen.flatMap(({ number, requestId, wordsAt, isWhole }) => {
    const charge = charged.get(requestId)
    const wrong: string[] = []
    if (isWhole && (charge?.promptTokens !== number || charge.completionTokens !== 50))
      wrong.push(`whole answer ${number} is not charged as told`)
    const old = wordsAt.filter((at) => at < killedAt - lostMsMax).length
    if ((charge?.completionTokens ?? 0) < old)
      wrong.push(`of stream ${number} ${old} words are old, ${charge?.completionTokens} are charged`)
    return wrong
  })
}

test(
  `after each of ${rounds} kills all delivered output except that of the last two seconds is charged once, and nothing else is (I1-I4)`,
  async () => {
    const seed = Number(process.env['SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0])
    console.log(`SEED=${seed}`)
    const random = numbersFrom(seed)
    let authorization = ''
    let last = 0
    const all = new Map<string, Seen>()
    let before: readonly Seen[] = []
    let oldWords = 0
    for (let round = 0; round <= rounds; round++) {
      // Except for open holds, the database is consistent before the next start repairs anything.
      if (round > 0) expect([round, (await readCharges()).broken]).toEqual([round, []])
      const server = await startServer(variables)
      if (authorization === '') authorization = await prepare(server)
      const { charged, holds, broken } = await readCharges()
      expect([round, holds, broken, findWrong(before, charged)]).toEqual([round, 0, [], []])
      for (const [requestId, { promptTokens, quota }] of charged) {
        const isSent = upstreamNumbers.has(all.get(requestId)?.number ?? promptTokens)
        if (quota > 0 && !isSent) throw new Error(`round ${round}: ${requestId} is charged and was never sent to the vendor`)
      }
      if (round === rounds) server.signal('SIGTERM')
      else before = await load(server, { authorization, random, nextNumber: () => ++last })
      for (const one of before) all.set(one.requestId, one)
      oldWords += before.reduce((sum, { wordsAt }) => sum + wordsAt.length, 0)
      await server.exited
    }
    // Otherwise the rounds have delivered too little to prove anything.
    expect(oldWords).toBeGreaterThan(rounds * 10)
  },
  60_000 + rounds * 10_000,
)
