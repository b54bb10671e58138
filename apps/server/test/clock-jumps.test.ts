import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import type { TestUser } from './app.ts'
import { chatResponse, chatStream, json, type Script } from './fake-upstream.ts'
import { type FaultScenes, follow, seen, startFaultScenes } from './fault-scene.ts'
import { until } from './server-process.ts'

// The wall clock is set while requests run (F46). Durations are measured with the monotonic clock, which does not jump.

const hourMs = 3_600_000
const dayMs = 24 * hourMs
const jumps = [
  ['an hour back', -hourMs],
  ['a day ahead', dayMs],
] as const

let scenes: FaultScenes
/** Sum of the wall clock's jumps, to be undone after a test. */
let moved = 0
function jump(ms: number): void {
  moved += ms
  scenes.clock.setBy(ms)
}
function jumpBack(): void {
  jump(-moved)
}
beforeAll(async () => {
  scenes = await startFaultScenes()
  // It is noon: an hour back is the same day in UTC, at which the quota of a day begins.
  scenes.clock.setBy(dayMs / 2 - (scenes.clock.nowMs() % dayMs))
})
afterAll(() => scenes.app.close())
afterEach(async () => {
  jumpBack()
  expect(await scenes.expectConsistent()).toEqual([])
})

const wallSeconds = (): number => Math.floor(scenes.clock.nowMs() / 1000)

async function rowOf(user: TestUser) {
  const [row] = await scenes.app.data(contract.log.listSelf, { type: 2 }, user)
  return row
}

/** Sends a chat with a new token of the given options. */
async function askAs(user: TestUser, token: Parameters<FaultScenes['app']['make']['token']>[1]) {
  const { app } = scenes
  const { key } = await app.make.token(user, { isUnlimited: true, ...token })
  return async () => {
    const headers = { authorization: `Bearer ${key}` }
    const body = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }] })
    const response = await app.request('/v1/chat/completions', { method: 'POST', headers, body })
    const { status, code } = await seen(response)
    return { status, code, retryAfter: Number(response.headers.get('retry-after') ?? 0) }
  }
}

const responses = (count: number): readonly Script[] => Array.from({ length: count }, () => json(chatResponse()))

describe.each(jumps)('the wall clock is set %s', (name, ms) => {
  test('in the middle of a request: its duration is correct, and its row has the time at which it arrived', async () => {
    const scene = await scenes.scene([[{ do: 'wait', name }, ...json(chatResponse())]])
    const receivedBefore = scenes.app.upstream.received.length
    const before = wallSeconds()
    const response = scene.see()
    await until(async () => scenes.app.upstream.received.length > receivedBefore)
    jump(ms)
    scenes.clock.pass(3_000)
    scenes.app.upstream.release(name)
    expect((await response).status).toBe(200)
    const row = await rowOf(scene.user)
    expect(row?.elapsed_time).toBeWithin(3_000, 30_000)
    expect(row?.first_byte_time).toBeWithin(3_000, 30_000)
    expect(row?.created_at).toBeWithin(before, before + 5)
  })

  test('in the middle of a stream: neither the idle nor the total timeout ends early or late', async () => {
    const whole = chatStream(['one', ' two'])
    const held: Script = [...whole.slice(0, 3), { do: 'wait', name: `${name} of a stream` }, ...whole.slice(3)]
    const scene = await scenes.scene([held])
    const stream = follow(await scene.ask({ stream: true }))
    await until(async () => stream.text().includes('one'))
    jump(ms)
    scenes.clock.pass(100_000)
    scenes.app.upstream.release(`${name} of a stream`)
    expect((await stream.ended).isDone).toBe(true)
    expect((await rowOf(scene.user))?.elapsed_time).toBeWithin(100_000, 130_000)

    const silent = await scenes.scene([[...whole.slice(0, 3), { do: 'hang' }]])
    const cut = follow(await silent.ask({ stream: true }))
    await until(async () => cut.text().includes('one'))
    jump(-ms)
    scenes.clock.pass(121_000)
    expect(await cut.ended).toMatchObject({ isDone: false, code: 'upstream_timeout' })
  })

  test('while a channel pauses: the pause is as long as the vendor requested', async () => {
    const scene = await scenes.scene([json({ error: { message: 'slow down' } }, 429, { 'retry-after': '30' }), ...responses(1)])
    expect((await scene.see()).code).toBe('upstream_rate_limited')
    jump(ms)
    const refused = await scene.see()
    expect(refused).toMatchObject({ status: 429, code: 'upstream_rate_limited' })
    expect(Number(refused.headers.get('retry-after'))).toBeWithin(25, 31)
    scenes.clock.pass(31_000)
    expect((await scene.see()).status).toBe(200)
  })

  test('while a token has reached a limit of requests in a minute: it is free again after the rest of the minute', async () => {
    const { user } = await scenes.scene(responses(2))
    const ask = await askAs(user, { limits: { requests_per_minute: 1 } })
    expect((await ask()).status).toBe(200)
    jump(ms)
    const refused = await ask()
    expect(refused).toMatchObject({ status: 429, code: 'token_requests_limited' })
    expect(refused.retryAfter).toBeWithin(1, 61)
    scenes.clock.pass(61_000)
    expect((await ask()).status).toBe(200)
  })

  test('and back: a token that has run out meanwhile works again, and one without expiry always worked', async () => {
    const { user } = await scenes.scene(responses(4))
    const [ending, endless] = [await askAs(user, { expiredTime: wallSeconds() + 7_200 }), await askAs(user, {})]
    jump(ms)
    expect((await ending()).code).toBe(ms > 0 ? 'token_expired' : null)
    expect((await endless()).status).toBe(200)
    jumpBack()
    expect((await ending()).status).toBe(200)
    expect((await endless()).status).toBe(200)
    jump(dayMs)
    expect((await ending()).code).toBe('token_expired')
    expect((await app().data(contract.token.list, {}, user)).map(({ status }) => status).toSorted()).toEqual([1, 1, 3])
  })

  test('and back: the day of a token is not longer than a day', async () => {
    // Each response costs more than the limit of a day.
    const dear = json(chatResponse('word '.repeat(8_000), { prompt_tokens: 10, completion_tokens: 8_000 }))
    const { user } = await scenes.scene([dear, dear, dear, dear])
    const ask = await askAs(user, { limits: { quota_per_day: 2_000 } })
    expect((await ask()).status).toBe(200)
    expect((await ask()).code).toBe('token_day_quota')
    jump(ms)
    await ask()
    await ask()
    jumpBack()
    const { code, retryAfter } = await ask()
    expect(code).toBe('token_day_quota')
    expect(retryAfter).toBeWithin(1, 86_401)
    scenes.clock.pass(retryAfter * 1000)
    expect((await ask()).status).toBe(200)
  })

  test('a session stays valid, also when the clock is corrected', async () => {
    const { user } = await scenes.scene()
    const self = async () => (await app().data(contract.account.self, {}, user)).username
    expect(await self()).toBe(user.username)
    jump(ms)
    expect(await self()).toBe(user.username)
    jumpBack()
    expect(await self()).toBe(user.username)
  })
})

const app = () => scenes.app
