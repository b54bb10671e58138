import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { type ClientStream, chats, generated, generatedArray, messages, responses } from './client-streams.ts'
import { json, type Script, type Step } from './fake-upstream.ts'
import { type FaultScenes, follow, type Scene, startFaultScenes } from './fault-scene.ts'
import { until } from './server-process.ts'
import { anthropicStream, geminiStream, openAiStream, type VendorStream, words } from './vendor-streams.ts'

// Random mixtures of faults in one stream, for a client of every protocol at a vendor of every protocol: whatever happens, the client gets
// the beginning of one response and at most one end, the upstream request is cancelled when nobody reads any more, and what was delivered
// is charged once.

let scenes: FaultScenes
beforeAll(async () => {
  scenes = await startFaultScenes()
})
afterAll(() => scenes.app.close())
afterEach(async () => expect(await scenes.expectConsistent()).toEqual([]))

const outputTokens = countTokens(words.join(''))
const vendors = [openAiStream(outputTokens), anthropicStream(outputTokens), geminiStream(outputTokens)]
const pairs = [
  ...[chats, messages, generated, generatedArray].flatMap((client) => vendors.map((vendor) => [client, vendor] as const)),
  // OpenAI's own stream of responses has tests of its own.
  ...vendors.slice(1).map((vendor) => [responses, vendor] as const),
]

const head: Step = { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } }

/** What the first channel does before anything of a response came. */
const failures = {
  refuses: () => json({ error: { message: 'broken' } }, 500),
  resets: (): Script => [{ do: 'cut' }],
  'has no event': (): Script => [head],
  'begins with an error': ({ error }: VendorStream): Script => [head, { do: 'send', bytes: error }],
} as const

/** How the stream ends after the client has some of it. */
const endings = ['complete', 'reset', 'cut short', 'error', 'the client aborts', 'the client reads no further'] as const
const isLeft = (ending: (typeof endings)[number]): boolean => ending.startsWith('the client')

const faults = fc.record({
  failure: fc.option(fc.constantFrom(...(Object.keys(failures) as (keyof typeof failures)[]))),
  /** Words that the client has before the end begins. */
  wordCount: fc.integer({ min: 1, max: words.length }),
  ending: fc.constantFrom(...endings),
  /** Places of heartbeats between the events. */
  beats: fc.uniqueArray(fc.integer({ min: 1, max: words.length }), { maxLength: 3 }),
  /** Where the bytes are divided, as parts of their length. */
  cuts: fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 6 }),
})
type Faults = typeof faults extends fc.Arbitrary<infer Value> ? Value : never

const beatOf = ({ name }: VendorStream): string => (name === 'Anthropic' ? messages.beat : chats.beat)

/** The vendor's events until the client has so many words, with heartbeats, in pieces that end anywhere. */
function beginning(vendor: VendorStream, { wordCount, beats, cuts }: Faults): { readonly steps: Script; readonly eventCount: number } {
  const { events } = vendor
  const eventCount = 1 + events.findIndex((event) => event.includes(JSON.stringify(words[wordCount - 1])))
  const text = events.slice(0, eventCount).flatMap((event, place) => (beats.includes(place) ? [beatOf(vendor), event] : [event]))
  const bytes = Buffer.from(text.join(''))
  const places = [0, ...cuts.map((part) => Math.floor(part * bytes.length)), bytes.length].toSorted((one, other) => one - other)
  const pieces = places.slice(1).map((end, index) => bytes.subarray(places[index], end))
  return { eventCount, steps: pieces.map((piece): Step => ({ do: 'send', bytes: piece })) }
}

function endOf({ events, error }: VendorStream, ending: Faults['ending'], eventCount: number): Script {
  if (ending === 'complete') return [{ do: 'send', bytes: events.slice(eventCount).join('') }]
  if (ending === 'reset') return [{ do: 'cut' }]
  if (ending === 'error') return [{ do: 'send', bytes: error }]
  return ending === 'cut short' ? [] : [{ do: 'hang' }]
}

/** Reads until the client has this text, and then stops reading, as a loop does that is left early. */
async function readUntil(response: Response, text: string): Promise<void> {
  const decoder = new TextDecoder()
  let read = ''
  for await (const bytes of response.body ?? []) {
    read += decoder.decode(bytes, { stream: true })
    if (read.includes(text)) return
  }
}

let gates = 0

/** What the client got; `null`: it left. */
async function received(scene: Scene, { client, vendor, plan }: Run, gate: string): Promise<string | null> {
  const last = words[plan.wordCount - 1] ?? ''
  const leaves = new AbortController()
  const body = client.bodyOf({ model: vendor.model, content: 'Hi' })
  const response = await scene.post(client.pathOf(vendor.model), body, { signal: leaves.signal })
  expect(response.status).toBe(200)
  if (plan.ending === 'the client reads no further') {
    await readUntil(response, last)
    return null
  }
  const stream = follow(response)
  await until(() => stream.text().includes(last))
  if (plan.ending === 'the client aborts') {
    leaves.abort()
    return null
  }
  scenes.app.upstream.release(gate)
  return (await stream.ended).text
}

interface Run {
  readonly client: ClientStream
  readonly vendor: VendorStream
  readonly plan: Faults
}

async function run({ client, vendor, plan }: Run): Promise<void> {
  gates += 1
  const gate = `random gate ${gates}`
  // So many failovers at once would exceed the share of retries.
  scenes.clock.pass(11_000)
  const { steps, eventCount } = beginning(vendor, plan)
  const response: Script = [head, ...steps, { do: 'wait', name: gate }, ...endOf(vendor, plan.ending, eventCount)]
  const left: Script = [head, ...steps, { do: 'hang' }]
  const scripts = [...(plan.failure === null ? [] : [failures[plan.failure](vendor)]), isLeft(plan.ending) ? left : response]
  const scene = await scenes.scene(...scripts.map((script) => ({ type: vendor.type, responses: [script] })))
  const text = await received(scene, { client, vendor, plan }, gate)
  if (text === null) await scenes.app.upstream.received.at(-1)?.aborted
  const isComplete = plan.ending === 'complete'
  const delivered = words.slice(0, isComplete ? words.length : plan.wordCount).join('')
  const errors = isComplete ? [] : [expect.any(String)]
  if (text !== null) expect(client.read(text)).toEqual({ text: delivered, errors, isEnded: isComplete })
  const { completionTokens, quota, ...booked } = await scene.booked()
  expect(booked).toMatchObject({
    attempts: scripts.length,
    channelId: scene.ids.at(-1),
    endReason: text === null ? 'client_gone' : isComplete ? 'complete' : 'upstream_cut',
  })
  // A vendor may count the beginning of a response as a token.
  expect(Math.abs(completionTokens - countTokens(delivered))).toBeLessThanOrEqual(1)
  expect(quota).toBeGreaterThan(0)
}

describe.each(pairs.map(([client, vendor]) => [client.name, vendor.name, client, vendor] as const))(
  'a stream for a client of %s at a vendor that speaks as %s',
  (_client, _vendor, client, vendor) => {
    test('keeps its promises through any mixture of faults', async () => {
      const property = fc.asyncProperty(faults, (plan) => run({ client, vendor, plan }))
      await fc.assert(property, { numRuns: 12 })
    })

    // Every end once, because a short random run may lack one.
    test.each(endings)('that comes from the second channel ends well or in one error: %s', async (ending) => {
      await run({ client, vendor, plan: { failure: 'begins with an error', wordCount: 3, ending, beats: [1], cuts: [0.3, 0.31, 0.9] } })
    })
  },
)
