import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { setOptions } from '../../../test/channel-scene.ts'
import type { Script } from '../../../test/fake-upstream.ts'
import { type FaultScenes, follow, seen, startFaultScenes } from '../../../test/fault-scene.ts'
import { until } from '../../../test/server-process.ts'

let scenes: FaultScenes
let place: string
let key: string
let channel: number
beforeAll(async () => {
  scenes = await startFaultScenes({ TOTAL_TIMEOUT_MS: '600000' })
  const { app } = scenes
  key = (await app.make.token(await app.make.user({ quota: 1_000_000 }), { isUnlimited: true })).key
  channel = await app.make.channel({ type: 43, models: '' })
  place = `/v1/oneapi/proxy/${channel}/x`
  await setOptions(app, { ProxyPrice: 700 })
})
afterAll(() => scenes.app.close())

const ask = (init: RequestInit = {}): Promise<Response> =>
  scenes.app.request(place, { ...init, headers: { authorization: `Bearer ${key}` } })

async function lastRow() {
  const [row] = await scenes.app.data(contract.log.list, { type: 2 })
  return row
}

/** Sends a request, and advances the clock after the channel received it. */
async function askAndWait(script: Script, ms: number): Promise<Response> {
  const { app, clock } = scenes
  const requestsBefore = app.upstream.received.length
  app.upstream.script(script)
  const response = ask()
  await until(async () => app.upstream.received.length > requestsBefore)
  clock.pass(ms)
  return await response
}

const begun: Script = [
  { do: 'head', status: 200, headers: { 'content-type': 'a/b' } },
  { do: 'send', bytes: 'first' },
]

describe('a silent raw proxy', () => {
  test('is aborted before its response after the first-byte timeout, and costs nothing', async () => {
    const response = await askAndWait([{ do: 'hang' }], 121_000)
    expect(await seen(response)).toMatchObject({ status: 504, code: 'upstream_timeout' })
    const failed = { channel, address: `${scenes.app.upstream.url}/x`, status: 0, kind: 'upstream_timeout' }
    expect(await lastRow()).toMatchObject({ quota: 0, end_reason: 'failed', failed_attempts: [failed] })
    await scenes.app.upstream.received.at(-1)?.aborted
  })

  test('is cut off within its response after the idle timeout', async () => {
    const { app, clock } = scenes
    app.upstream.script([...begun, { do: 'hang' }])
    const response = follow(await ask())
    await until(async () => response.text() === 'first')
    clock.pass(119_000)
    await app.request('/healthz')
    expect(response.text()).toBe('first')
    clock.pass(2_000)
    expect((await response.ended).text).toBe('first<reset>')
    await app.upstream.received.at(-1)?.aborted
  })

  test('is aborted after the timeouts of its channel', async () => {
    const { app, clock } = scenes
    await app.data(contract.channel.update, { id: channel, first_byte_seconds: 300, idle_seconds: 300, total_seconds: 500 })
    app.upstream.script([
      { do: 'wait', name: 'a slow head' },
      ...begun,
      { do: 'wait', name: 'a slow rest' },
      { do: 'send', bytes: ' last' },
    ])
    const requestsBefore = app.upstream.received.length
    const asking = ask()
    await until(async () => app.upstream.received.length > requestsBefore)
    clock.pass(250_000)
    app.upstream.release('a slow head')
    const response = follow(await asking)
    await until(async () => response.text() === 'first')
    clock.pass(200_000)
    app.upstream.release('a slow rest')
    expect((await response.ended).text).toBe('first last')
    app.upstream.script([...begun, { do: 'hang' }])
    const endless = follow(await ask())
    await until(async () => endless.text() === 'first')
    clock.pass(501_000)
    expect((await endless.ended).text).toBe('first<reset>')
  })
})

test('an upload that does not fit into memory arrives unchanged', async () => {
  const { app } = scenes
  const bytes = crypto.getRandomValues(new Uint8Array(64 * 1024))
  const whole = Buffer.concat(Array.from({ length: 48 }, () => bytes))
  app.upstream.script(begun)
  expect(await (await ask({ method: 'POST', body: whole })).text()).toBe('first')
  expect(app.upstream.received.at(-1)?.bytes.length).toBe(whole.length)
  expect(whole.equals(app.upstream.received.at(-1)?.bytes ?? new Uint8Array())).toBe(true)
})

test('after all tests the ledger is consistent', async () => {
  expect(await scenes.expectConsistent()).toEqual([])
})
