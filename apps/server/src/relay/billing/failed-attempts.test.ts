import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { until } from '../../../test/channel-scene.ts'
import { chatChunk, chatResponse, events, json, type Script } from '../../../test/fake-upstream.ts'
import { type FailedAttempt, noteFailure, withoutWords } from './failed-attempts.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

const trace = 'Traceback (most recent call last):\n  File "/srv/main.py", line 3\nValueError: temperature must be a number'

/** One account and its channels, highest priority first, and the log row of its only chat. */
async function scene(channels: readonly { readonly key: string; readonly script?: Script; readonly baseUrl?: string }[]) {
  const groups = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups })
  const { key } = await app.make.token(user)
  const ids: number[] = []
  for (const [index, { key: channelKey, script, baseUrl }] of channels.entries()) {
    const place = baseUrl === undefined ? {} : { baseUrl }
    ids.push(await app.make.channel({ groups, priority: -index, key: channelKey, type: 8, ...place }))
    if (script !== undefined) app.upstream.script(script)
  }
  async function chat(stream = false): Promise<string> {
    const response = await app.request('/v1/chat/completions', {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ model: 'gpt-4o-mini', stream, messages: [{ role: 'user', content: 'Hi' }] }),
    })
    return await response.text()
  }
  return { user, ids, chat }
}

async function rowFor({ username }: TestUser) {
  const rows = await until(
    () => app.data(contract.log.list, { type: 2, username }),
    ({ length }) => length > 0,
  )
  const [row] = rows
  if (row === undefined) throw new Error('there is no row')
  return row
}

const took = { start_time: expect.any(Number), elapsed_time: expect.any(Number) }
const nameOf = async (id: number): Promise<string> => (await app.data(contract.channel.get, { id })).name
const address = () => `${app.upstream.url}/v1/chat/completions`

test('the row of a failed call shows administrators each attempt: channel, address, status and message', async () => {
  const { user, ids, chat } = await scene([
    { key: 'secret-key-1', script: json({ error: { message: `${trace} secret-key-1` } }, 500) },
    { key: 'secret-key-2', baseUrl: 'http://127.0.0.1:9/v1' },
  ])
  const [first = 0, second = 0] = ids
  expect(await chat()).toContain('upstream_unreachable')
  expect((await rowFor(user)).failed_attempts).toEqual([
    { channel: first, name: await nameOf(first), address: address(), ...took, status: 500, kind: 'unavailable', message: `${trace} ***` },
    {
      channel: second,
      name: await nameOf(second),
      address: 'http://127.0.0.1:9/v1/chat/completions',
      ...took,
      status: 0,
      kind: 'upstream_unreachable',
      message: expect.stringMatching(/connect|refused/i),
    },
  ])
})

test('a key in the text of a connection failure, which a library writes, is redacted', () => {
  const failures: FailedAttempt[] = []
  const cause = new Error('no such host: secret-key-1.example')
  const channel = { id: 1, name: 'one', key: 'secret-key-1', config: {}, settings: { headers: {} } }
  const address = 'https://secret-key-1.example/v1?key=2'
  const times = { startedMs: 1_000, attemptStartedMs: 1_250 }
  noteFailure({ failures, ...times }, { by: 'transport', code: 'upstream_unreachable', cause }, { channel, address, endedMs: 1_290.4 })
  expect(failures).toMatchObject([
    { address: 'https://***.example/v1', message: 'no such host: ***.example', start_time: 250, elapsed_time: 40 },
  ])
})

test('the row of a response at the second attempt has the charge, and why the first attempt failed', async () => {
  const { user, chat } = await scene([
    { key: 'key1', script: json({ detail: 'Not Found' }, 404) },
    { key: 'key2', script: json(chatResponse()) },
  ])
  await chat()
  const { charges, failed_attempts: failed } = await rowFor(user)
  expect(charges).toEqual([
    { unit: 'prompt', count: 10, price: 0.075 },
    { unit: 'completion', count: 5, price: 0.3 },
  ])
  expect(failed).toMatchObject([{ status: 404, kind: 'model_not_found', message: 'Not Found' }])
})

test('the row of a stream that broke off has its attempt, too', async () => {
  const { user, ids, chat } = await scene([
    { key: 'key1', script: events([chatChunk({ content: 'Half' }), { error: { message: 'CUDA out of memory', code: 500 } }]) },
  ])
  await chat(true)
  expect((await rowFor(user)).failed_attempts).toMatchObject([
    { channel: ids[0] ?? 0, address: address(), status: 200, kind: 'unavailable', message: 'CUDA out of memory' },
  ])
})

test('users never see attempts', async () => {
  const { user, chat } = await scene([{ key: 'key1', script: json({ error: { message: 'inner words' } }, 500) }])
  await chat()
  await rowFor(user)
  const rows = await app.data(contract.log.listSelf, {}, user)
  expect(rows).toHaveLength(1)
  expect(JSON.stringify(rows)).not.toContain('inner words')
  expect(JSON.stringify(await app.data(contract.log.searchSelf, { keyword: 'failed' }, user))).not.toContain('inner words')
})

test('the log of the process has no words of a vendor', () => {
  const failed = { channel: 1, status: 500, kind: 'unavailable', message: 'the prompt was: my secret plan' }
  const unsent = { channel: 2, status: 0, kind: 'upstream_unreachable', message: 'connection refused' }
  expect(withoutWords([failed, unsent])).toEqual([{ channel: 1, status: 500, kind: 'unavailable' }, unsent])
})
