import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract, type LogRow } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { type SetClock, setClock, until } from '../../../test/channel-scene.ts'
import { chatChunk, chatResponse, events, json, type Script } from '../../../test/fake-upstream.ts'

// Clients that leave a stream before its usage, of models that think without showing it.

let app: TestApp
let clock: SetClock
beforeAll(async () => {
  clock = setClock()
  app = await testApp({ clock })
  const rules = JSON.stringify({ 'gpt-5': { ratio: 1, completion: 1 }, 'gpt-4o-mini': { ratio: 1, completion: 1 } })
  await app.data(contract.option.update, { key: 'PriceRules', value: rules })
  await app.make.channel({ models: 'gpt-5,gpt-4o-mini,dall-e-2' })
})
afterAll(() => app.close())
afterEach(async () => {
  expect(app.app.ledger.openHolds()).toBe(0)
  expect(await app.inconsistencies()).toEqual([])
})

const usage = {
  prompt_tokens: 10,
  completion_tokens: 50_010,
  total_tokens: 50_020,
  completion_tokens_details: { reasoning_tokens: 50_000 },
}
const usageChunk = { ...chatChunk({}), choices: [], usage }

interface Scene {
  readonly user: TestUser
  /** Leaves as soon as so many chunks are read. */
  readonly leaveAfter: (chunks: number) => Promise<void>
  readonly lastRow: () => Promise<LogRow | undefined>
}

/** A stream that begins at once; its first chunk has no words. */
async function scene(model: string, script: Script, whileThinking: () => void = () => {}): Promise<Scene> {
  const user = await app.make.user({ quota: 1_000_000_000 })
  const { key } = await app.make.token(user, { isUnlimited: true })
  app.upstream.script([...events([chatChunk({ role: 'assistant' })]), { do: 'wait', name: `words ${user.id}` }, ...script])
  const leaving = new AbortController()
  const response = await app.request('/v1/chat/completions', {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream: true, messages: [{ role: 'user', content: 'Hi' }] }),
    signal: leaving.signal,
  })
  const reader = response.body?.getReader()
  await reader?.read()
  whileThinking()
  app.upstream.release(`words ${user.id}`)
  return {
    user,
    async leaveAfter(chunks) {
      for (let read = 0; read < chunks; read += 1) await reader?.read()
      leaving.abort()
    },
    async lastRow() {
      await app.app.ledger.drain()
      return (await app.data(contract.log.list, { username: user.username }))[0]
    },
  }
}

const words = chatChunk({ content: 'one two three END' })
const send = (...chunks: readonly (object | string)[]): Script => events(chunks).slice(1)

describe('a client that leaves after the words that it wanted', () => {
  test('pays for the reasoning before them, which the vendor counts at the end', async () => {
    const { user, leaveAfter, lastRow } = await scene('gpt-5', [
      ...send(words),
      { do: 'wait', name: 'the client has left' },
      ...send(chatChunk({ content: ' and more' }, 'stop'), usageChunk, '[DONE]'),
    ])
    await leaveAfter(1)
    // A connection that was closed before this request is seen before its response.
    await app.request('/healthz')
    app.upstream.release('the client has left')
    const row = await until(lastRow, (entry) => entry !== undefined)
    expect(row).toMatchObject({ end_reason: 'client_gone', completion_tokens: 50_010, prompt_tokens: 10 })
    expect((await app.data(contract.account.self, {}, user)).quota).toBe(1_000_000_000 - 50_020)
  })

  test('pays for the time without words, before and after it left, if the vendor goes on for long', async () => {
    const { leaveAfter, lastRow } = await scene('gpt-5', [...send(words), { do: 'hang' }], () => clock.advance(100_000))
    await leaveAfter(1)
    expect(await lastRow()).toBeUndefined()
    clock.advance(16_000)
    const row = await until(lastRow, (entry) => entry !== undefined)
    expect(row).toMatchObject({ end_reason: 'client_gone', estimated: true })
    expect(row?.completion_tokens).toBeWithin(5_803, 5_810)
  })

  test('pays for the time between two words, which the model may have spent on reasoning', async () => {
    const { leaveAfter, lastRow } = await scene('gpt-5', [
      ...send(chatChunk({ content: 'OK.' })),
      { do: 'wait', name: 'the thoughts are over' },
      ...send(words),
      { do: 'hang' },
    ])
    await leaveAfter(1)
    await app.request('/healthz')
    clock.advance(12_000)
    app.upstream.release('the thoughts are over')
    await app.request('/healthz')
    clock.advance(4_000)
    const row = await until(lastRow, (entry) => entry !== undefined)
    expect(row?.completion_tokens).toBeWithin(804, 812)
  })

  test('pays for the words alone if the model does not think', async () => {
    const { leaveAfter, lastRow } = await scene('gpt-4o-mini', [...send(words), { do: 'hang' }], () => clock.advance(100_000))
    await leaveAfter(1)
    await app.upstream.received.at(-1)?.aborted
    const row = await until(lastRow, (entry) => entry !== undefined)
    expect(row?.completion_tokens).toBeWithin(4, 7)
  })
})

test('a client that leaves before the first word of a model that does not think pays for the prompt', async () => {
  const { leaveAfter, lastRow } = await scene('gpt-4o-mini', [{ do: 'hang' }])
  await leaveAfter(0)
  await app.upstream.received.at(-1)?.aborted
  const row = await until(lastRow, (entry) => entry !== undefined)
  expect(row).toMatchObject({ end_reason: 'client_gone', completion_tokens: 0, estimated: true })
  expect(row?.quota).toBe(row?.prompt_tokens)
  expect(row?.quota).toBeGreaterThan(0)
})

test('a client that leaves before the first word pays for the prompt and the time of the reasoning', async () => {
  const { leaveAfter, lastRow } = await scene('gpt-5', [{ do: 'hang' }], () => clock.advance(60_000))
  await leaveAfter(0)
  await app.request('/healthz')
  expect(await lastRow()).toBeUndefined()
  clock.advance(61_000)
  await app.upstream.received.at(-1)?.aborted
  const row = await until(lastRow, (entry) => entry !== undefined)
  expect(row).toMatchObject({ end_reason: 'client_gone', completion_tokens: 6_050, estimated: true })
  expect(row?.prompt_tokens).toBeGreaterThan(0)
})

describe('a client that leaves before a whole response of such a model', () => {
  async function asking(script: Script, model = 'gpt-5') {
    const user = await app.make.user({ quota: 1_000_000_000 })
    const { key } = await app.make.token(user, { isUnlimited: true })
    const before = app.upstream.received.length
    app.upstream.script(script)
    const leaving = new AbortController()
    const pending = app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Hi' }] }),
      signal: leaving.signal,
    })
    while (app.upstream.received.length === before) await new Promise((resolve) => setImmediate(resolve))
    leaving.abort()
    await pending.catch(() => {})
    await app.request('/healthz')
    return async () => {
      await app.app.ledger.drain()
      return (await app.data(contract.log.list, { username: user.username }))[0]
    }
  }

  test('pays for it although it comes after minutes', async () => {
    const lastRow = await asking([{ do: 'wait', name: 'it has left' }, ...json(chatResponse('ok', usage))])
    clock.advance(200_000)
    expect(await lastRow()).toBeUndefined()
    app.upstream.release('it has left')
    const row = await until(lastRow, (entry) => entry !== undefined)
    expect(row).toMatchObject({ completion_tokens: 50_010, prompt_tokens: 10 })
  })

  test('pays for the image that a chat generates', async () => {
    const lastRow = await asking(
      [{ do: 'wait', name: 'nobody waits for it' }, ...json(chatResponse('![a bridge](https://a.example/1.png)'))],
      'dall-e-2',
    )
    expect(await lastRow()).toBeUndefined()
    app.upstream.release('nobody waits for it')
    const row = await until(lastRow, (entry) => entry !== undefined)
    // 0.02 dollars.
    expect(row?.quota).toBe(10_000)
  })

  test('pays nothing if the vendor never responds', async () => {
    const lastRow = await asking([{ do: 'hang' }])
    clock.advance(301_000)
    const row = await until(lastRow, (entry) => entry !== undefined)
    await app.upstream.received.at(-1)?.aborted
    expect(row).toMatchObject({ end_reason: 'client_gone', quota: 0, prompt_tokens: 0 })
  })
})
