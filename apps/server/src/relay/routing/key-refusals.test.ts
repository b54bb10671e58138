import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { setOptions, statusOf, until } from '../../../test/channel-scene.ts'
import { chatResponse, json, type Script } from '../../../test/fake-upstream.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

/** A new account and channels that respond according to the given scripts, highest priority first. */
const scene = (...channels: Script[][]) => sceneOf(1, ...channels)

async function sceneOf(type: number, ...channels: Script[][]) {
  const group = `g${crypto.randomUUID().slice(0, 8)}`
  const user = await app.make.user({ groups: group, quota: 1_000_000 })
  const { key } = await app.make.token(user)
  const ids: number[] = []
  for (const [index, scripts] of channels.entries()) {
    ids.push(await app.make.channel({ groups: group, priority: -index, type }))
    app.upstream.script(...scripts)
  }
  const chat = { model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] }
  const ask = async (): Promise<number> => {
    const headers = { authorization: `Bearer ${key}` }
    return (await app.request('/v1/chat/completions', { method: 'POST', headers, body: JSON.stringify(chat) })).status
  }
  return { ask, ids }
}

const refused = json({ error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } }, 401)
const disabling = (isOn: boolean) => setOptions(app, { AutomaticDisableChannelEnabled: isOn })
afterEach(() => disabling(false))

test('a channel whose key is refused is disabled if the option says so, the next one responds, and a log row says why', async () => {
  await disabling(true)
  const { ask, ids } = await scene([refused], [json(chatResponse())])
  const [first = 0, second = 0] = ids
  expect(await ask()).toBe(200)
  await until(
    () => statusOf(app, first),
    (status) => status === 3,
  )
  expect(await statusOf(app, second)).toBe(1)
  const before = app.upstream.received.length
  await ask()
  expect(app.upstream.received.length - before).toBe(1)
  const rows = await until(
    () => app.data(contract.log.list, { type: 4, channel: first }),
    ({ length }) => length > 0,
  )
  expect(rows.map(({ content }) => content)).toEqual([expect.stringContaining('disabled automatically: Incorrect API key provided')])
})

test('such a channel stays enabled if the option is off, and so does one that fails for any other reason', async () => {
  const { ask, ids } = await scene([refused])
  await ask()
  await disabling(true)
  for (const response of [
    json({ error: { message: 'no credit, no balance' } }, 500),
    json({ error: { message: 'your credit balance' } }, 400),
    json({ error: { message: 'Rate limit reached' } }, 429),
  ]) {
    app.upstream.script(response)
    await ask()
  }
  expect(await statusOf(app, ids[0] ?? 0)).toBe(1)
})

test('such a channel stays enabled if it got another key meanwhile', async () => {
  await disabling(true)
  const { ask, ids } = await scene([[{ do: 'wait', name: 'new key first' }, ...refused]])
  const [id = 0] = ids
  const before = app.upstream.received.length
  const pending = ask()
  await until(
    () => app.data(contract.status.get, {}),
    () => app.upstream.received.length > before,
  )
  await app.data(contract.channel.update, { id, key: 'another-key' })
  app.upstream.release('new key first')
  expect(await pending).toBe(502)
  app.upstream.script(json(chatResponse()))
  await ask()
  expect(await statusOf(app, id)).toBe(1)
})

test('a refused key is reported once, however many requests fail at the same time', async () => {
  await disabling(true)
  // All of them start before the first is refused, so that none uses the script of the next test.
  const { ask, ids } = await scene(Array.from({ length: 20 }, (): Script => [{ do: 'wait', name: 'twenty' }, ...refused]))
  const before = app.upstream.received.length
  const pending = Array.from({ length: 20 }, () => ask())
  await until(
    () => app.data(contract.status.get, {}),
    () => app.upstream.received.length - before === 20,
  )
  app.upstream.release('twenty')
  await Promise.all(pending)
  await until(
    () => statusOf(app, ids[0] ?? 0),
    (status) => status === 3,
  )
  const rows = await until(
    () => app.data(contract.log.list, { type: 4, channel: ids[0] ?? 0 }),
    ({ length }) => length > 0,
  )
  expect(rows).toHaveLength(1)
})

interface Sample {
  readonly status: number
  readonly body: string
  readonly failure: { readonly kind: string; readonly message: string }
}

/** All recorded errors of a dialect. */
function catalogue(dialect: string): readonly Sample[] {
  const file = join(import.meta.dir, `../../../../../packages/vendors/src/protocols/${dialect}/fixtures/errors.json`)
  // Holds: the files are written so, and the dialect's own tests read every member.
  return JSON.parse(readFileSync(file, 'utf8')) as readonly Sample[]
}

describe.each([
  ['openai', 1],
  ['anthropic', 14],
] as const)('of the errors of the dialect %s', (dialect, type) => {
  const samples = catalogue(dialect)
  const isOfKey = ({ failure: { kind } }: Sample): boolean => kind === 'bad_key' || kind === 'no_quota'
  const play = ({ status, body }: Sample): Script => [
    { do: 'head', status, headers: { 'content-type': 'application/json' } },
    { do: 'send', bytes: body },
  ]

  test('every error about the key disables a channel', async () => {
    await disabling(true)
    const { ask, ids } = await sceneOf(type, [])
    const [id = 0] = ids
    for (const sample of samples.filter(isOfKey)) {
      app.upstream.script(play(sample))
      expect([sample.body, await ask()]).toEqual([sample.body, 502])
      await until(
        () => statusOf(app, id),
        (status) => status === 3,
      )
      await app.data(contract.channel.update, { id, status: 1 })
    }
  })

  test('no other error disables it, whatever its message and status', async () => {
    await disabling(true)
    const others = samples.filter((sample) => !isOfKey(sample))
    expect(others.length).toBeGreaterThan(5)
    for (const sample of others) {
      // A new channel for each: one that fails again and again would get no more requests.
      const { ask, ids } = await sceneOf(type, [play(sample)])
      await ask()
      expect([sample.body, await statusOf(app, ids[0] ?? 0)]).toEqual([sample.body, 1])
    }
  })
})
