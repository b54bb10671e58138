import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { connect, type Socket } from 'node:net'
import { contract } from '@sluice/contract'
import { chatChunk, chatResponse, chatStream, json, type Script, type Step, usageChunk } from './fake-upstream.ts'
import { startFaultProxy } from './fault-proxy.ts'
import { type FaultScenes, follow, type Scene, startFaultScenes } from './fault-scene.ts'
import { until } from './server-process.ts'

// Faults of clients, and changes of tokens, accounts, channels and clocks while a request runs: effects on the vendor and on the charge.

let scenes: FaultScenes
beforeAll(async () => {
  // Long enough that a vendor which is not slowed down sends far more than buffers hold.
  scenes = await startFaultScenes({ STALL_TIMEOUT_MS: '4000' })
})
afterAll(() => scenes.app.close())
afterEach(async () => expect(await scenes.expectConsistent()).toEqual([]))

const events: Step = { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } }
const event = (data: unknown): Step => ({ do: 'send', bytes: `data: ${JSON.stringify(data)}\n\n` })
const word = (content: string): Step => event(chatChunk({ content }))
const end: readonly Step[] = [event(chatChunk({}, 'stop')), event(usageChunk(1000, 500)), { do: 'send', bytes: 'data: [DONE]\n\n' }]
const received = () => scenes.app.upstream.received

/** A request as bytes, for faulty clients. */
function requestOf(scene: Scene, body: object): string {
  const text = JSON.stringify({ model: 'gpt-4o-mini', messages: [{ role: 'user', content: 'Hi' }], ...body })
  return `POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\nauthorization: Bearer ${scene.key}\r\ncontent-length: ${text.length}\r\n\r\n${text}`
}

function open(url: string): Socket {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  return socket.on('error', () => {})
}

describe('a client that leaves', () => {
  test('before its request is complete: nothing is sent to a vendor, and nothing is charged (F26)', async () => {
    const scene = await scenes.scene([json(chatResponse())])
    const before = received().length
    const socket = open(scenes.app.url)
    await new Promise<void>((resolve) => socket.write(requestOf(scene, {}).slice(0, -20), () => resolve()))
    socket.resetAndDestroy()
    await (await scene.ask()).text()
    expect(received().length - before).toBe(1)
    const rows = await scenes.app.app.store.db.selectFrom('logs').select('id').where('user_id', '=', scene.user.id).execute()
    expect(rows).toHaveLength(1)
  })

  test('before the first channel has responded: the request is cancelled, no other is tried, and nothing is charged (F28)', async () => {
    const scene = await scenes.scene([[{ do: 'hang' }]], [json(chatResponse())])
    const before = received().length
    const leaves = new AbortController()
    const pending = scene.ask({}, { signal: leaves.signal }).catch(() => null)
    await until(() => received().length > before)
    leaves.abort()
    await received().at(-1)?.aborted
    await pending
    expect(await scene.booked()).toMatchObject({ quota: 0, endReason: 'client_gone', attempts: 1 })
    expect(received().length - before).toBe(1)
  })

  test('in the middle of a stream: the request to the vendor is cancelled, and the delivered part is charged (F27)', async () => {
    const scene = await scenes.scene([[events, word('one two three'), { do: 'hang' }]])
    const leaves = new AbortController()
    const stream = follow(await scene.ask({ stream: true }, { signal: leaves.signal }))
    await until(() => stream.text().includes('three'))
    leaves.abort()
    await received().at(-1)?.aborted
    expect(await scene.booked()).toMatchObject({ endReason: 'client_gone', completionTokens: 3, isEstimated: true, attempts: 1 })
  })
})

describe('a client that takes nothing', () => {
  /** Far more than all buffers on the way can hold, and with little text and few events, because work on them would slow the vendor down too. */
  const flood: Script = [
    events,
    ...Array.from({ length: 80 }, () => event({ ...chatChunk({ content: 'word' }), padding: 'x'.repeat(500_000) })),
    { do: 'hang' },
  ]

  test('slows down only its own vendor, and is disconnected in the end, also if its connection is dead (F29, F31)', async () => {
    const toVendor = await startFaultProxy(scenes.app.upstream.url)
    const toServer = await startFaultProxy(scenes.app.url)
    const [slow, vanished, other] = [
      await scenes.scene({ by: toVendor.url, responses: [flood] }),
      await scenes.scene([flood]),
      await scenes.scene([chatStream(['quick'])]),
    ]
    const idler = open(scenes.app.url)
    idler.pause()
    idler.write(requestOf(slow, { stream: true }))
    toServer.arm({ do: 'blackhole', afterBytes: 1_000 })
    open(toServer.url).write(requestOf(vanished, { stream: true }))
    await until(() => toVendor.received > 0)
    expect((await other.see({ stream: true })).isDone).toBe(true)
    expect(await slow.booked()).toMatchObject({ endReason: 'client_gone' })
    expect(await vanished.booked()).toMatchObject({ endReason: 'client_gone' })
    // The vendor would send 40 MB. Only what the network's buffers hold, and a quarter of a megabyte, was read of them.
    expect(toVendor.received).toBeLessThan(16_000_000)
    await until(() => toVendor.open === 0)
    idler.destroy()
    toServer.close()
    toVendor.close()
  }, 120_000)
})

describe('a change while a response runs', () => {
  /** A stream that has begun, and continues when the test calls `go`. */
  async function running(gate: string): Promise<{ readonly scene: Scene; readonly stream: ReturnType<typeof follow>; go(): void }> {
    const scene = await scenes.scene([[events, word('begun'), { do: 'wait', name: gate }, ...end], json(chatResponse())])
    const stream = follow(await scene.ask({ stream: true }))
    await until(() => stream.text().includes('begun'))
    return { scene, stream, go: () => scenes.app.upstream.release(gate) }
  }

  test('the token is deleted, the account banned: the response completes and is charged, the next request is refused (F53)', async () => {
    const { app } = scenes
    const { scene, stream, go } = await running('revoked')
    const [token] = await app.data(contract.token.list, {}, scene.user)
    await app.data(contract.token.remove, { id: token?.id ?? 0 }, scene.user)
    expect((await scene.ask()).status).toBe(401)
    go()
    expect((await stream.ended).isDone).toBe(true)
    expect(await scene.booked()).toMatchObject({ endReason: 'complete', quota: 225 })
    const banned = await running('banned')
    await app.data(contract.user.manage, { username: banned.scene.user.username, action: 'disable' })
    expect((await banned.scene.ask()).status).toBe(403)
    banned.go()
    expect((await banned.stream.ended).isDone).toBe(true)
  })

  test('the channel is deleted and the price changed: the response continues with the old ones (F54)', async () => {
    const { app } = scenes
    const { scene, stream, go } = await running('repriced')
    await app.data(contract.option.update, { key: 'ModelRatio', value: '{"gpt-4o-mini": 1000}' })
    await app.data(contract.channel.remove, { id: scene.ids[0] ?? 0 })
    go()
    expect((await stream.ended).isDone).toBe(true)
    expect(await scene.booked()).toMatchObject({ endReason: 'complete', quota: 225, channelId: scene.ids[0] })
    await app.data(contract.option.update, { key: 'ModelRatio', value: '' })
  })

  test.each([
    ['an hour on', 3_600_000],
    ['an hour back', -3_600_000],
    ['ten years on', 315_360_000_000],
  ])('the wall clock is set %s: no timeout ends early, nothing is lost, and no id is used twice (F46)', async (name, ms) => {
    const { scene, stream, go } = await running(name)
    const during = await scenes.scene([json(chatResponse())])
    scenes.clock.setBy(ms)
    expect((await during.see()).status).toBe(200)
    go()
    expect((await stream.ended).isDone).toBe(true)
    scenes.clock.setBy(-ms)
    expect(await scene.booked()).toMatchObject({ endReason: 'complete', quota: 225 })
  })

  test('the process is stopped for longer than every timeout: bytes that arrived meanwhile are read first (F47)', async () => {
    const { scene, stream, go } = await running('stopped')
    go()
    scenes.clock.pass(600_000)
    expect((await stream.ended).isDone).toBe(true)
    expect(await scene.booked()).toMatchObject({ endReason: 'complete' })
  })
})
