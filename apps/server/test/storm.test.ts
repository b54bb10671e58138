import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { sql } from 'kysely'
import { type TestApp, type TestUser, testApp } from './app.ts'
import { chatResponse, chatStream, json, type Script } from './fake-upstream.ts'
import { numbersFrom } from './numbers-from.ts'
import { until } from './server-process.ts'

// All operations that change quota run concurrently, by users and administrators: afterwards the ledger must explain every unit.

const workers = 16
const stepsEach = 60

let app: TestApp
const users: TestUser[] = []
beforeAll(async () => {
  app = await testApp()
  await app.make.channel()
  await app.make.channel()
  for (let count = 0; count < 10; count++) users.push(await app.make.user({ quota: 2_000 }))
})
afterAll(() => app.close())

/** One operation. It may be refused, but must change nothing then. */
type Step = (user: TestUser, random: () => number) => Promise<unknown>

async function chat(user: TestUser, random: () => number): Promise<unknown> {
  const [token] = await app.data(contract.token.list, {}, user).catch(() => [])
  if (token === undefined) return null
  const isStream = random() < 0.5
  const usage = { prompt_tokens: Math.floor(random() * 900), completion_tokens: Math.floor(random() * 300) }
  const responses: readonly Script[] = [
    json(chatResponse('ok', usage)),
    json({ error: { message: 'no' } }, 500),
    [{ do: 'cut' }],
    chatStream(['a', 'b', 'c'], { promptTokens: usage.prompt_tokens, completionTokens: usage.completion_tokens }),
  ]
  app.upstream.script(responses[Math.floor(random() * responses.length)] ?? [])
  const leaves = new AbortController()
  const pending = fetch(`${app.url}/v1/chat/completions`, {
    method: 'POST',
    headers: { authorization: `Bearer sk-${token.key}` },
    body: JSON.stringify({ model: 'gpt-4o-mini', stream: isStream, messages: [{ role: 'user', content: 'hi' }] }),
    signal: leaves.signal,
  })
  if (random() < 0.2) queueMicrotask(() => leaves.abort())
  return await (await pending).text()
}

async function editAsAdmin(user: TestUser, random: () => number): Promise<unknown> {
  const form = await app.data(contract.user.get, { id: user.id })
  const edit = { ...form, quota: Math.floor(random() * 3_000) }
  // A form that is sent twice at the same time.
  return await Promise.all([app.call(contract.user.update, edit), app.call(contract.user.update, edit)])
}

async function redeem(user: TestUser): Promise<unknown> {
  const [key = ''] = await app.data(contract.redemption.create, { name: 'storm', quota: 70, count: 1 })
  const other = users[0] ?? user
  return await Promise.all([app.call(contract.redemption.redeem, { key }, user), app.call(contract.redemption.redeem, { key }, other)])
}

async function editToken(user: TestUser, random: () => number): Promise<unknown> {
  const [token] = await app.data(contract.token.list, {}, user)
  if (token === undefined) return null
  if (random() < 0.3) return await app.data(contract.token.remove, { id: token.id }, user)
  return await app.data(
    contract.token.update,
    { ...token, remain_quota: Math.floor(random() * 900), unlimited_quota: random() < 0.5 },
    user,
  )
}

const steps: readonly (readonly [weight: number, step: Step])[] = [
  [10, chat],
  [3, (user) => app.call(contract.token.create, { name: 'storm', unlimited_quota: true }, user)],
  [2, editToken],
  [2, editAsAdmin],
  [2, (user, random) => app.call(contract.user.topUp, { user_id: user.id, quota: Math.floor(random() * 500) })],
  [2, redeem],
  [1, (user) => app.call(contract.account.accessToken, {}, user)],
  [0.3, (user) => app.call(contract.account.removeSelf, {}, user)],
]
const weightOfAll = steps.reduce((sum, [weight]) => sum + weight, 0)

function draw(random: () => number): Step {
  let left = random() * weightOfAll
  for (const [weight, step] of steps) {
    left -= weight
    if (left < 0) return step
  }
  return chat
}

test('after concurrent requests, edits, codes, grants and deletions the ledger explains every unit of quota', async () => {
  const seed = Number(process.env['SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0])
  console.log(`SEED=${seed}`)
  await Promise.all(
    Array.from({ length: workers }, async (_, worker) => {
      const random = numbersFrom(seed + worker)
      for (let count = 0; count < stepsEach; count++) {
        const user = users[Math.floor(random() * users.length)]
        // Calls of deleted users and of clients that disconnect fail; the ledger is checked at the end.
        if (user !== undefined) await draw(random)(user, random).catch(() => null)
      }
    }),
  )
  const { db } = app.app.store
  await until(async () => (await db.selectFrom('holds').select('request_id').execute()).length === 0)
  expect(await app.inconsistencies()).toEqual([])
  const { rows } = await sql<{ kind: string; count: number }>`SELECT kind, COUNT(*) AS count FROM ledger GROUP BY kind`.execute(db)
  // Otherwise too little has happened to prove anything.
  for (const kind of ['consume', 'admin', 'redeem', 'top-up']) {
    expect([kind, Number(rows.find((row) => row.kind === kind)?.count ?? 0) > 5]).toEqual([kind, true])
  }
}, 120_000)
