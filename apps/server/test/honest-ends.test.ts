import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { type ClientStream, chats, generated, generatedArray, messages } from './client-streams.ts'
import { type FaultScenes, type Scene, type Seen, seen, startFaultScenes } from './fault-scene.ts'
import { numbersFrom } from './numbers-from.ts'
import { anthropicStream, geminiStream, openAiStream, type VendorStream, words } from './vendor-streams.ts'

// Streams that break off after any byte: none may look complete, and exactly the delivered part is charged.

/** Set `HONEST_ENDS=1000` for a longer run. */
const randomCuts = Number(process.env['HONEST_ENDS'] ?? 60)
const seed = Number(process.env['SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0])

/** The vendor's count, which equals ours. */
const outputTokens = countTokens(words.join(''))
const openAi = openAiStream(outputTokens)
const anthropic = anthropicStream(outputTokens)
const gemini = geminiStream(outputTokens)
const responses = [openAi, anthropic, gemini]

type End = 'close' | 'break'
interface Cut {
  readonly client: ClientStream
  readonly response: VendorStream
  readonly bytes: number
  readonly end: End
}

/** A vendor that sends as many bytes of a response as the prompt says, and then disconnects. */
async function startVendor() {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    let received = ''
    socket.on('data', (bytes: Buffer) => {
      received += bytes.toString('latin1')
      const match = /cut:(\d):(\d+):(close|break)/.exec(received)
      if (match === null) return
      const whole = Buffer.from(responses[Number(match[1])]?.events.join('') ?? '')
      const body = whole.subarray(0, Number(match[2]))
      const framed = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`
      const head = Buffer.concat([Buffer.from(framed), body, Buffer.from('\r\n')])
      if (match[3] === 'close') socket.end(Buffer.concat([head, Buffer.from('0\r\n\r\n')]))
      else socket.end(head)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the vendor has no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

let scenes: FaultScenes
let vendor: Awaited<ReturnType<typeof startVendor>>
beforeAll(async () => {
  scenes = await startFaultScenes()
  vendor = await startVendor()
})
afterAll(async () => {
  vendor.close()
  await scenes.app.close()
})

/** What the client got of a response: its text, and whether the response looks complete. */
interface Had {
  readonly text: string
  readonly isWhole: boolean
  readonly problems: readonly string[]
}

function read({ status, text: received }: Seen, { read: readStream }: ClientStream): Had {
  if (status !== 200) return { text: '', isWhole: false, problems: [] }
  if (received.includes('<reset>')) return { text: '', isWhole: false, problems: ['a connection that broke without a word'] }
  const { text, errors, isEnded } = readStream(received)
  return {
    text,
    isWhole: errors.length === 0,
    problems: [
      ...(isEnded === errors.length > 0 ? ['an end that is none, or no end'] : []),
      ...(errors.length > 1 ? ['more than one error'] : []),
    ],
  }
}

/** Everything that is wrong after one cut. */
async function judge(scene: Scene, { client, response, bytes, end }: Cut): Promise<readonly string[]> {
  const content = `cut:${responses.indexOf(response)}:${bytes}:${end}`
  const { model } = response
  const seenStream = await seen(await scene.post(client.pathOf(model), client.bodyOf({ model, content })))
  const { text, isWhole, problems } = read(seenStream, client)
  const whole = response.events.slice(0, response.wholeAfter).join('')
  // Some servers leave out what ends their last event: with a body that ends in order, its data is enough.
  const needed = Buffer.byteLength(end === 'close' ? whole.trimEnd() : whole)
  const all = Buffer.byteLength(response.events.join(''))
  const row = await scenes.app.app.store.db
    .selectFrom('logs')
    .select(['completion_tokens', 'end_reason'])
    .where('request_id', '=', seenStream.headers.get('x-request-id') ?? '')
    .executeTakeFirst()
  const delivered = countTokens(text)
  const paid = row?.completion_tokens ?? 0
  const wrong = [
    ...problems,
    ...(isWhole && bytes < needed ? ['half an answer that looks whole'] : []),
    ...(!isWhole && bytes >= all && (response.hasTerminator || end === 'close') ? ['a whole answer that looks broken'] : []),
    ...(isWhole !== (row?.end_reason === 'complete') ? [`${row?.end_reason} in the log`] : []),
    // The vendor may count the beginning of a response as a token.
    ...(Math.abs(paid - delivered) > 1 ? [`${paid} tokens paid, ${delivered} delivered`] : []),
  ]
  return wrong.map((what) => `${content}: ${what}`)
}

/** Requests to one channel, fewer than open its circuit. */
const atOnce = 20

const pairs = [chats, messages, generated, generatedArray].flatMap((client) => responses.map((response) => [client, response] as const))

for (const [client, response] of pairs) {
  const title = `a stream of ${response.name} for a client of ${client.name} is complete or ends with an error, wherever it breaks`
  test(`${title}, and the delivered part is charged`, async () => {
    console.log(`SEED=${seed}`)
    const random = numbersFrom(seed)
    const lengths = response.events.map((_, index) => Buffer.byteLength(response.events.slice(0, index + 1).join('')))
    const all = lengths.at(-1) ?? 0
    const places = [0, ...lengths, ...Array.from({ length: randomCuts }, () => Math.floor(random() * all))]
    const cuts = places.flatMap((bytes): readonly Cut[] => [
      { client, response, bytes, end: 'close' },
      { client, response, bytes, end: 'break' },
    ])
    for (let at = 0; at < cuts.length; at += atOnce) {
      const scene = await scenes.scene({ by: vendor.url, type: response.type, responses: [] })
      const wrong = await Promise.all(cuts.slice(at, at + atOnce).map((cut) => judge(scene, cut)))
      expect(wrong.flat()).toEqual([])
    }
    expect(await scenes.expectConsistent()).toEqual([])
  }, 120_000)
}
