import { type Arrived, startHttpServer } from '../src/http-server.ts'
import { releaseBuffer } from '../src/release-buffer.ts'
import type { ServerResponse } from '../src/response.ts'
import type { ClientSocket, SocketHandlers } from '../src/server-web-socket.ts'
import { createDeadlines, createRoom, systemClock } from '../test/deadlines.ts'

// A bare server in a separate process, so that its cost is the cost of this package.

const long = Buffer.alloc(120_000, 'x')

function handlers(): SocketHandlers {
  let client: ClientSocket | null = null
  return {
    open(socket) {
      client = socket
    },
    message({ bytes, isOwned }) {
      client?.send(bytes.length > 100 ? 'long' : 'short')
      if (isOwned) releaseBuffer(bytes)
    },
    drain: () => {},
    close: () => {},
  }
}

async function respond(arrived: Arrived): Promise<ServerResponse> {
  const { request } = arrived
  if (request.url === '/long') return { status: 200, headers: {}, body: long }
  if (request.url === '/socket') return { status: 426, headers: {}, body: arrived.upgrade(handlers(), {}) ? '' : 'no' }
  let length = 0
  for (let piece = await request.body?.read(); piece; piece = await request.body?.read()) length += piece.length
  return { status: 200, headers: {}, body: String(length) }
}

const deadlines = createDeadlines(systemClock)
const messageBytesMax = 16 * 1024 * 1024
const server = startHttpServer({
  port: 0,
  host: '127.0.0.1',
  respond,
  clock: systemClock,
  deadlines,
  timeouts: {},
  messageBytesMax,
  longMessages: createRoom(systemClock, deadlines, messageBytesMax),
  // A body that its client breaks off is a part of most attacks.
  report: (error) => {
    if (!(error instanceof Error && 'code' in error && error.code === 'ECONNRESET')) console.error(error)
  },
})
console.log(`running: ${server.port} `)
