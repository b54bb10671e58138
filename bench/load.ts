import { readFileSync } from 'node:fs'
import type { Socket } from 'bun'

// A load generator over raw TCP, so that it needs little CPU itself. Runs as a separate process:
//   bun load.ts '{"port":1,"token":"...","stream":false,"connections":64,"requests":20000}'           as fast as responses come
//   bun load.ts '{"port":1,"token":"...","stream":false,"connections":200,"perSecond":1000,"seconds":5}' at a fixed rate
// Prints one line of JSON.

interface Plan {
  readonly port: number
  readonly token: string
  /** A file with one token a line, which are used in turn. */
  readonly tokensFile?: string
  readonly stream: boolean
  readonly model?: string
  /** Pace of the upstream's stream: see upstream.ts. */
  readonly pace?: 'slow' | 'apart'
  readonly connections: number
  readonly requests?: number
  readonly perSecond?: number
  readonly seconds?: number
}

interface Connection {
  startedMs: number
  received: string
  isBusy: boolean
}

// Holds: only gateway.ts and other files of this folder start this script.
const plan = JSON.parse(process.argv[2] ?? '{}') as Plan
const question = 'Please tell me what a sluice is, how it works and where the word comes from. '.repeat(11)
const body = JSON.stringify({
  model: plan.model ?? 'gpt-4o-mini',
  stream: plan.stream,
  messages: [
    { role: 'system', content: 'You are a helpful assistant.' },
    { role: 'user', content: question },
  ],
  temperature: 0.7,
  ...(plan.pace === undefined ? {} : { user: plan.pace }),
})
const requestOf = (token: string): Buffer =>
  Buffer.from(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: 127.0.0.1:${plan.port}\r\ncontent-type: application/json\r\nauthorization: Bearer ${token}\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  )
const tokens = plan.tokensFile === undefined ? [plan.token] : readFileSync(plan.tokensFile, 'utf8').trim().split('\n')
const requests = tokens.map(requestOf)

const latenciesMs: number[] = []
let failures = 0
let requestCount = 0
let done = 0
const free: Socket<Connection>[] = []
const finished = Promise.withResolvers<void>()
const isTimed = plan.perSecond !== undefined
const total = plan.requests ?? (plan.perSecond ?? 0) * (plan.seconds ?? 0)

function send(socket: Socket<Connection>, dueMs = performance.now()): void {
  const request = requests[requestCount % requests.length]
  requestCount += 1
  socket.data = { startedMs: dueMs, received: '', isBusy: true }
  if (request !== undefined) socket.write(request)
}

function isComplete(received: string): boolean {
  const headEnd = received.indexOf('\r\n\r\n')
  if (headEnd === -1) return false
  const length = /content-length: (\d+)/i.exec(received.slice(0, headEnd))?.[1]
  return length === undefined ? received.endsWith('\r\n0\r\n\r\n') : received.length >= headEnd + 4 + Number(length)
}

function finish(socket: Socket<Connection>): void {
  const { received, startedMs } = socket.data
  if (!received.startsWith('HTTP/1.1 200') || (plan.stream && !received.includes('[DONE]'))) failures += 1
  latenciesMs.push(performance.now() - startedMs)
  socket.data.isBusy = false
  done += 1
  if (done >= total) finished.resolve()
  else if (isTimed) free.push(socket)
  else if (requestCount < total) send(socket)
}

const keptOfStream = 500

function receive(socket: Socket<Connection>, bytes: Buffer): void {
  const received = socket.data.received + bytes.toString('latin1')
  // Of a stream only the beginning and the end are read.
  socket.data.received =
    plan.stream && received.length > 2 * keptOfStream ? received.slice(0, keptOfStream) + received.slice(-keptOfStream) : received
  if (isComplete(socket.data.received)) finish(socket)
}

const sockets = await Promise.all(
  Array.from({ length: plan.connections }, () =>
    Bun.connect<Connection>({
      hostname: '127.0.0.1',
      port: plan.port,
      data: { startedMs: 0, received: '', isBusy: false },
      socket: {
        data: receive,
        close(socket) {
          if (socket.data.isBusy) failures += 1
        },
      },
    }),
  ),
)

const startedMs = performance.now()
if (isTimed) {
  free.push(...sockets)
  const everyMs = 1000 / (plan.perSecond ?? 1)
  // An open loop: requests are sent at fixed times, whether or not earlier ones have completed.
  const timer = setInterval(() => {
    while (requestCount < total && startedMs + requestCount * everyMs <= performance.now()) {
      // Connections are used in turn, because a server closes idle ones.
      const socket = free.shift()
      if (socket === undefined) break
      send(socket, startedMs + requestCount * everyMs)
    }
    if (requestCount >= total) clearInterval(timer)
  }, 1)
} else {
  for (const socket of sockets) if (requestCount < total) send(socket)
}
await finished.promise
const seconds = (performance.now() - startedMs) / 1000
latenciesMs.sort((a, b) => a - b)
const at = (share: number): number => latenciesMs[Math.min(latenciesMs.length - 1, Math.floor(latenciesMs.length * share))] ?? 0
console.log(
  JSON.stringify({
    requests: done,
    failures,
    seconds,
    perSecond: done / seconds,
    p50Ms: at(0.5),
    p99Ms: at(0.99),
    p999Ms: at(0.999),
    maxMs: at(1),
  }),
)
process.exit(0)
