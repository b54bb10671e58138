import type { ClientProtocol } from '../apps/server/src/relay/model/client-protocol.ts'
import { anthropicProtocol } from '../apps/server/src/relay/wire/protocols/anthropic.ts'
import { geminiProtocol } from '../apps/server/src/relay/wire/protocols/gemini.ts'
import { openAiProtocol } from '../apps/server/src/relay/wire/protocols/open-ai.ts'
import { doubles } from '../apps/server/test/vendors/doubles/all.ts'
import type { VendorDouble } from '../apps/server/test/vendors/vendor-double.ts'
import { dialectOf } from '../packages/vendors/src/dialects.ts'
import type { Kind } from '../packages/vendors/src/kind.ts'
import { channelOf } from '../tools/vendor-features.ts'
import { median } from './gateway.ts'
import { microsOf } from './measure-call.ts'
import { chunksOf } from './vendor-wires.ts'

// `npm run bench -- protocols`: a chunk of a stream between a client of each protocol and a vendor of each wire, in this process.

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

const verdict = (isMet: boolean): string => (isMet ? 'met' : 'missed')

/** Passed pairs in turn, so that what else runs on the machine slows all of them down alike. */
function printPassed(pairs: readonly Pair[]): void {
  const rounds = Array.from({ length: 5 }, () => pairs.map(({ micros }) => micros()))
  const [base = 0, ...others] = pairs.map((_pair, index) => median(rounds.map((round) => round[index] ?? 0)))
  const [first, ...rest] = pairs
  console.log(`${first?.name.padEnd(60)}${base.toFixed(2).padStart(10)} us`)
  for (const [index, { name }] of rest.entries()) {
    const ratio = (others[index] ?? 0) / base
    console.log(
      `${name.padEnd(60)}${others[index]?.toFixed(2).padStart(10)} us   ${ratio.toFixed(2)} times, <= ${ratioMost}: ${verdict(ratio <= ratioMost)}`,
    )
  }
}

export function benchProtocols(): void {
  console.log(`Bun ${Bun.version}; the median of short rounds; a chunk is read from its frame, passed or translated, and written`)
  const streaming = doubles.filter(({ lacks, hasOtherCredential }) => lacks?.includes('events') !== true && hasOtherCredential !== true)
  const pairs = clients.flatMap((client) => streaming.flatMap((double) => pairOf(client, double) ?? []))
  const own = ['chats at OpenAI', 'messages at Anthropic', 'contents at Gemini']
  console.log('\npassed')
  printPassed(own.flatMap((name) => pairs.find((pair) => pair.name === name) ?? []))
  console.log('\ntranslated')
  for (const { name, micros } of pairs.filter(({ isPassed }) => !isPassed)) {
    const took = micros()
    console.log(`${name.padEnd(60)}${took.toFixed(2).padStart(10)} us   <= ${chunkMost} us: ${verdict(took <= chunkMost)}`)
  }
}
