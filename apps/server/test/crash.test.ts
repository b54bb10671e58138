import { afterAll, expect, test } from 'bun:test'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { contract } from '@sluice/contract'
import { openForReading } from '../src/db/open-for-reading.ts'
import { storePlace } from '../src/db/store-place.ts'
import { verify } from '../src/ledger/verify.ts'
import { chatReply, chatStream, json, startFakeUpstream } from './fake-upstream.ts'
import { numbersFrom } from './numbers-from.ts'
import { type ServerProcess, startServer } from './server-process.ts'
import { createTestDatabase, testEngine } from './stores.ts'

// The server as operators run it is killed under load, again and again, on one database.

/** A start on PostgreSQL takes longer. */
const rounds = testEngine === 'sqlite' ? 30 : 12
const clients = 8
/** Answers received in a round before the kill: from this many numbers one is drawn. */
const answersMax = 60

const folder = mkdtempSync(join(tmpdir(), 'sluice-crash-'))
const accessToken = 'crash'.padEnd(40, 'x')
const database = await createTestDatabase()
const place = storePlace({ databaseUrl: database.url, dataDir: folder })
const variables = {
  DATA_DIR: folder,
  DATABASE_URL: database.url,
  INITIAL_ROOT_PASSWORD: 'a root password',
  INITIAL_ROOT_ACCESS_TOKEN: accessToken,
}
const upstream = await startFakeUpstream()
upstream.fallback(({ body }) =>
  body.includes('"stream":true')
    ? chatStream(['one', ' two'], { promptTokens: 100, completionTokens: 50 })
    : json(chatReply('one two', { prompt_tokens: 100, completion_tokens: 50 })),
)
afterAll(async () => {
  await upstream.close()
  await database.drop()
  rmSync(folder, { recursive: true, force: true })
})

async function prepare(server: ServerProcess): Promise<string> {
  const post = async (path: string, body: object): Promise<{ data?: { key?: string } }> => {
    const response = await fetch(server.url + path, { method: 'POST', headers: { authorization: accessToken }, body: JSON.stringify(body) })
    // Holds: the management API answers in its envelope.
    return (await response.json()) as { data?: { key?: string } }
  }
  await post(contract.channel.create.path, { name: 'up', type: 1, key: 'k', models: 'gpt-4o-mini', base_url: upstream.url })
  const { data } = await post(contract.token.create.path, { name: 't', unlimited_quota: true })
  return `Bearer sk-${data?.key}`
}

/** Sends chats until the server is gone. @returns ids of the requests whose answers came whole */
async function load(
  server: ServerProcess,
  authorization: string,
  { killAfter, random }: { killAfter: number; random: () => number },
): Promise<readonly string[]> {
  const whole: string[] = []
  const client = async (): Promise<void> => {
    for (;;) {
      const isStream = random() < 0.5
      const body = JSON.stringify({ model: 'gpt-4o-mini', stream: isStream, messages: [{ role: 'user', content: 'hi' }] })
      const response = await fetch(`${server.url}/v1/chat/completions`, { method: 'POST', headers: { authorization }, body })
      const text = await response.text()
      if (isStream ? text.endsWith('data: [DONE]\n\n') : text.endsWith('}')) whole.push(response.headers.get('x-request-id') ?? '')
      if (whole.length === killAfter) server.signal('SIGKILL')
    }
  }
  // Each client ends when its connection breaks.
  await Promise.allSettled(Array.from({ length: clients }, client))
  await server.exited
  return whole
}

test(`after ${rounds} kills under load every answer that came whole is charged and logged, and the ledger is sound`, async () => {
  const seed = Number(process.env['SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0])
  console.log(`SEED=${seed}`)
  const random = numbersFrom(seed)
  let authorization = ''
  for (let round = 0; round < rounds; round++) {
    const server = await startServer(variables)
    if (authorization === '') authorization = await prepare(server)
    const whole = await load(server, authorization, { killAfter: 1 + Math.floor(random() * answersMax), random })

    // What the dead process left, before anybody has repaired anything.
    const { db, close } = openForReading(place)
    const { checks } = await verify(db, { withLogs: true })
    expect([round, checks.flatMap(({ broken }) => broken)]).toEqual([round, []])
    const charged = await db
      .selectFrom('ledger')
      .select('ref')
      .where('ref', 'in', [...whole, ''])
      .where('kind', '=', 'consume')
      .execute()
    expect([round, charged.length]).toEqual([round, whole.length])
    await close()
  }

  const last = await startServer(variables)
  last.signal('SIGTERM')
  expect(await last.exited).toBe(0)
  const { db, close } = openForReading(place)
  const { isSound, facts } = await verify(db, { withLogs: true })
  expect(isSound).toBe(true)
  expect(facts.openHolds).toBe(0)
  await close()
}, 120_000)
