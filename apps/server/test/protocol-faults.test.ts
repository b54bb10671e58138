import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { type ClientStream, chats, generated, generatedArray, messages, responses } from './client-streams.ts'
import type { Script, Step } from './fake-upstream.ts'
import { json } from './fake-upstream.ts'
import { type FaultScenes, follow, type Scene, seen, startFaultScenes } from './fault-scene.ts'
import { until } from './server-process.ts'
import { anthropicStream, geminiStream, openAiStream, type VendorStream, words } from './vendor-streams.ts'

// Faults of streams, for a client of every protocol at a vendor of every protocol.

let scenes: FaultScenes
beforeAll(async () => {
  scenes = await startFaultScenes({ HEARTBEAT_MS: '500' })
})
afterAll(() => scenes.app.close())
afterEach(async () => expect(await scenes.expectConsistent()).toEqual([]))

const whole = words.join('')
const outputTokens = countTokens(whole)
const vendors = [openAiStream(outputTokens), anthropicStream(outputTokens), geminiStream(outputTokens)]
const clients = [chats, messages, generated, generatedArray]
const pairs = [
  ...clients.flatMap((client) => vendors.map((vendor) => [client, vendor] as const)),
  // OpenAI's own stream of responses has tests of its own.
  ...vendors.slice(1).map((vendor) => [responses, vendor] as const),
]

/** Types of an error in the protocol of each client, by the code that clients of OpenAI get. */
const errorTypes: Readonly<Record<string, ReadonlyMap<ClientStream, string>>> = {
  upstream_stream_interrupted: errors('api_error', 'UNAVAILABLE'),
  upstream_timeout: errors('timeout_error', 'DEADLINE_EXCEEDED'),
  upstream_failed: errors('api_error', 'UNAVAILABLE'),
}

function errors(anthropic: string, google: string): ReadonlyMap<ClientStream, string> {
  return new Map([
    [messages, anthropic],
    [generated, google],
    [generatedArray, google],
  ])
}

const errorOf = (client: ClientStream, code: string): string => errorTypes[code]?.get(client) ?? code

let gates = 0
function gate(): { readonly step: Step; readonly open: () => void } {
  gates += 1
  const name = `protocol gate ${gates}`
  return { step: { do: 'wait', name }, open: () => scenes.app.upstream.release(name) }
}

const head: Step = { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } }
const sending = (events: readonly string[]): Script => events.map((bytes): Step => ({ do: 'send', bytes }))
const broken: Script = json({ error: { message: 'broken' } }, 500)

/** Number of events until the client has the first two words. */
const startOf = ({ events }: VendorStream): number => 1 + events.findIndex((event) => event.includes(JSON.stringify(words[1])))
const begun = (vendor: VendorStream): Script => [head, ...sending(vendor.events.slice(0, startOf(vendor)))]
const complete = ({ events }: VendorStream): Script => [head, ...sending(events)]
const begunText = words.slice(0, 2).join('')

/** A channel of the vendor for each script. */
async function sceneOf(vendor: VendorStream, ...scripts: readonly Script[]): Promise<Scene> {
  return await scenes.scene(...scripts.map((script) => ({ type: vendor.type, responses: [script] })))
}

function post(scene: Scene, client: ClientStream, { model }: VendorStream, init: RequestInit = {}): Promise<Response> {
  return scene.post(client.pathOf(model), client.bodyOf({ model, content: 'Hi' }), init)
}

/** Longer than the interval of heartbeats. */
const beatMs = 600

/** The stream of a request whose vendor is silent, when its first heartbeat has arrived. */
async function beating(post: () => Promise<Response>, client: ClientStream) {
  const before = scenes.app.upstream.received.length
  const posted = post()
  await until(() => scenes.app.upstream.received.length > before)
  scenes.clock.pass(beatMs)
  const stream = follow(await posted)
  await until(() => stream.text().startsWith(client.beat))
  return stream
}

const lastAborted = async (): Promise<void> => await scenes.app.upstream.received.at(-1)?.aborted

interface Received {
  readonly client: ClientStream
  readonly text: string
  /** The vendor said that it is overloaded, for which Anthropic has a type. */
  readonly isOverloaded?: boolean
}

/** Expects a stream that has begun to end in one error of the protocol, and a charge for what was delivered. */
async function expectBroken(scene: Scene, received: Received, code = 'upstream_stream_interrupted') {
  const { client, text, isOverloaded = false } = received
  const read = client.read(text)
  const errorType = isOverloaded && client === messages ? 'overloaded_error' : errorOf(client, code)
  expect(read).toEqual({ text: begunText, errors: [errorType], isEnded: false })
  const booked = await scene.booked()
  expect(booked).toMatchObject({ attempts: 1, endReason: code === 'upstream_timeout' ? 'timed_out' : 'upstream_cut' })
  expectDelivered(booked)
}

/** The vendor may count the beginning of a response as a token. */
function expectDelivered({ completionTokens, quota }: Awaited<ReturnType<Scene['booked']>>): void {
  expect(Math.abs(completionTokens - countTokens(begunText))).toBeLessThanOrEqual(1)
  expect(quota).toBeGreaterThan(0)
}

describe.each(pairs.map(([client, vendor]) => [client.name, vendor.name, client, vendor] as const))(
  'a stream for a client of %s at a vendor that speaks as %s',
  (_client, _vendor, client, vendor) => {
    test('that the client leaves is ended at the vendor, and what was delivered is charged', async () => {
      const scene = await sceneOf(vendor, [...begun(vendor), { do: 'hang' }])
      const leaves = new AbortController()
      const stream = follow(await post(scene, client, vendor, { signal: leaves.signal }))
      await until(() => stream.text().includes(words[1] ?? ''))
      leaves.abort()
      await lastAborted()
      const booked = await scene.booked()
      expect(booked).toMatchObject({ endReason: 'client_gone', attempts: 1 })
      expectDelivered(booked)
    })

    test.each([
      ['is reset', [{ do: 'cut' }]],
      ['ends early', []],
      ['brings an error', sending([vendor.error])],
    ] as const)('that %s in the middle ends in one error of the protocol, and what was delivered is charged', async (fault, steps) => {
      const { step, open } = gate()
      const scene = await sceneOf(vendor, [...begun(vendor), step, ...steps])
      const stream = follow(await post(scene, client, vendor))
      await until(() => stream.text().includes(words[1] ?? ''))
      open()
      const isOverloaded = fault === 'brings an error' && /overload/i.test(vendor.error)
      await expectBroken(scene, { client, text: (await stream.ended).text, isOverloaded })
    })

    test('that falls silent gets heartbeats and then an error, and the request to the vendor is ended', async () => {
      const scene = await sceneOf(vendor, [...begun(vendor), { do: 'hang' }])
      const stream = follow(await post(scene, client, vendor))
      await until(() => stream.text().includes(words[1] ?? ''))
      // The first check finds that something was sent.
      scenes.clock.pass(beatMs)
      await until(() => stream.text().endsWith(client.beat))
      scenes.clock.pass(121_000)
      await expectBroken(scene, { client, text: (await stream.ended).text }, 'upstream_timeout')
      await lastAborted()
    })

    test('gets heartbeats until its first event', async () => {
      const { step, open } = gate()
      const scene = await sceneOf(vendor, [step, ...complete(vendor)])
      const stream = await beating(() => post(scene, client, vendor), client)
      open()
      const { status, text } = await stream.ended
      expect([status, client.read(text)]).toEqual([200, { text: whole, errors: [], isEnded: true }])
      expect(await scene.booked()).toMatchObject({ endReason: 'complete', completionTokens: outputTokens, attempts: 1 })
    })

    test('is over when the vendor says so, even if its connection stays open', async () => {
      if (!vendor.hasTerminator) return
      const scene = await sceneOf(vendor, [...complete(vendor), { do: 'hang' }])
      const { text } = await seen(await post(scene, client, vendor))
      expect(client.read(text)).toEqual({ text: whole, errors: [], isEnded: true })
      scenes.clock.pass(5_000)
      await lastAborted()
    })

    test.each([
      ['fails', broken],
      ['begins with an error', [head, ...sending([vendor.error])]],
      ['has no event', [head]],
    ] as const)('comes from the next channel if the first one %s', async (_fault, script) => {
      const scene = await sceneOf(vendor, script, complete(vendor))
      const { status, text } = await seen(await post(scene, client, vendor))
      expect([status, client.read(text)]).toEqual([200, { text: whole, errors: [], isEnded: true }])
      expect(await scene.booked()).toMatchObject({ attempts: 2, endReason: 'complete', channelId: scene.ids[1] })
    })

    test('comes from the next channel if the first one fails after heartbeats', async () => {
      const { step, open } = gate()
      const scene = await sceneOf(vendor, [step, ...broken], complete(vendor))
      const stream = await beating(() => post(scene, client, vendor), client)
      open()
      const { text } = await stream.ended
      expect(client.read(text)).toEqual({ text: whole, errors: [], isEnded: true })
      expect(await scene.booked()).toMatchObject({ attempts: 2, endReason: 'complete', channelId: scene.ids[1] })
    })

    test('is one error of the protocol if no channel responds after heartbeats, and costs nothing', async () => {
      const { step, open } = gate()
      const scene = await sceneOf(vendor, [step, ...broken])
      const stream = await beating(() => post(scene, client, vendor), client)
      open()
      const { status, text } = await stream.ended
      expect([status, client.read(text)]).toEqual([200, { text: '', errors: [errorOf(client, 'upstream_failed')], isEnded: false }])
      expect(await scene.booked()).toMatchObject({ quota: 0, endReason: 'failed', attempts: 1 })
    })

    test('is given up without a charge if the client leaves during heartbeats', async () => {
      const scene = await sceneOf(vendor, [{ do: 'hang' }], complete(vendor))
      const leaves = new AbortController()
      await beating(() => post(scene, client, vendor, { signal: leaves.signal }), client)
      leaves.abort()
      await lastAborted()
      expect(await scene.booked()).toMatchObject({ quota: 0, endReason: 'client_gone', attempts: 1 })
    })
  },
)

test('a count of tokens waits three seconds for a vendor that is silent, and is then the gateway’s', async () => {
  const [, anthropic] = vendors
  if (anthropic === undefined) throw new Error('no vendor')
  const scene = await sceneOf(anthropic, [{ do: 'hang' }])
  const before = scenes.app.upstream.received.length
  const counting = scene.post('/v1/messages/count_tokens', messages.bodyOf({ model: anthropic.model, content: 'Hi' }))
  await until(() => scenes.app.upstream.received.length > before)
  scenes.clock.pass(3_100)
  const response = await counting
  expect([response.status, response.headers.get('x-token-count')]).toEqual([200, 'gateway'])
  expect(await response.json()).toEqual({ input_tokens: expect.any(Number) })
  await lastAborted()
})
