import { afterAll, beforeAll, expect, test } from 'bun:test'
import { createServer, type Socket } from 'node:net'
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base'
import { chatChunk, usageChunk } from './fake-upstream.ts'
import { type FaultScenes, type Scene, type Seen, startFaultScenes } from './fault-scene.ts'
import { numbersFrom } from './numbers-from.ts'

// Streams that break off after any byte: none may look complete, and exactly the delivered part is charged.

/** Set `HONEST_ENDS=1000` for a longer run. */
const randomCuts = Number(process.env['HONEST_ENDS'] ?? 150)
const seed = Number(process.env['SEED'] ?? crypto.getRandomValues(new Uint32Array(1))[0])

interface Answer {
  /** One event each. */
  readonly events: readonly string[]
  readonly type: number
  readonly model: string
  /** Number of events after which the answer is complete, however the connection ends. */
  readonly wholeAfter: number
}

const data = (value: unknown) => `data: ${typeof value === 'string' ? value : JSON.stringify(value)}\n\n`
const named = (value: { readonly type: string; readonly [field: string]: unknown }) => `event: ${value.type}\n${data(value)}`
const words = ['Grüße', ' aus', ' 北京', ' 🙂', ' and', ' more']

/** The vendor's count, which equals ours. */
const outputTokens = countTokens(words.join(''))

const openAi: Answer = {
  type: 1,
  model: 'gpt-4o-mini',
  events: [
    chatChunk({ role: 'assistant', content: '' }),
    ...words.map((content) => chatChunk({ content })),
    chatChunk({}, 'stop'),
    usageChunk(20, outputTokens),
    '[DONE]',
  ].map(data),
  // The event with the reason.
  wholeAfter: words.length + 2,
}
const anthropic: Answer = {
  type: 14,
  model: 'claude-sonnet-4-5',
  events: [
    named({ type: 'message_start', message: { role: 'assistant', content: [], usage: { input_tokens: 20, output_tokens: 1 } } }),
    named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }),
    ...words.map((text) => named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } })),
    named({ type: 'content_block_stop', index: 0 }),
    named({ type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: outputTokens } }),
    named({ type: 'message_stop' }),
  ],
  wholeAfter: words.length + 4,
}

type End = 'close' | 'break'
interface Cut {
  readonly answer: Answer
  readonly bytes: number
  readonly end: End
}

/** A vendor that sends as many bytes of an answer as the prompt says, and then disconnects. */
async function startVendor() {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    let received = ''
    socket.on('data', (bytes: Buffer) => {
      received += bytes.toString('latin1')
      const asked = /cut:(\d):(\d+):(close|break)/.exec(received)
      if (asked === null) return
      const answer = asked[1] === '1' ? anthropic : openAi
      const whole = Buffer.from(answer.events.join(''))
      const body = whole.subarray(0, Number(asked[2]))
      const framed = `HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n`
      const head = Buffer.concat([Buffer.from(framed), body, Buffer.from('\r\n')])
      if (asked[3] === 'close') socket.end(Buffer.concat([head, Buffer.from('0\r\n\r\n')]))
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

/** What the client got of an answer: its text, and whether the answer looks complete. */
interface Had {
  readonly text: string
  readonly isWhole: boolean
  readonly problems: readonly string[]
}

function read({ status, text, code, isDone }: Seen): Had {
  const events = text.split('\n\n').filter((event) => event.startsWith('data: {'))
  // Holds: every event that is no terminator is a chunk of a chat, or an error.
  const deltas = events.map(
    (event) => JSON.parse(event.slice(6)) as { readonly choices?: readonly { readonly delta?: { readonly content?: string } }[] },
  )
  const broken = text.includes('<reset>')
  const problems = [
    ...(text.includes('[DONE]') && (code !== null || !isDone) ? ['a terminator that is not the end'] : []),
    ...(broken ? ['a connection that broke without a word'] : []),
    ...(text.split('"error":{').length > 2 ? ['more than one error'] : []),
  ]
  return {
    text: deltas.map(({ choices }) => choices?.[0]?.delta?.content ?? '').join(''),
    isWhole: status === 200 && code === null && !broken,
    problems,
  }
}

/** Everything that is wrong after one cut. */
async function judge(scene: Scene, { answer, bytes, end }: Cut): Promise<readonly string[]> {
  const content = `cut:${answer === anthropic ? 1 : 0}:${bytes}:${end}`
  const seen = await scene.see({ model: answer.model, stream: true, max_tokens: 1_000, messages: [{ role: 'user', content }] })
  const { text, isWhole, problems } = read(seen)
  const needed = Buffer.byteLength(answer.events.slice(0, answer.wholeAfter).join(''))
  const all = Buffer.byteLength(answer.events.join(''))
  const row = await scenes.app.app.store.db
    .selectFrom('logs')
    .select(['completion_tokens', 'end_reason'])
    .where('request_id', '=', seen.headers.get('x-request-id') ?? '')
    .executeTakeFirst()
  const delivered = countTokens(text)
  const paid = row?.completion_tokens ?? 0
  const wrong = [
    ...problems,
    ...(isWhole && bytes < needed ? ['half an answer that looks whole'] : []),
    ...(!isWhole && bytes >= all ? ['a whole answer that looks broken'] : []),
    ...(isWhole !== (row?.end_reason === 'complete') ? [`${row?.end_reason} in the log`] : []),
    // The vendor may count the beginning of an answer as a token.
    ...(Math.abs(paid - delivered) > 1 ? [`${paid} tokens paid, ${delivered} delivered`] : []),
  ]
  return wrong.map((what) => `${content}: ${what}`)
}

/** Requests to one channel, fewer than open its circuit. */
const atOnce = 20

for (const [name, answer] of Object.entries({ 'passed through': openAi, translated: anthropic })) {
  test(`a stream that is ${name} is complete or ends with an error, wherever it breaks, and the delivered part is charged`, async () => {
    console.log(`SEED=${seed}`)
    const random = numbersFrom(seed)
    const lengths = answer.events.map((_, index) => Buffer.byteLength(answer.events.slice(0, index + 1).join('')))
    const all = lengths.at(-1) ?? 0
    const places = [0, ...lengths, ...Array.from({ length: randomCuts }, () => Math.floor(random() * all))]
    const cuts = places.flatMap((bytes): readonly Cut[] => [
      { answer, bytes, end: 'close' },
      { answer, bytes, end: 'break' },
    ])
    for (let at = 0; at < cuts.length; at += atOnce) {
      const scene = await scenes.scene({ by: vendor.url, type: answer.type, answers: [] })
      const wrong = await Promise.all(cuts.slice(at, at + atOnce).map((cut) => judge(scene, cut)))
      expect(wrong.flat()).toEqual([])
    }
    expect(await scenes.expectSound()).toEqual([])
  }, 120_000)
}
