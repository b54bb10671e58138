import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { type ClientStream, chats, generated, messages, responses } from './client-streams.ts'
import { chatChunk, type Script, type Step } from './fake-upstream.ts'
import { type FaultScenes, follow, seen, startFaultScenes } from './fault-scene.ts'
import { until } from './server-process.ts'
import { anthropicStream, geminiStream, openAiStream, type VendorStream, words } from './vendor-streams.ts'

// Faults of streams together, for a client of every protocol at a vendor of every protocol.

let scenes: FaultScenes
beforeAll(async () => {
  scenes = await startFaultScenes({ HEARTBEAT_MS: '500' })
})
afterAll(() => scenes.app.close())
afterEach(async () => expect(await scenes.expectConsistent()).toEqual([]))

const head: Step = { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } }
const send = (bytes: string): Step => ({ do: 'send', bytes })
const data = (value: unknown) => `data: ${JSON.stringify(value)}\n\n`
const named = (value: { readonly type: string; readonly [field: string]: unknown }) => `event: ${value.type}\n${data(value)}`
const post = (scene: Awaited<ReturnType<FaultScenes['scene']>>, client: ClientStream, { model }: VendorStream, init: RequestInit = {}) =>
  scene.post(client.pathOf(model), client.bodyOf({ model, content: 'Hi' }), init)

/** How each vendor begins to call a function: its arguments are not complete, where they come in pieces. */
const calls: Readonly<Record<string, readonly string[]>> = {
  OpenAI: [
    chatChunk({
      role: 'assistant',
      content: null,
      tool_calls: [{ index: 0, id: 'call_1', type: 'function', function: { name: 'weather', arguments: '' } }],
    }),
    chatChunk({ tool_calls: [{ index: 0, function: { arguments: '{"city":"Lis' } }] }),
  ].map(data),
  Anthropic: [
    named({
      type: 'message_start',
      message: { id: 'msg_1', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 20, output_tokens: 1 } },
    }),
    named({ type: 'content_block_start', index: 0, content_block: { type: 'tool_use', id: 'toolu_1', name: 'weather', input: {} } }),
    named({ type: 'content_block_delta', index: 0, delta: { type: 'input_json_delta', partial_json: '{"city":"Lis' } }),
  ],
  Gemini: [
    data({
      candidates: [{ content: { role: 'model', parts: [{ functionCall: { name: 'weather', args: { city: 'Lisboa' } } }] }, index: 0 }],
    }),
  ],
}

/** What a vendor says before it calls, for clients that see nothing of a call without an end: those of Google get calls whole. */
const textBefore = 'I look.'
const textEvents: Readonly<Record<string, readonly string[]>> = {
  OpenAI: [data(chatChunk({ role: 'assistant', content: textBefore }))],
  Anthropic: [
    named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: textBefore } }),
    named({ type: 'content_block_stop', index: 0 }),
  ],
}

const seesCalls = (client: ClientStream, vendor: VendorStream): boolean => client !== generated || vendor.name === 'Gemini'
const seenOf = (client: ClientStream, vendor: VendorStream): string => (seesCalls(client, vendor) ? 'Lis' : textBefore)

/** The events of a call that has no end, in one piece. */
function callOf(client: ClientStream, vendor: VendorStream): string {
  const events = calls[vendor.name] ?? []
  if (seesCalls(client, vendor)) return events.join('')
  const [start, ...rest] = vendor.name === 'Anthropic' ? events.map((event) => event.replace('"index":0', '"index":1')) : ['', ...events]
  return [start, ...(textEvents[vendor.name] ?? []), ...rest].join('')
}

const vendors = [openAiStream(7), anthropicStream(7), geminiStream(7)]
const pairs = [
  ...[chats, messages, generated].flatMap((client) => vendors.map((vendor) => [client, vendor] as const)),
  // OpenAI's own stream of responses has tests of its own.
  ...vendors.slice(1).map((vendor) => [responses, vendor] as const),
]

let gates = 0
function gate(): { readonly name: string; readonly wait: Step } {
  gates += 1
  const name = `mixed gate ${gates}`
  return { name, wait: { do: 'wait', name } }
}

describe.each(pairs.map(([client, vendor]) => [client.name, vendor.name, client, vendor] as const))(
  'for a client of %s at a vendor that speaks as %s',
  (_client, _vendor, client, vendor) => {
    test('a client that leaves in a call, which came from the second channel after heartbeats, pays for what came of it', async () => {
      const { name, wait } = gate()
      const failing: Script = [wait, head, send(vendor.error)]
      const calling: Script = [head, send(callOf(client, vendor)), { do: 'hang' }]
      const scene = await scenes.scene({ type: vendor.type, responses: [failing] }, { type: vendor.type, responses: [calling] })
      const before = scenes.app.upstream.received.length
      const leaves = new AbortController()
      const posted = post(scene, client, vendor, { signal: leaves.signal })
      await until(() => scenes.app.upstream.received.length > before)
      scenes.clock.pass(600)
      const stream = follow(await posted)
      await until(() => stream.text().startsWith(client.beat))
      scenes.app.upstream.release(name)
      await until(() => stream.text().includes(seenOf(client, vendor)))
      leaves.abort()
      await scenes.app.upstream.received.at(-1)?.aborted
      const booked = await scene.booked()
      expect(booked).toMatchObject({ attempts: 2, endReason: 'client_gone', channelId: scene.ids[1] })
      expect(booked.completionTokens).toBeGreaterThan(0)
      expect(booked.completionTokens).toBeLessThanOrEqual(countTokens(`${textBefore}{"city":"Lisboa"}`) + 1)
    })

    test('a response of ten thousand pieces of one letter in one packet arrives whole', async () => {
      const place = vendor.events.findIndex((event) => event.includes(JSON.stringify(words[1])))
      const [before, piece = '', after] = [vendor.events.slice(0, place), vendor.events[place], vendor.events.slice(place + 1)]
      const many = Array.from({ length: 10_000 }, () => piece.replace(JSON.stringify(words[1]), '"a"')).join('')
      const script: Script = [head, send([...before, many, ...after].join(''))]
      const scene = await scenes.scene({ type: vendor.type, responses: [script] })
      const read = client.read((await seen(await post(scene, client, vendor))).text)
      const [first = '', , ...last] = words
      expect(read).toEqual({ text: first + 'a'.repeat(10_000) + last.join(''), errors: [], isEnded: true })
      expect(await scene.booked()).toMatchObject({ attempts: 1, endReason: 'complete', completionTokens: 7 })
    })
  },
)

const claude = anthropicStream(7)
const begun = claude.events.slice(0, 1 + claude.events.findIndex((event) => event.includes(JSON.stringify(words[1]))))

describe.each([chats, messages, generated, responses].map((client) => [client.name, client] as const))(
  'for a client of %s',
  (_, client) => {
    test('a response into which another one is spliced ends in one error, and what came of the first is charged', async () => {
      const other = named({
        type: 'message_start',
        message: { id: 'msg_2', type: 'message', role: 'assistant', content: [], usage: { input_tokens: 900_000 } },
      })
      const { name, wait } = gate()
      const script: Script = [head, ...begun.map(send), wait, ...[other, ...claude.events.slice(1)].map(send)]
      const scene = await scenes.scene({ type: claude.type, responses: [script] })
      const stream = follow(await post(scene, client, claude))
      await until(() => stream.text().includes(words[1] ?? ''))
      scenes.app.upstream.release(name)
      const read = client.read((await stream.ended).text)
      expect(read).toEqual({ text: words.slice(0, 2).join(''), errors: [expect.any(String)], isEnded: false })
      const booked = await scene.booked()
      expect(booked).toMatchObject({ attempts: 1, endReason: 'upstream_cut' })
      expect(booked.quota).toBeGreaterThan(0)
      expect(booked.quota).toBeLessThan(1_000)
    })
  },
)
