import type { Socket } from 'bun'
import type { PairShape } from './pair-shapes.ts'

// Requests over raw TCP, as fast as responses come, so that they cost the core of the rig little.

interface Load {
  readonly port: number
  readonly token: string
  readonly shape: PairShape
}

interface Connection {
  /** Bytes of the request that the kernel did not take yet. */
  unwritten: Uint8Array
  head: string
  tail: string
  bytes: number
}

const keptBytes = 4_000
const lastChunk = '\r\n0\r\n\r\n'

function requestOf({ port, token, shape }: Load): Uint8Array {
  const body = Buffer.from(JSON.stringify(shape.body))
  const head = `POST ${shape.path} HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\ncontent-type: application/json\r\nauthorization: Bearer ${token}\r\ncontent-length: ${body.length}\r\n\r\n`
  return Buffer.concat([Buffer.from(head), body])
}

function isComplete({ head, tail, bytes }: Connection): boolean {
  const headEnd = head.indexOf('\r\n\r\n')
  if (headEnd === -1) return false
  const length = /content-length: (\d+)/i.exec(head.slice(0, headEnd))?.[1]
  return length === undefined ? tail.endsWith(lastChunk) : bytes >= headEnd + 4 + Number(length)
}

/** Sends all requests of a shape over its connections. @throws Error if a response is not 200, or its stream has no end */
export async function responsesOf(load: Load): Promise<void> {
  const request = requestOf(load)
  const { connections, requests, end } = load.shape
  const finished = Promise.withResolvers<void>()
  let left = requests
  let open = requests
  const write = (socket: Socket<Connection>): void => {
    const { data } = socket
    data.unwritten = data.unwritten.subarray(socket.write(data.unwritten))
  }
  const next = (socket: Socket<Connection>): void => {
    if (left <= 0) return
    left -= 1
    socket.data = { unwritten: request, head: '', tail: '', bytes: 0 }
    write(socket)
  }
  const receive = (socket: Socket<Connection>, bytes: Buffer): void => {
    const { data } = socket
    const text = bytes.toString('latin1')
    data.bytes += bytes.length
    if (data.head.length < keptBytes) data.head += text
    data.tail = (data.tail + text).slice(-keptBytes)
    if (!isComplete(data)) return
    const isGood = data.head.startsWith('HTTP/1.1 200') && data.tail.includes(end)
    if (!isGood) finished.reject(new Error(`${load.shape.name}: ${data.head} ... ${data.tail}`))
    open -= 1
    if (open === 0) finished.resolve()
    else next(socket)
  }
  const sockets = await Promise.all(
    Array.from({ length: connections }, () =>
      Bun.connect<Connection>({
        hostname: '127.0.0.1',
        port: load.port,
        data: { unwritten: request, head: '', tail: '', bytes: 0 },
        socket: { data: receive, drain: write },
      }),
    ),
  )
  for (const socket of sockets) next(socket)
  await finished.promise
  for (const socket of sockets) socket.end()
}
