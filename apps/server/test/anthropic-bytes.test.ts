import { describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { chatDialects } from '../../../packages/vendors/test/chat-dialects.ts'
import type { StreamView } from '../src/relay/model/upstream-response.ts'
import { openAiProtocol } from '../src/relay/wire/protocols/open-ai.ts'
import { createSseReader } from '../src/relay/wire/sse.ts'
import { passedView, translatedView } from '../src/relay/wire/stream-views.ts'

const vendors = join(import.meta.dir, '../../../packages/vendors/src/protocols')

interface Recorded {
  readonly why: string
  readonly events: readonly unknown[]
}

const asData = (event: unknown): string => (typeof event === 'string' ? event : JSON.stringify(event))

function readRecorded(path: string): Recorded | readonly Recorded[] {
  // Holds: the vendors' own tests read the same files with this type.
  return JSON.parse(readFileSync(path, 'utf8')) as Recorded | readonly Recorded[]
}

const folder = join(vendors, 'anthropic/fixtures/streams')
const translated = readdirSync(folder).flatMap((file) => readRecorded(join(folder, file)))
const passed = [readRecorded(join(vendors, 'openai/fixtures/streams.json'))].flat()

/** The bytes of a stream with the given line ends, and comments between its events. */
function encode(events: readonly unknown[], end: string): Uint8Array {
  const framed = events.map((event) => `event: message${end}data: ${asData(event)}${end}${end}: keep-alive${end}${end}`)
  return new TextEncoder().encode(framed.join(''))
}

/** The output to the client and the state at the end, if the bytes arrive in the given pieces. */
function relayed(view: StreamView, bytes: Uint8Array, cuts: readonly number[]) {
  const reader = createSseReader()
  const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].toSorted((a, b) => a - b)
  const all = places.slice(1).flatMap((end, index) => reader.push(bytes.slice(places[index], end)).map((event) => view.event(event)))
  // Nothing after the end is read, not even the second half of its line end.
  const last = all.findIndex(({ isTerminator, failure }) => isTerminator || failure !== null)
  const steps = last === -1 ? all : all.slice(0, last + 1)
  const { tail, ...end } = view.end()
  return {
    out: Buffer.concat(steps.flatMap(({ out }) => (out === null ? [] : [out]))).toString(),
    text: steps.map(({ text }) => text).join(''),
    failures: steps.flatMap(({ failure }) => (failure === null ? [] : [failure])),
    tail: tail === null ? null : Buffer.from(tail).toString().trimEnd(),
    end,
  }
}

const context = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'm' }
const kinds = [
  [
    'translated',
    translated,
    () => translatedView(chatDialects.anthropic.stream(context), { context, wantsUsage: true, streamError: openAiProtocol.streamError }),
  ],
  [
    'passed on',
    passed,
    () => passedView(chatDialects.openai.passthrough, { context, wantsUsage: true, streamError: openAiProtocol.streamError }),
  ],
] as const

describe.each(kinds)('a stream that is %s', (_, recorded, view) => {
  test('is the same however its bytes are split', () => {
    const stream = fc.tuple(fc.constantFrom(...recorded), fc.constantFrom('\n', '\r\n'))
    fc.assert(
      fc.property(stream, fc.array(fc.nat(), { maxLength: 20 }), ([{ events }, end], cuts) => {
        const bytes = encode(events, end)
        expect(relayed(view(), bytes, cuts)).toEqual(relayed(view(), bytes, []))
      }),
      { numRuns: 500 },
    )
  })

  test('is the same when every byte arrives alone', () => {
    for (const { events } of recorded) {
      const bytes = encode(events, '\n')
      expect(relayed(view(), bytes, [...bytes.keys()])).toEqual(relayed(view(), bytes, []))
    }
  })
})
