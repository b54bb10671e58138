import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import { type TestApp, testApp } from '../../../test/app.ts'
import { type SetClock, setClock, setOptions } from '../../../test/channel-scene.ts'
import { chatResponse, json } from '../../../test/fake-upstream.ts'

let app: TestApp
let clock: SetClock
beforeEach(async () => {
  clock = setClock()
  app = await testApp({ clock })
})
afterEach(async () => {
  expect(await app.inconsistencies()).toEqual([])
  await app.close()
})

interface Asking {
  readonly path?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body: object
  readonly key?: string
}

const response = {
  ...{ id: 'resp_1', object: 'response', created_at: 1, status: 'completed', model: 'gpt-4o-mini' },
  output: [{ type: 'message', id: 'msg_1', role: 'assistant', content: [{ type: 'output_text', text: 'Hello', annotations: [] }] }],
  usage: { input_tokens: 10, output_tokens: 5, total_tokens: 15 },
}

/** Channels `key0`, `key1` ... with these weights, and the index of the one that got the last request. */
async function scene(weights: readonly number[]) {
  const user = await app.make.user({ quota: 100_000_000 })
  const { key } = await app.make.token(user, { isUnlimited: true })
  const other = (await app.make.token(await app.make.user({ quota: 100_000_000 }), { isUnlimited: true })).key
  for (const [index, weight] of weights.entries()) await app.make.channel({ key: `key${index}`, weight })
  const broken = new Set<number>()
  let last = -1
  app.upstream.fallback((request) => {
    last = Number(/key(\d+)/.exec(String(request.headers['authorization']))?.[1])
    return broken.has(last)
      ? json({ error: { message: 'broken' } }, 500)
      : json(request.path.endsWith('/responses') ? response : chatResponse())
  })
  async function ask({ path = '/v1/chat/completions', headers = {}, body, key: token = key }: Asking): Promise<number> {
    const response = await app.request(path, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, ...headers },
      body: JSON.stringify(body),
    })
    const text = await response.text()
    if (response.status !== 200) throw new Error(text)
    return last
  }
  return { ask, other, broken }
}

const turns = (first: string, count: number): readonly object[] => [
  { role: 'system', content: 'You help.' },
  { role: 'user', content: first },
  ...Array.from({ length: count }, (_, turn) => [
    { role: 'assistant', content: `Answer ${turn}` },
    { role: 'user', content: `Question ${turn}` },
  ]).flat(),
]
const chat = (first: string, count = 0): object => ({ model: 'gpt-4o-mini', messages: turns(first, count) })

describe('a conversation', () => {
  test('stays with its channel, and many of them share the channels by weight', async () => {
    const { ask } = await scene([1, 2, 1])
    const counts = [0, 0, 0]
    const total = 200
    for (let one = 0; one < total; one += 1) {
      const channel = await ask({ body: chat(`Conversation ${one}`) })
      counts[channel] = (counts[channel] ?? 0) + 1
      if (one % 20 === 0) for (const count of [1, 2, 3, 4]) expect(await ask({ body: chat(`Conversation ${one}`, count) })).toBe(channel)
    }
    // Each within four standard deviations of its share.
    for (const [at, share] of [0.25, 0.5, 0.25].entries())
      expect(Math.abs((counts[at] ?? 0) - share * total)).toBeLessThan(4 * Math.sqrt(total * share * (1 - share)))
  }, 60_000)

  test('moves only when its own channel fails, and comes back', async () => {
    await setOptions(app, { RetryTimes: 3 })
    const { ask, broken } = await scene([0, 0, 0, 0])
    const before: number[] = []
    for (let one = 0; one < 24; one += 1) before.push(await ask({ body: chat(`Conversation ${one}`) }))
    const [failing = 0] = before
    broken.add(failing)
    for (const [one, channel] of before.entries()) {
      const now = await ask({ body: chat(`Conversation ${one}`, 1) })
      if (channel === failing) expect(now).not.toBe(failing)
      else expect(now).toBe(channel)
    }
    broken.clear()
    clock.advance(3_600_000)
    for (const [one, channel] of before.entries()) expect(await ask({ body: chat(`Conversation ${one}`, 2) })).toBe(channel)
  }, 60_000)

  const named: ReadonlyArray<readonly [string, (name: string, round: number) => Asking]> = [
    ['prompt_cache_key', (name, round) => ({ body: { ...chat(`Round ${round}`), prompt_cache_key: name } })],
    ['the session of Claude Code', (name, round) => ({ headers: { 'x-claude-code-session-id': name }, body: chat(`Round ${round}`) })],
    ['the session of Codex', (name, round) => ({ headers: { 'session-id': name }, body: chat(`Round ${round}`) })],
    [
      'metadata.user_id',
      (name, round) => ({
        path: '/v1/messages',
        body: {
          ...{ model: 'gpt-4o-mini', max_tokens: 10, metadata: { user_id: name } },
          system: [{ type: 'text', text: `x-anthropic-billing-header: cch=${round}` }],
          messages: [{ role: 'user', content: `Round ${round}` }],
        },
      }),
    ],
    [
      'its beginning in messages',
      (name, round) => ({
        path: '/v1/messages',
        body: {
          ...{ model: 'gpt-4o-mini', max_tokens: 10 },
          system: [
            { type: 'text', text: `x-anthropic-billing-header: cch=${round}` },
            { type: 'text', text: 'You help.' },
          ],
          messages: [{ role: 'user', content: [{ type: 'text', text: name }] }, ...turns('', round).slice(2)],
        },
      }),
    ],
    [
      'its beginning in responses',
      (name, round) => ({
        path: '/v1/responses',
        body: { model: 'gpt-4o-mini', instructions: 'You help.', input: [{ role: 'user', content: name }, ...turns('', round).slice(2)] },
      }),
    ],
    [
      'its beginning in generateContent',
      (name, round) => ({
        path: '/v1beta/models/gpt-4o-mini:generateContent',
        body: {
          systemInstruction: { parts: [{ text: 'You help.' }] },
          contents: [{ role: 'user', parts: [{ text: name }] }, ...(round === 0 ? [] : [{ role: 'model', parts: [{ text: 'ok' }] }])],
        },
      }),
    ],
  ]
  test.each(named)(
    'is known by %s',
    async (_, asking) => {
      const { ask } = await scene([0, 0])
      const used = new Set<number>()
      for (const name of Array.from({ length: 12 }, (_one, at) => `name-${at}`)) {
        const first = await ask(asking(name, 0))
        used.add(first)
        for (const round of [1, 2, 3]) expect(await ask(asking(name, round))).toBe(first)
      }
      expect(used.size).toBe(2)
    },
    60_000,
  )

  test('of another account may have another channel, though it has the same name', async () => {
    const { ask, other } = await scene([0, 0])
    const names = Array.from({ length: 24 }, (_, at) => `name-${at}`)
    const differs: boolean[] = []
    for (const name of names) {
      const body = { ...chat('Hi'), prompt_cache_key: name }
      differs.push((await ask({ body })) !== (await ask({ body, key: other })))
    }
    expect(new Set(differs).size).toBe(2)
  }, 60_000)
})
