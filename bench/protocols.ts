import type { ClientProtocol } from '../apps/server/src/relay/model/client-protocol.ts'
import { anthropicProtocol } from '../apps/server/src/relay/wire/protocols/anthropic.ts'
import { geminiProtocol } from '../apps/server/src/relay/wire/protocols/gemini.ts'
import { openAiProtocol } from '../apps/server/src/relay/wire/protocols/open-ai.ts'
import { createSseReader } from '../apps/server/src/relay/wire/sse.ts'
import { passedView } from '../apps/server/src/relay/wire/stream-views.ts'
import { doubles } from '../apps/server/test/vendors/doubles/all.ts'
import type { VendorDouble } from '../apps/server/test/vendors/vendor-double.ts'
import type { Kind } from '../packages/vendors/src/core/kind.ts'
import { pivotOf } from '../packages/vendors/src/protocols/pivot-of.ts'
import { dialectOf } from '../packages/vendors/src/registry/dialect-of.ts'
import { channelOf } from '../tools/vendor-features.ts'
import { median } from './gateway.ts'
import { microsOf } from './measure-call.ts'
import { naturalStreams } from './natural-streams.ts'
import { passedInProcess } from './passed-streams.ts'
import { chunksOf } from './vendor-wires.ts'

// `npm run bench -- protocols`: a chunk of a stream between a client of each protocol and a vendor of each wire, in this process; passed
// streams also through the whole gateway.

/** Microseconds of a translated chunk, and how many times as long as OpenAI's another passed chunk may take. */
const chunkMost = 35
const ratioMost = 1.1

const clients: ReadonlyArray<{ readonly name: string; readonly kind: Kind; readonly protocol: ClientProtocol }> = [
  { name: 'chats', kind: 'chat', protocol: openAiProtocol },
  { name: 'responses', kind: 'responses', protocol: openAiProtocol },
  { name: 'messages', kind: 'messages', protocol: anthropicProtocol },
  { name: 'contents', kind: 'generate', protocol: geminiProtocol },
]

interface Pair {
  readonly name: string
  readonly isPassed: boolean
  readonly micros: () => number
}

/** `null`: the vendor has no stream of the kind, or one that no double speaks. */
function pairOf({ name, kind, protocol }: (typeof clients)[number], double: VendorDouble): Pair | null {
  const { vendor, model } = channelOf(double)
  const dialect = dialectOf(vendor, kind, model)
  const isPassed = dialect?.passthrough !== undefined
  // The doubles of vendors with responses of their own stream chats.
  if (dialect === null || (kind === 'responses' && isPassed)) return null
  const { work, count } = chunksOf(double, dialect, protocol)
  return { name: `${name} at ${double.name}`, isPassed, micros: () => microsOf(work) / count }
}

/** A natural stream that is passed to a client of its own protocol. */
function passedPair({ name, kind, frames }: (typeof naturalStreams)[number]): Pair {
  const passthrough = pivotOf(kind)
  const options = {
    context,
    wantsUsage: true,
    streamError: (clients.find((client) => client.kind === kind)?.protocol ?? openAiProtocol).streamError,
  }
  const work = (): void => {
    const reader = createSseReader()
    const view = passedView(passthrough, options)
    for (const frame of frames) for (const event of reader.push(frame)) view.event(event)
    if (!view.end().isComplete) throw new Error(`the stream of ${name} has no end`)
  }
  return { name, isPassed: true, micros: () => microsOf(work) / frames.length }
}

const context = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'm' }

const verdict = (isMet: boolean): string => (isMet ? 'met' : 'missed')

/** Passed pairs in turn, so that what else runs on the machine slows all of them down alike. */
function passedHere(): readonly number[] {
  const pairs = naturalStreams.map(passedPair)
  const rounds = Array.from({ length: 5 }, () => pairs.map(({ micros }) => micros()))
  return pairs.map((_pair, index) => median(rounds.map((round) => round[index] ?? 0)))
}

/** @param micros of an event of each natural stream; the first is what the others are compared with */
function printPassed([base = 0, ...others]: readonly number[]): void {
  const [first, ...rest] = naturalStreams
  console.log(`${first?.name.padEnd(60)}${base.toFixed(2).padStart(10)} us`)
  for (const [index, { name }] of rest.entries()) {
    const ratio = (others[index] ?? 0) / base
    console.log(
      `${name.padEnd(60)}${others[index]?.toFixed(2).padStart(10)} us   ${ratio.toFixed(2)} times, <= ${ratioMost}: ${verdict(ratio <= ratioMost)}`,
    )
  }
}

export async function benchProtocols(): Promise<void> {
  console.log(`Bun ${Bun.version}; the median of short rounds; a chunk is read from its frame, passed or translated, and written`)
  const streaming = doubles.filter(({ lacks, hasOtherCredential }) => lacks?.includes('events') !== true && hasOtherCredential !== true)
  const pairs = clients.flatMap((client) => streaming.flatMap((double) => pairOf(client, double) ?? []))
  console.log('\npassed, reading alone: the same texts in the forms that the vendors write')
  printPassed(passedHere())
  console.log('\npassed, processor time of the whole gateway for an event')
  printPassed(await passedInProcess())
  console.log('\ntranslated')
  for (const { name, micros } of pairs.filter(({ isPassed }) => !isPassed)) {
    const took = micros()
    console.log(`${name.padEnd(60)}${took.toFixed(2).padStart(10)} us   <= ${chunkMost} us: ${verdict(took <= chunkMost)}`)
  }
}
