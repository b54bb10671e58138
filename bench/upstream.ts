import type { Socket } from 'bun'

// A vendor that needs little CPU: raw TCP with prepared responses. Runs as a separate process.
//   whole:  0.8 KB of JSON at once
//   stream: `streamChunks` events of about 250 bytes, one every `chunkEveryMs`, then usage and terminator
//   the same in Anthropic's dialect at /v1/messages, and in Gemini's at .../models/NAME:generateContent
//   slow:   a stream whose request has the user "slow": a tenth of the events, at a twentieth of the pace
//   apart:  a stream whose request has the user "apart": the events of each stream come at other times than those of others

const port = Number(process.argv[2])
const streamChunks = Number(process.argv[3] ?? 200)
const chunkEveryMs = Number(process.argv[4] ?? 20)

const content = 'The quick brown fox jumps over the lazy dog. '.repeat(9)
const usage = { prompt_tokens: 180, completion_tokens: 90, total_tokens: 270 }
const whole = JSON.stringify({
  id: 'chatcmpl-bench',
  object: 'chat.completion',
  created: 1_700_000_000,
  model: 'gpt-4o-mini',
  choices: [{ index: 0, message: { role: 'assistant', content, refusal: null }, logprobs: null, finish_reason: 'stop' }],
  usage: { ...usage, prompt_tokens_details: { cached_tokens: 0, audio_tokens: 0 }, completion_tokens_details: { reasoning_tokens: 0 } },
  system_fingerprint: 'fp_bench',
})
const responseOf = (json: string): Buffer =>
  Buffer.from(`HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(json)}\r\n\r\n${json}`)

const framed = (event: string): Buffer => Buffer.from(`${Buffer.byteLength(event).toString(16)}\r\n${event}\r\n`)
const chunk = (part: object): Buffer => {
  const event = `data: ${JSON.stringify({ id: 'chatcmpl-bench', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'gpt-4o-mini', service_tier: 'default', system_fingerprint: 'fp_bench', ...part })}\n\n`
  return framed(event)
}
const streamHead = Buffer.from('HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n')
const wordChunk = chunk({
  choices: [{ index: 0, delta: { content: ' words' }, logprobs: null, finish_reason: null }],
  usage: null,
  obfuscation: 'Qup1BsQ3',
})
const lastChunks = Buffer.concat([
  chunk({ choices: [{ index: 0, delta: {}, logprobs: null, finish_reason: 'stop' }], usage: null }),
  chunk({ choices: [], usage }),
  Buffer.from('e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n'),
])

const otherEvent = (data: { readonly type: string }): Buffer => framed(`event: ${data.type}\ndata: ${JSON.stringify(data)}\n\n`)
const otherUsage = {
  input_tokens: 180,
  cache_creation_input_tokens: 0,
  cache_read_input_tokens: 0,
  output_tokens: 1,
  service_tier: 'standard',
}
const message = {
  id: 'msg_bench',
  type: 'message',
  role: 'assistant',
  model: 'claude-bench',
  content: [],
  stop_reason: null,
  usage: otherUsage,
}

/** The bytes of a whole response, and of a stream: its beginning, each event of its middle, and its end. */
interface Speech {
  readonly whole: Buffer
  readonly first: Buffer
  readonly middle: Buffer
  readonly last: Buffer
}

const openAi: Speech = { whole: responseOf(whole), first: streamHead, middle: wordChunk, last: lastChunks }
const anthropic: Speech = {
  whole: responseOf(
    JSON.stringify({
      ...message,
      content: [{ type: 'text', text: content }],
      stop_reason: 'end_turn',
      usage: { ...otherUsage, output_tokens: 90 },
    }),
  ),
  first: Buffer.concat([
    streamHead,
    otherEvent(Object.assign({ type: 'message_start' }, { message })),
    otherEvent(Object.assign({ type: 'content_block_start' }, { index: 0, content_block: { type: 'text', text: '' } })),
  ]),
  middle: otherEvent(Object.assign({ type: 'content_block_delta' }, { index: 0, delta: { type: 'text_delta', text: ' words' } })),
  last: Buffer.concat([
    otherEvent(Object.assign({ type: 'content_block_stop' }, { index: 0 })),
    otherEvent(
      Object.assign({ type: 'message_delta' }, { delta: { stop_reason: 'end_turn' }, usage: { ...otherUsage, output_tokens: 90 } }),
    ),
    otherEvent({ type: 'message_stop' }),
    Buffer.from('0\r\n\r\n'),
  ]),
}

const candidate = (text: string, end?: object): string =>
  JSON.stringify({
    candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0, ...end }],
    usageMetadata: { promptTokenCount: 180, candidatesTokenCount: 90, totalTokenCount: 270 },
    modelVersion: 'gemini-bench',
    responseId: 'bench',
  })
const gemini: Speech = {
  whole: responseOf(candidate(content, { finishReason: 'STOP' })),
  first: streamHead,
  middle: framed(`data: ${candidate(' words')}\r\n\r\n`),
  last: Buffer.concat([framed(`data: ${candidate('', { finishReason: 'STOP' })}\r\n\r\n`), Buffer.from('0\r\n\r\n')]),
}

function speechOf(request: string): Speech {
  if (request.startsWith('POST /v1/messages')) return anthropic
  return request.startsWith('POST /v1beta/') ? gemini : openAi
}

/** A server without responses of its own. */
const unknownPath = Buffer.from('HTTP/1.1 404 Not Found\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n{}')

interface Connection {
  received: string
}
interface Running {
  readonly speech: Speech
  left: number
}
const streams = new Map<Socket<Connection>, Running>()
const slowStreams = new Map<Socket<Connection>, Running>()
/** Streams by the millisecond at which their events are due. */
const slots = Array.from({ length: chunkEveryMs }, () => new Map<Socket<Connection>, Running>())
let nextSlot = 0
let lastMs = performance.now()

/** Serves one slot for each millisecond that has passed, so that no slot is skipped when the timer is late. */
function tickSlots(): void {
  for (const now = performance.now(); lastMs + 1 <= now; lastMs += 1) {
    tick(slots[Math.floor(lastMs) % chunkEveryMs] ?? streams)
  }
}

function tick(open: Map<Socket<Connection>, Running>): void {
  for (const [socket, running] of open) {
    if (running.left > 0) {
      socket.write(running.speech.middle)
      running.left -= 1
    } else {
      socket.write(running.speech.last)
      open.delete(socket)
    }
  }
}

setInterval(() => tick(streams), chunkEveryMs)
setInterval(() => tick(slowStreams), chunkEveryMs * 20)
setInterval(tickSlots, 1)

Bun.listen<Connection>({
  hostname: '127.0.0.1',
  port,
  socket: {
    open(socket) {
      socket.data = { received: '' }
    },
    data(socket, bytes) {
      socket.data.received += bytes.toString('latin1')
      const { received } = socket.data
      const headEnd = received.indexOf('\r\n\r\n')
      if (headEnd === -1) return
      const length = Number(/content-length: (\d+)/i.exec(received)?.[1] ?? 0)
      if (received.length < headEnd + 4 + length) return
      socket.data.received = ''
      if (received.startsWith('POST /v1/responses ')) {
        socket.write(unknownPath)
        return
      }
      const speech = speechOf(received)
      if (!received.includes('"stream":true') && !received.includes(':streamGenerateContent')) {
        socket.write(speech.whole)
        return
      }
      socket.write(speech.first)
      if (received.includes('"user":"slow"')) slowStreams.set(socket, { speech, left: streamChunks / 10 })
      else if (received.includes('"user":"apart"')) slots[nextSlot++ % chunkEveryMs]?.set(socket, { speech, left: streamChunks })
      else streams.set(socket, { speech, left: streamChunks })
    },
    close(socket) {
      for (const open of [streams, slowStreams, ...slots]) open.delete(socket)
    },
  },
})
console.log('ready')
