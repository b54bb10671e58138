import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from './app.ts'
import { chatChunk, chatResponse, events, json, type Received, type Script, usageChunk } from './fake-upstream.ts'
import { numbersFrom } from './numbers-from.ts'

// Sends random parallel requests to vendors that reason invisibly, ignore limits, report too many tokens, break off and fail. For each
// request that was running, the balance may end below zero by at most the documented overshoot. SEED repeats a run.

const seed = Number(process.env['SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0])
/** The overshoot of each running request in output tokens, as in docs/billing.md. */
const overshootTokens = 1_024
/** Quota of one token, for prompt and output alike. */
const rates = { 'gpt-4o-mini': 1, 'gpt-5': 3 } as const
const models = ['gpt-4o-mini', 'gpt-5'] as const
const rounds = 4
const requestsOfRound = 40

let app: TestApp
beforeAll(async () => {
  app = await testApp()
  await app.make.channel({ models: models.join(',') })
  const ones = JSON.stringify({ 'gpt-4o-mini': 1, 'gpt-5': 1 })
  await app.data(contract.option.update, { key: 'ModelRatio', value: JSON.stringify(rates) })
  await app.data(contract.option.update, { key: 'CompletionRatio', value: ones })
  await app.data(contract.option.update, { key: 'PreConsumedQuota', value: '0' })
}, 60_000)
afterAll(() => app.close())

/** The limit in the request to the vendor, in whichever field it is. */
function limitOf({ body }: Received): number {
  const { max_tokens: older, max_completion_tokens: newer } = JSON.parse(body)
  return newer ?? older ?? Number.NaN
}

const words = (tokens: number): string => ' word'.repeat(tokens)

/** Responses of vendors; `limit` is the one in the request, for all choices together. */
const habits: ReadonlyArray<(limit: number, random: () => number) => Script> = [
  // Reasons invisibly up to its limit.
  (limit) => json(chatResponse('yes', { prompt_tokens: 20, completion_tokens: limit })),
  // Reasons invisibly far beyond its limit.
  (limit) => json(chatResponse('yes', { prompt_tokens: 20, completion_tokens: limit * 20 })),
  (limit) => events([chatChunk({ content: 'yes' }), chatChunk({}, 'stop'), usageChunk(20, limit * 20), '[DONE]']),
  // Counts by a tokenizer of its own, as far as that is believed.
  (limit) => json(chatResponse('yes', { prompt_tokens: 20, completion_tokens: Math.floor(limit * 1.5) + 900 })),
  (limit) => events([chatChunk({ content: 'yes' }), chatChunk({}, 'stop'), usageChunk(20, Math.floor(limit * 1.5) + 900), '[DONE]']),
  // Reports a much longer prompt than was sent.
  (limit) => json(chatResponse('yes', { prompt_tokens: 50_000, completion_tokens: limit })),
  // Streams output beyond its limit, without usage.
  () => events([...Array.from({ length: 60 }, () => chatChunk({ content: words(100) })), chatChunk({}, 'stop'), '[DONE]']),
  () =>
    events([
      ...Array.from({ length: 60 }, () => chatChunk({ reasoning_content: words(100) })),
      chatChunk({ content: 'x' }, 'stop'),
      '[DONE]',
    ]),
  () => events([chatChunk({ content: words(20_000) }), chatChunk({}, 'stop'), '[DONE]']),
  // Breaks off, or fails.
  (_, random) =>
    events(
      Array.from({ length: 1 + Math.floor(random() * 20) }, () => chatChunk({ content: words(20) })),
      [{ do: 'cut' }],
    ),
  () => json({ error: { message: 'no' } }, 400),
]

interface RandomRequest {
  readonly user: number
  readonly model: (typeof models)[number]
  readonly body: object
}

function anyRequest(random: () => number, users: number): RandomRequest {
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(random() * items.length)] as Item
  const user = Math.floor(random() * users)
  const model = pick(models)
  const limit = pick([{}, {}, { max_tokens: 1 + Math.floor(random() * 3_000) }, { max_completion_tokens: 1 + Math.floor(random() * 300) }])
  const choices = random() < 0.2 ? { n: 2 } : {}
  const messages = [{ role: 'user', content: `${words(Math.floor(random() * 100))} ${user}` }]
  return { user, model, body: { model, messages, stream: random() < 0.5, ...limit, ...choices } }
}

test('no mix of parallel requests takes a balance further below zero than the sum of their documented overshoots (I5)', async () => {
  console.log(`SEED=${seed}`)
  const random = numbersFrom(seed)
  const accounts: { readonly user: TestUser; readonly key: string }[] = []
  for (let index = 0; index < 3; index++) {
    const user = await app.make.user({ quota: 1 })
    accounts.push({ user, key: (await app.make.token(user, { isUnlimited: true })).key })
  }
  const untold: number[] = []
  app.upstream.fallback((received) => {
    const limit = limitOf(received)
    if (!Number.isInteger(limit)) untold.push(limit)
    const choices = JSON.parse(received.body).n ?? 1
    const habit = habits[Math.floor(random() * habits.length)] ?? habits[0]
    return habit?.(limit * choices, random) ?? []
  })
  let admitted = 0
  for (let round = 0; round < rounds; round++) {
    const before = await Promise.all(
      accounts.map(async ({ user }) => {
        const amount = Math.floor(random() * 20_000)
        await app.app.ledger.post({ userId: user.id, kind: 'grant', ref: `round ${round} of ${user.id}`, amount })
        return Math.min(0, await balanceOf(user))
      }),
    )
    const requests = Array.from({ length: requestsOfRound }, () => anyRequest(random, accounts.length))
    const dearest = accounts.map(() => 0)
    await Promise.all(
      requests.map(async ({ user, model, body }) => {
        const response = await app.request('/v1/chat/completions', {
          method: 'POST',
          headers: { authorization: `Bearer ${accounts[user]?.key}` },
          body: JSON.stringify(body),
        })
        await response.text().catch(() => '')
        if (response.status === 403) return
        admitted += 1
        dearest[user] = (dearest[user] ?? 0) + overshootTokens * rates[model]
      }),
    )
    const balances = await Promise.all(accounts.map(({ user }) => balanceOf(user)))
    const tooLow = balances.filter((balance, index) => balance < (before[index] ?? 0) - (dearest[index] ?? 0))
    expect([`SEED=${seed} round ${round}`, tooLow]).toEqual([`SEED=${seed} round ${round}`, []])
  }
  expect(untold).toEqual([])
  expect(admitted).toBeGreaterThan(rounds)
  expect(app.app.ledger.openHolds()).toBe(0)
  expect(await app.inconsistencies()).toEqual([])
}, 120_000)

test('one request takes a balance below zero by exactly one overshoot, however much its vendor counts', async () => {
  const user = await app.make.user({ quota: 10_100 })
  const { key } = await app.make.token(user, { isUnlimited: true })
  // It thinks, and counts by a tokenizer of its own: that is believed.
  app.upstream.fallback(() => json(chatResponse('yes', { prompt_tokens: 20, completion_tokens: 5_900 })))
  const response = await app.request('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: JSON.stringify({ model: 'gpt-5', max_completion_tokens: 3_300, messages: [{ role: 'user', content: 'Hi' }] }),
  })
  expect(response.status).toBe(200)
  expect(await balanceOf(user)).toBe(-overshootTokens * rates['gpt-5'])
})

async function balanceOf({ id }: TestUser): Promise<number> {
  await app.app.ledger.drain()
  return (await app.app.store.db.selectFrom('users').select('quota').where('id', '=', id).executeTakeFirstOrThrow()).quota
}
