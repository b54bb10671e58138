import { afterAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { sql } from 'kysely'
import { openForChanges, openForReading } from '../src/db/open-beside.ts'
import { verify } from '../src/ledger/verify.ts'
import { chatStream, startFakeUpstream } from './fake-upstream.ts'
import { createServerPlace } from './server-place.ts'
import { runServer, type ServerProcess, startServer, until } from './server-process.ts'
import { testEngine } from './stores.ts'

// The server process is killed at each labelled step of a request, of redeeming a code and of a start, and is started again.

const { place, accessToken, variables, remove } = await createServerPlace('points')
const upstream = await startFakeUpstream()
afterAll(async () => {
  await upstream.close()
  await remove()
})

async function post(server: ServerProcess, path: string, body: object) {
  const response = await fetch(server.url + path, { method: 'POST', headers: { authorization: accessToken }, body: JSON.stringify(body) })
  // Holds: every response of the management API is an envelope.
  return (await response.json()) as { data?: unknown }
}

async function stop(server: ServerProcess): Promise<void> {
  server.signal('SIGTERM')
  expect(await server.exited).toBe(0)
}

/** The state of the database before the next start repairs it. */
async function look() {
  const { db, close } = openForReading(place)
  const holds = await db.selectFrom('holds').select('request_id').execute()
  const charges = await db.selectFrom('ledger').select('amount').where('kind', '=', 'consume').execute()
  const logs = await db.selectFrom('logs').select(['end_reason', 'quota']).where('type', '=', 2).orderBy('id').execute()
  const credits = await db.selectFrom('ledger').select('amount').where('kind', '=', 'redeem').execute()
  const { checks } = await verify(db, { withLogs: true })
  await close()
  return { holds: holds.length, charges: charges.length, logs, credits: credits.length, broken: checks.flatMap(({ broken }) => broken) }
}

async function isNoted(): Promise<boolean> {
  const { db, close } = openForReading(place)
  const hold = await db.selectFrom('holds').select('completion_tokens').executeTakeFirst()
  await close()
  return (hold?.completion_tokens ?? 0) > 0
}

const killed = 128 + 9

/** Sends one chat, whose response has 100 and 50 tokens. @returns the result that the client saw */
async function chat(server: ServerProcess, key: string): Promise<string> {
  const headers = { authorization: `Bearer sk-${key}` }
  const body = JSON.stringify({ model: 'gpt-4o-mini', stream: true, messages: [{ role: 'user', content: 'hi' }] })
  let text = ''
  try {
    const response = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers, body })
    for await (const bytes of response.body ?? []) text += new TextDecoder().decode(bytes)
  } catch {
    // The connection broke when the process ended.
  }
  return text
}

interface Row {
  readonly title: string
  /** The n-th time that a labelled step is reached. `upstream`: when the vendor has the request; `noted`: after a progress mark. */
  readonly at: readonly ['upstream' | 'noted'] | readonly [point: string, nth: number]
  /** The vendor has received the request. */
  readonly isSent: boolean
  /** Rows that the killed process left. */
  readonly left: { readonly holds: 0 | 1; readonly charges: 0 | 1 }
  /** The next start charges the progress mark. */
  readonly isCharged?: true
}

/** The row of a reservation is stored only if it lasts: until then a crash leaves nothing of it. */
const nothing: Row['left'] = { holds: 0, charges: 0 }
/** The batch of the settlement. On PostgreSQL the one before it asks for a lease. */
const settling = testEngine === 'postgres' ? 2 : 1

const rows: readonly Row[] = [
  { title: 'P1 body read', at: ['hold-asked', 1], isSent: false, left: nothing },
  { title: 'P2 reserved in memory', at: ['hold-taken', 1], isSent: false, left: nothing },
  { title: 'P3 reserved, not sent', at: ['hold-made', 1], isSent: false, left: nothing },
  { title: 'P4 sent, no byte came', at: ['upstream'], isSent: true, left: nothing },
  { title: 'P5 in the middle of a stream', at: ['noted'], isSent: true, left: { holds: 1, charges: 0 }, isCharged: true },
  { title: 'P6 vendor is done, not settled', at: ['settle-asked', 1], isSent: true, left: nothing },
  { title: 'P7 settled, end not sent', at: ['settle-committed', 1], isSent: true, left: { holds: 0, charges: 1 } },
  {
    title: 'P8 batch written, not committed',
    at: ['batch-written', settling],
    isSent: true,
    left: nothing,
  },
  {
    title: 'P9 batch committed, nobody told',
    at: ['batch-committed', settling],
    isSent: true,
    left: { holds: 0, charges: 1 },
  },
]

/** A start with a hold to release writes a batch of its own before that of the request. */
function failAt([point, nth]: Row['at'], holds: number): string {
  if (nth === undefined) return ''
  return `${point}:${point.startsWith('batch') && holds > 0 ? nth + 1 : nth}`
}

async function prepare(): Promise<string> {
  const server = await startServer(variables)
  await post(server, contract.channel.create.path, { name: 'up', type: 1, key: 'k', models: 'gpt-4o-mini', base_url: upstream.url })
  const { data } = await post(server, contract.token.create.path, { name: 't', unlimited_quota: true })
  await stop(server)
  // Holds: the response contains the new token with its key.
  return (data as { key: string }).key
}

describe('a start', () => {
  test('that was killed in a migration leaves the old or the new tables, and the next start completes it (P12)', async () => {
    expect((await runServer([], { ...variables, FAIL_AT: 'migrated:4' })).code).toBe(killed)
    await stop(await startServer(variables))
  }, 60_000)

  test('with an unknown step in FAIL_AT is refused', async () => {
    const { code, text } = await runServer([], { ...variables, FAIL_AT: 'nowhere:1' })
    expect([code, text.includes('FAIL_AT')]).toEqual([1, true])
  }, 60_000)
})

/** Checks what the next start has repaired. */
function expectHealed(row: Row, dead: Awaited<ReturnType<typeof look>>, healed: Awaited<ReturnType<typeof look>>): void {
  const swept = healed.logs.slice(dead.logs.length).map(({ end_reason, quota }) => `${end_reason} ${quota > 0}`)
  const charged = row.isCharged ?? false
  expect([row.title, healed.holds, healed.charges, healed.broken]).toEqual([row.title, 0, dead.charges + (charged ? 1 : 0), []])
  expect([row.title, swept]).toEqual([row.title, row.left.holds === 1 ? [`crashed ${charged}`] : []])
}

test('a request that is killed at any step is charged once or not at all, as its step says, and the next start resolves it', async () => {
  const key = await prepare()
  let last: { readonly row: Row; readonly dead: Awaited<ReturnType<typeof look>> } | null = null
  for (const row of rows) {
    const { title, at, isSent, left } = row
    const seen = upstream.received.length
    const server = await startServer({ ...variables, FAIL_AT: failAt(at, last?.dead.holds ?? 0) })
    const start = await look()
    if (last !== null) expectHealed(last.row, last.dead, start)
    upstream.fallback(() => {
      if (at[0] === 'upstream') server.signal('SIGKILL')
      if (at[0] === 'noted') void until(isNoted).then(() => server.signal('SIGKILL'))
      const whole = chatStream(['one', ' two'], { promptTokens: 100, completionTokens: 50 })
      return at[0] === 'noted' ? [...whole.slice(0, 3), { do: 'hang' }] : whole
    })
    const text = await chat(server, key)
    expect([title, await server.exited]).toEqual([title, killed])

    const dead = await look()
    expect([title, text.includes('[DONE]')]).toEqual([title, false])
    expect([title, upstream.received.length - seen]).toEqual([title, isSent ? 1 : 0])
    expect([title, dead.holds, dead.charges - start.charges, dead.broken]).toEqual([title, left.holds, left.charges, []])
    last = { row, dead }
  }
  await stop(await startServer(variables))
  if (last !== null) expectHealed(last.row, last.dead, await look())
}, 120_000)

describe('a charge that the database refuses', () => {
  /** The usage that the vendor reports, which the database refuses in a log row until that is switched off. */
  const refused = 49

  async function changeTables(statements: Readonly<Record<typeof testEngine, string>>): Promise<void> {
    const { db, close } = await openForChanges(place)
    await sql.raw(statements[testEngine]).execute(db)
    await close()
  }

  const refuse = () =>
    changeTables({
      sqlite: `CREATE TRIGGER refuse_charge BEFORE INSERT ON logs WHEN NEW.completion_tokens = ${refused} BEGIN SELECT RAISE(ABORT, 'refused'); END`,
      postgres: `ALTER TABLE logs ADD CONSTRAINT refuse_charge CHECK (completion_tokens <> ${refused})`,
    })
  const accept = () => changeTables({ sqlite: 'DROP TRIGGER refuse_charge', postgres: 'ALTER TABLE logs DROP CONSTRAINT refuse_charge' })

  async function lookAsides() {
    const { db, close } = openForReading(place)
    const asides = await db.selectFrom('ledger_set_aside').select(['id', 'state', 'amount', 'charged']).orderBy('id').execute()
    await close()
    return asides
  }

  /** Sends a stream whose progress mark is stored before its charge is refused. */
  async function chatUntil(server: ServerProcess, key: string): Promise<void> {
    const whole = chatStream(['one', ' two'], { promptTokens: 100, completionTokens: refused })
    const gate = Bun.randomUUIDv7()
    upstream.script([...whole.slice(0, 3), { do: 'wait', name: gate }, ...whole.slice(3)])
    const responded = chat(server, key)
    await until(isNoted)
    upstream.release(gate)
    await responded
  }

  test('keeps its reservation if the server is killed before it is set aside, and the next start charges what was delivered', async () => {
    const key = await prepare()
    await refuse()
    const before = await look()
    const server = await startServer({ ...variables, FAIL_AT: 'set-aside-asked:1' })
    await chatUntil(server, key)
    expect(await server.exited).toBe(killed)
    const dead = await look()
    expect([dead.holds, dead.charges - before.charges, dead.broken, await lookAsides()]).toEqual([1, 0, [], []])
    await stop(await startServer(variables))
    await accept()
    const healed = await look()
    expect([healed.holds, healed.charges - before.charges, healed.broken, await lookAsides()]).toEqual([0, 1, [], []])
    expect(healed.logs.at(-1)?.end_reason).toBe('crashed')
  }, 120_000)

  test('stays set aside if the server is killed afterwards, and is charged once when it is tried again', async () => {
    const key = await prepare()
    await refuse()
    const before = await look()
    const server = await startServer(variables)
    await chatUntil(server, key)
    await until(async () => (await lookAsides()).length === 1)
    server.signal('SIGKILL')
    await server.exited
    await stop(await startServer(variables))
    const kept = await look()
    const [aside] = await lookAsides()
    if (aside === undefined) throw new Error('nothing is set aside')
    expect([kept.holds, kept.charges - before.charges, kept.broken, aside.state]).toEqual([1, 0, [], 'open'])
    await accept()
    const next = await startServer(variables)
    const retry = contract.ledger.retry.path
    expect(await post(next, retry, { id: aside.id })).toMatchObject({ success: true })
    expect(await post(next, retry, { id: aside.id })).toMatchObject({ success: false })
    await stop(next)
    const charged = await look()
    expect([charged.holds, charged.charges - before.charges, charged.broken]).toEqual([0, 1, []])
    expect(await lookAsides()).toMatchObject([{ state: 'retried', charged: aside.amount }])
  }, 120_000)
})

const codeSteps = [
  ['taken, not credited', 'post-asked', 1],
  ['credit written, not committed', 'batch-written', 1],
  ['credit committed, nobody told', 'batch-committed', 1],
] as const

test('a code whose server is killed between taking and crediting it is credited once (P11)', async () => {
  const first = await startServer(variables)
  const { data } = await post(first, contract.redemption.create.path, { name: 'step', quota: 42, count: codeSteps.length })
  await stop(first)
  // Holds: the response is the list of new keys.
  const keys = data as readonly string[]
  for (const [index, [title, point, nth]] of codeSteps.entries()) {
    // The start first credits the code of the step before in a batch of its own.
    const before = index === 0 ? nth : nth + 1
    const server = await startServer({ ...variables, FAIL_AT: `${point}:${before}` })
    await post(server, contract.redemption.redeem.path, { key: keys[index] }).catch(() => null)
    expect([title, await server.exited]).toEqual([title, killed])
  }
  await stop(await startServer(variables))
  const { credits, broken } = await look()
  expect([credits, broken]).toEqual([codeSteps.length, []])
}, 120_000)

// On PostgreSQL the server copies back no write-ahead log.
if (testEngine === 'sqlite')
  test('a stop that is killed before the write-ahead log was copied back loses nothing (P10)', async () => {
    const before = await look()
    const server = await startServer({ ...variables, FAIL_AT: 'closing:1' })
    await post(server, contract.user.topUp.path, { user_id: 1, quota: 7 })
    server.signal('SIGTERM')
    expect(await server.exited).toBe(killed)
    expect(await look()).toEqual(before)
    await stop(await startServer(variables))
    expect(await look()).toEqual(before)
  }, 60_000)
