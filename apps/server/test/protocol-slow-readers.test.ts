import { afterAll, afterEach, beforeAll, expect, test } from 'bun:test'
import { connect } from 'node:net'
import { contract } from '@sluice/contract'
import { type ClientStream, chats, generated, generatedArray, messages } from './client-streams.ts'
import type { Step } from './fake-upstream.ts'
import { type FaultScenes, startFaultScenes } from './fault-scene.ts'
import { anthropicStream, geminiStream, openAiStream, type VendorStream } from './vendor-streams.ts'

// A client that does not read slows down its own vendor, whichever protocol it speaks, and gets all of the response when it reads again.

let scenes: FaultScenes
beforeAll(async () => {
  scenes = await startFaultScenes()
  // What a model writes for nothing is stopped by no limit but the client's own.
  const free = Object.fromEntries([openAi, anthropic, gemini].map(({ model }) => [model, { free: true }]))
  await scenes.app.data(contract.option.update, { key: 'PriceRules', value: JSON.stringify(free) })
})
afterAll(() => scenes.app.close())
afterEach(async () => expect(await scenes.expectConsistent()).toEqual([]))

const outputTokens = 40
const [openAi, anthropic, gemini] = [openAiStream(outputTokens), anthropicStream(outputTokens), geminiStream(outputTokens)]
const pairs: ReadonlyArray<readonly [ClientStream, VendorStream, RegExp]> = [
  [chats, openAi, /data: \[DONE\]\n\n/],
  [messages, anthropic, /event: message_stop\ndata: [^\n]*\n\n/],
  [generated, gemini, /"finishReason":"STOP"[^\n]*\n\n/],
  [generatedArray, gemini, /"finishReason":"STOP"[^\n]*\]/],
]

/**
 * A stream that is translated holds what the vendor says, so the pieces are text. That of a response has a limit which is less than the
 * buffers on the way hold, because its end repeats it.
 */
const translated: ReadonlyArray<readonly [ClientStream, VendorStream, RegExp]> = [
  [chats, anthropic, /data: \[DONE\]\n\n/],
  [messages, openAi, /event: message_stop\ndata: [^\n]*\n\n/],
  [generated, anthropic, /"finishReason":"STOP"[^\n]*\n\n/],
  [generatedArray, openAi, /"finishReason":"STOP"[^\n]*\]/],
]

/** Far more than all buffers on the way hold, with little text. */
const events = 64
const padding = 'x'.repeat(500_000)

const padded = (event: string): string => event.replace(/\}\n\n$/, `,"padding":"${padding}"}\n\n`)
const spoken = (event: string): string => event.replace(' aus', padding)

/** The vendor's stream with many events of this size in its middle, and how many of them were read so far. */
function flood(vendor: VendorStream, enlarged: (event: string) => string) {
  const at = vendor.events.findIndex((event) => event.includes(' aus'))
  const piece = enlarged(vendor.events[at] ?? '')
  const seen = { sent: 0 }
  const send = (bytes: string): Step => ({ do: 'send', bytes })
  const counted = (): Step => ({
    do: 'send',
    get bytes() {
      seen.sent += 1
      return piece
    },
  })
  const head: Step = { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } }
  const script = [
    head,
    ...vendor.events.slice(0, at).map(send),
    ...Array.from({ length: events }, counted),
    ...vendor.events.slice(at).map(send),
  ]
  return { script, seen }
}

const cases = [
  ...pairs.map(([client, ...rest]) => ({ client, rest, enlarged: padded })),
  ...translated.map(([client, ...rest]) => ({ client, rest, enlarged: spoken })),
].map(({ client, rest: [vendor, end], enlarged }) => [client.name, vendor.name, { client, vendor, end, enlarged }] as const)

test.each(cases)(
  'a client of %s that does not read slows down its vendor of %s, and gets the whole response afterwards',
  async (_, _vendor, { client, vendor, end, enlarged }) => {
    const { script, seen } = flood(vendor, enlarged)
    const scene = await scenes.scene({ type: vendor.type, responses: [script] })
    const { port, hostname } = new URL(scenes.app.url)
    const socket = connect(Number(port), hostname)
    const limits = { max_tokens: undefined, max_output_tokens: undefined, generationConfig: undefined }
    const body = JSON.stringify({ ...client.bodyOf({ model: vendor.model, content: 'Hi' }), ...limits })
    const head = `POST ${client.pathOf(vendor.model)} HTTP/1.1\r\nhost: a\r\nauthorization: Bearer ${scene.key}\r\ncontent-type: application/json`
    socket.write(`${head}\r\ncontent-length: ${body.length}\r\nconnection: close\r\n\r\n${body}`)
    await new Promise((resolve) => socket.once('readable', resolve))
    for (let before = -1; before !== seen.sent; await signsOfLife()) before = seen.sent
    expect(seen.sent).toBeLessThan(events)
    let length = 0
    let last = ''
    for await (const bytes of socket) {
      length += bytes.length
      last = (last + bytes.toString('latin1')).slice(-2_000)
    }
    expect(length).toBeGreaterThan(events * padding.length)
    // The last chunk of the body is the empty one.
    expect(last.replaceAll(/\r\n[0-9a-f]+\r\n/g, '')).toMatch(end)
    expect(last.endsWith('0\r\n\r\n')).toBe(true)
    expect(await scene.booked()).toMatchObject({ endReason: 'complete', completionTokens: outputTokens, attempts: 1 })
  },
  120_000,
)

/** The server has responded to another client, so it has had time for this one. */
async function signsOfLife(): Promise<void> {
  for (let index = 0; index < 20; index += 1) await (await scenes.app.request('/healthz')).text()
}
