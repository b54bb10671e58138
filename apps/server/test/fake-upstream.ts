import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Duplex } from 'node:stream'
import { acceptOf } from '@sluice/http1/handshake'
import { FrameReader } from '@sluice/http1/web-socket-frames'

/** A step of the response to one request. Steps run in order; the response ends after the last one, unless it is `cut` or `hang`. */
export type Step =
  | { readonly do: 'head'; readonly status: number; readonly headers?: Readonly<Record<string, string>> }
  | { readonly do: 'send'; readonly bytes: string | Uint8Array }
  /** Waits until the test calls `release(name)`. */
  | { readonly do: 'wait'; readonly name: string }
  /** Waits for a time. */
  | { readonly do: 'pause'; readonly ms: number }
  /** Resets the connection. */
  | { readonly do: 'cut' }
  /** Sends nothing more and keeps the connection open. */
  | { readonly do: 'hang' }

export type Script = readonly Step[]

/** A received request. */
export interface Received {
  readonly method: string
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly body: string
  /** The body as bytes. */
  readonly bytes: Uint8Array<ArrayBuffer>
  /** Resolves if the gateway closes the request before its end. */
  readonly aborted: Promise<void>
}

export interface FakeUpstream {
  readonly url: string
  readonly received: readonly Received[]
  /** Sets the responses to the next requests, one script each; after them, `fallback` responds. */
  script(...scripts: readonly Script[]): void
  /** Responds to every request that has no script. */
  fallback(choose: (request: Received) => Script): void
  /** Responds to requests for which it has a script, whatever other scripts are pending. */
  always(choose: (request: Received) => Script | null): void
  release(name: string): void
  /** Refuses connections, until `start`. */
  stop(): Promise<void>
  /** Listens again on the same port. */
  start(): Promise<void>
  close(): Promise<void>
}

/** A real HTTP server on loopback that runs scripts. */
export async function startFakeUpstream(): Promise<FakeUpstream> {
  const received: Received[] = []
  const scripts: Script[] = []
  const gates = new Map<string, PromiseWithResolvers<void>>()
  let choose: (request: Received) => Script = () => json(chatResponse())
  let chooseFirst: (request: Received) => Script | null = () => null
  const scriptFor = (got: Received): Script => chooseFirst(got) ?? scripts.shift() ?? choose(got)

  function gate(name: string): PromiseWithResolvers<void> {
    const known = gates.get(name) ?? Promise.withResolvers<void>()
    gates.set(name, known)
    return known
  }

  const server = createServer((request, response) => {
    void serve(request, response)
  })

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const aborted = Promise.withResolvers<void>()
    response.on('close', () => {
      if (!response.writableFinished) aborted.resolve()
    })
    const bytes = await readBytes(request)
    const got: Received = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      body: bytes.toString('utf8'),
      bytes,
      aborted: aborted.promise,
    }
    received.push(got)
    for (const step of scriptFor(got)) {
      if (response.destroyed) return
      if (!(await play(step, response, gate))) return
    }
    response.end()
  }

  /** Steps after the handshake send bytes of frames. A script whose head has another type responds to the handshake as to any request. */
  async function serveSocket(request: IncomingMessage, socket: Duplex): Promise<void> {
    const aborted = Promise.withResolvers<void>()
    let isOver = false
    socket.on('error', () => {})
    socket.on('close', () => isOver || aborted.resolve())
    const { method = '', url: path = '', headers } = request
    const got = { method, path, headers, body: '', bytes: new Uint8Array(), aborted: aborted.promise }
    const [head, ...steps] = scriptFor(got)
    if (head?.do !== 'head' || head.headers?.['content-type'] !== messagesType) {
      received.push(got)
      socket.end(responseInText(head, steps))
      return
    }
    const accept = acceptOf(String(headers['sec-websocket-key']))
    const firstFrame = firstMessage(socket)
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nupgrade: websocket\r\nconnection: Upgrade\r\nsec-websocket-accept: ${accept}\r\n\r\n`)
    const bytes = await firstFrame
    received.push({ ...got, bytes, body: new TextDecoder().decode(bytes) })
    for (const step of steps) if (socket.destroyed || !(await playFrames(step, socket, gate))) return
    isOver = true
    socket.end()
  }

  server.on('upgrade', (request, socket) => {
    void serveSocket(request, socket)
  })

  const listen = (at: number): Promise<void> => new Promise((resolve) => server.listen(at, '127.0.0.1', resolve))
  const stop = async (): Promise<void> => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  await listen(0)
  // Holds: a listening TCP server has such an address.
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    script: (...next) => void scripts.push(...next),
    fallback(next) {
      choose = next
    },
    always(next) {
      chooseFirst = next
    },
    release: (name) => gate(name).resolve(),
    stop,
    start: () => listen(port),
    close: stop,
  }
}

/** The content type of a script whose bytes are sent over a WebSocket, as frames. */
export const messagesType = 'application/x-websocket-messages'

/** Resolves with the first message of the client. */
function firstMessage(socket: Duplex): Promise<Uint8Array<ArrayBuffer>> {
  return new Promise((resolve) => {
    const sink = { message: ({ bytes }: { readonly bytes: Buffer }) => resolve(Uint8Array.from(bytes)), ping() {}, pong() {}, close() {} }
    const reader = new FrameReader({ sink, isMasked: true, messageBytesMax: 64 * 1024 * 1024 })
    socket.on('data', (bytes: Buffer) => reader.push(Buffer.from(bytes)))
  })
}

function responseInText(head: Step | undefined, steps: Script): Buffer {
  const { status, headers = {} } = head?.do === 'head' ? head : { status: 200 }
  const fields = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}\r\n`)
  const body = steps.map((step) => Buffer.from(step.do === 'send' ? step.bytes : ''))
  return Buffer.concat([Buffer.from(`HTTP/1.1 ${status} Answer\r\n${fields.join('')}\r\n`), ...body])
}

/** As `play`, over a WebSocket. */
async function playFrames(step: Step, socket: Duplex, gate: (name: string) => PromiseWithResolvers<void>): Promise<boolean> {
  switch (step.do) {
    case 'head':
      return true
    case 'send':
      socket.write(step.bytes)
      return true
    case 'wait':
      await gate(step.name).promise
      return true
    case 'pause':
      await new Promise((resolve) => setTimeout(resolve, step.ms))
      return true
    case 'cut':
      socket.destroy()
      return false
    case 'hang':
      return false
  }
}

/** @returns whether more steps may follow */
async function play(step: Step, response: ServerResponse, gate: (name: string) => PromiseWithResolvers<void>): Promise<boolean> {
  switch (step.do) {
    case 'head':
      response.writeHead(step.status, step.headers)
      response.flushHeaders()
      return true
    case 'send':
      if (!response.write(step.bytes)) await drained(response)
      return true
    case 'wait':
      await gate(step.name).promise
      return true
    case 'pause':
      await new Promise((resolve) => setTimeout(resolve, step.ms))
      return true
    case 'cut':
      response.socket?.resetAndDestroy()
      return false
    case 'hang':
      return false
  }
}

/** Resolves when more can be written, or the connection is closed. */
function drained(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })
}

async function readBytes(request: IncomingMessage): Promise<Buffer<ArrayBuffer>> {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk)
  return Buffer.concat(chunks)
}

/** A JSON response that is not streamed. */
export function json(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Script {
  return [
    { do: 'head', status, headers: { 'content-type': 'application/json', ...headers } },
    { do: 'send', bytes: JSON.stringify(body) },
  ]
}

/** A stream of events, given as their data, and the steps after them. */
export function events(data: readonly unknown[], end: Script = []): Script {
  return [
    { do: 'head', status: 200, headers: { 'content-type': 'text/event-stream' } },
    ...data.map((item): Step => ({ do: 'send', bytes: `data: ${typeof item === 'string' ? item : JSON.stringify(item)}\n\n` })),
    ...end,
  ]
}

export function chatResponse(content = 'Hello', usage: unknown = { prompt_tokens: 10, completion_tokens: 5, total_tokens: 15 }) {
  return {
    id: 'chatcmpl-upstream',
    object: 'chat.completion',
    created: 1_700_000_000,
    model: 'gpt-4o-mini',
    choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: 'stop' }],
    usage,
  }
}

export function chatChunk(delta: Readonly<Record<string, unknown>>, finishReason: string | null = null) {
  return {
    id: 'chatcmpl-upstream',
    object: 'chat.completion.chunk',
    created: 1_700_000_000,
    model: 'gpt-4o-mini',
    choices: [{ index: 0, delta, finish_reason: finishReason }],
  }
}

export function usageChunk(promptTokens: number, completionTokens: number) {
  const usage = { prompt_tokens: promptTokens, completion_tokens: completionTokens, total_tokens: promptTokens + completionTokens }
  return { id: 'chatcmpl-upstream', object: 'chat.completion.chunk', created: 1_700_000_000, model: 'gpt-4o-mini', choices: [], usage }
}

/** A complete stream of the given words, with usage and terminator. */
export function chatStream(words: readonly string[], usage = { promptTokens: 10, completionTokens: words.length }): Script {
  return events([
    chatChunk({ role: 'assistant', content: '' }),
    ...words.map((content) => chatChunk({ content })),
    chatChunk({}, 'stop'),
    usageChunk(usage.promptTokens, usage.completionTokens),
    '[DONE]',
  ])
}
