import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import fc from 'fast-check'
import { type TestApp, testApp } from '../app.ts'
import { type ClientStream, chats, generated, messages, responses } from '../client-streams.ts'
import { json } from '../fake-upstream.ts'
import { anthropicDouble } from './doubles/anthropic.ts'
import { bedrockDouble } from './doubles/bedrock.ts'
import { moonshotDouble } from './doubles/compatible.ts'
import { geminiDouble } from './doubles/gemini.ts'
import type { VendorDouble } from './vendor-double.ts'

// Rights, limits and prices are the same, whichever protocol a client speaks.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
afterEach(async () => expect(await app.inconsistencies()).toEqual([]))

const clients = [chats, messages, generated, responses]
const model = geminiDouble.model

/** Requests a whole response. */
function post(key: string, client: ClientStream, modelName = model): Promise<Response> {
  const { stream: _stream, ...body } = { stream: false, ...client.bodyOf({ model: modelName, content: 'Hi', limit: 100 }) }
  return app.request(client.pathOf(modelName).replace('streamGenerateContent?alt=sse', 'generateContent'), {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
}

/** The type of an error, at its place in each protocol. */
function errorIn(text: string): string {
  return /"(?:code|status|type)":"([a-zA-Z_]+)"[^}]*$/.exec(text)?.[1] ?? text
}

async function scene(double: VendorDouble = geminiDouble) {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  // 48 responses of at most 200,000 tokens at the dearest model's price are 15 million units.
  const user = await app.make.user({ groups, quota: 1_000_000_000 })
  await app.make.channel({ groups, type: double.type, key: double.key, models: double.model })
  return { user, groups }
}

const lastLog = async (username: string) => {
  await app.app.ledger.drain()
  return (await app.data(contract.log.list, { username }))[0]
}

describe.each(clients.map((client) => [client.name, client] as const))('a client of %s', (_, client) => {
  test('gets the models of its groups only', async () => {
    const { user } = await scene()
    const stranger = await app.make.user({ groups: `g${crypto.randomUUID().slice(0, 8)}`, quota: 1_000_000 })
    const before = app.upstream.received.length
    const refused = await post((await app.make.token(stranger)).key, client)
    expect([refused.status, await refused.text()]).toEqual([404, expect.stringContaining(model)])
    expect(app.upstream.received.length).toBe(before)
    app.upstream.script(geminiDouble.whole({ text: 'Hello', usage: { prompt: 10, completion: 7 } }))
    expect((await post((await app.make.token(user)).key, client)).status).toBe(200)
  })

  test('gets nothing without quota, and a single error that advises against a retry', async () => {
    const { groups } = await scene()
    const poor = await app.make.user({ groups, quota: 0 })
    const before = app.upstream.received.length
    const refused = await post((await app.make.token(poor, { isUnlimited: true })).key, client)
    expect([refused.status, refused.headers.get('x-should-retry')]).toEqual([403, 'false'])
    expect(errorIn(await refused.text())).not.toBe('')
    expect(app.upstream.received.length).toBe(before)
  })
})

test('the log shows the owner and administrators the protocol and kind of each request, also where no response came', async () => {
  const { user } = await scene()
  const { key } = await app.make.token(user, { isUnlimited: true })
  const expected = [
    ['openai', 'chat'],
    ['anthropic', 'messages'],
    ['gemini', 'generate'],
    ['openai', 'responses'],
  ]
  for (const [index, client] of clients.entries()) {
    for (const status of [200, 400]) {
      const refusal = json({ error: { code: 400, message: 'no', status: 'INVALID_ARGUMENT' } }, 400)
      app.upstream.script(status === 200 ? geminiDouble.whole({ text: 'Hello', usage: { prompt: 10, completion: 7 } }) : refusal)
      const response = await post(key, client)
      expect([client.name, response.status, (await response.text()) !== '']).toEqual([client.name, status, true])
      const [protocol, kind] = expected[index] ?? []
      expect(await lastLog(user.username)).toMatchObject({ protocol, kind, quota: status === 200 ? expect.any(Number) : 0 })
      expect((await app.data(contract.log.listSelf, {}, user))[0]).toMatchObject({ protocol, kind })
    }
  }
})

/** More would not be believed of such a short request and response. */
const scriptedResponses = fc.record({
  prompt: fc.integer({ min: 65, max: 1_000 }),
  completion: fc.integer({ min: 6, max: 1_000 }),
  cached: fc.integer({ min: 0, max: 64 }),
})

describe.each([geminiDouble, anthropicDouble, bedrockDouble, moonshotDouble].map((double) => [double.name, double] as const))(
  'an equal response from %s',
  (_, double) => {
    test('costs the same in every protocol', async () => {
      const { user } = await scene(double)
      const { key } = await app.make.token(user, { isUnlimited: true })
      await fc.assert(
        fc.asyncProperty(scriptedResponses, async (usage) => {
          const prices: unknown[] = []
          for (const client of clients) {
            app.upstream.script(double.whole({ text: 'Hello', usage }))
            const response = await post(key, client, double.model)
            await response.text()
            const row = await lastLog(user.username)
            prices.push([response.status, row?.quota, row?.prompt_tokens, row?.completion_tokens, row?.cached_tokens])
          }
          expect(prices).toEqual(clients.map(() => [200, expect.any(Number), usage.prompt, usage.completion, usage.cached]))
          expect(new Set(prices.map((price) => JSON.stringify(price))).size).toBe(1)
        }),
        { verbose: true, numRuns: 12 },
      )
    })
  },
)
