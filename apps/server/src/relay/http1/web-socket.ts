/** One end of a connection of messages. */
export interface MessageSink {
  message(data: string | Uint8Array): void
  /** Called once; nothing comes after it. */
  closed(): void
  pong(): void
}

export interface UpstreamSocket {
  send(data: string | Uint8Array): void
  /** Bytes that wait to be sent. */
  readonly waitingBytes: number
  /** Messages flow into the sink from now on; what has come already comes first. */
  pipe(sink: MessageSink): void
  pause(): void
  resume(): void
  /** Asks for a sign of life; the sink hears when one comes. */
  ping(): void
  close(code: number): void
}

/** The other side answered the handshake with a status of its own. */
export class HandshakeRefused extends Error {
  readonly status: number

  constructor(status: number) {
    super(`the handshake was answered with status ${status}`)
    this.status = status
  }
}

interface OpenOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Where an origin may be reached. Rejects where it may not. */
  readonly addressesOf: (origin: string) => Promise<readonly string[]>
  readonly signal: AbortSignal
}

/** What Bun's own client has beyond the standard. */
type BunSocket = WebSocket & {
  readonly ping: () => unknown
  readonly pause: () => unknown
  readonly resume: () => unknown
  readonly terminate: () => void
}

/**
 * Connects after the address has been checked. Without TLS to one of the checked addresses themselves; with TLS by name, because nothing is
 * sent before the other side has proved by its certificate that it is the one of that name.
 */
export async function openWebSocket({ url, headers, addressesOf, signal }: OpenOptions): Promise<UpstreamSocket> {
  const target = new URL(url)
  const { host } = target
  const [address] = await addressesOf(target.origin)
  if (address === undefined) throw new Error('the name has no address')
  if (target.protocol === 'http:') target.hostname = address.includes(':') ? `[${address}]` : address
  target.protocol = target.protocol === 'http:' ? 'ws:' : 'wss:'
  // Holds: Bun's client takes headers where the standard has protocols, and has these members; the types of the browser do not say so.
  const socket = new WebSocket(target.href, { headers: { ...headers, host } } as unknown as string[]) as BunSocket
  socket.binaryType = 'arraybuffer'
  const early: Array<string | Uint8Array> = []
  let sink: MessageSink | null = null
  let isClosed = false
  socket.addEventListener('message', ({ data }: MessageEvent<string | ArrayBuffer>) => {
    const message = typeof data === 'string' ? data : new Uint8Array(data)
    if (sink === null) early.push(message)
    else sink.message(message)
  })
  socket.addEventListener('close', () => {
    isClosed = true
    sink?.closed()
  })
  // Holds: Bun tells of pongs; the types of the browser know no such event.
  socket.addEventListener('pong' as 'message', () => sink?.pong())
  await opened(socket, signal)
  return {
    // Holds: nobody here shares memory, which is all that the types ask.
    send: (data) => socket.send(data as string | Uint8Array<ArrayBuffer>),
    get waitingBytes() {
      return socket.bufferedAmount
    },
    pipe(next) {
      for (const message of early.splice(0)) next.message(message)
      sink = next
      if (isClosed) next.closed()
    },
    pause: () => void socket.pause(),
    resume: () => void socket.resume(),
    ping: () => void socket.ping(),
    close: (code) => (isClosed ? undefined : socket.close(code)),
  }
}

function opened(socket: BunSocket, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    let words = ''
    socket.addEventListener('open', () => resolve())
    socket.addEventListener('error', (event) => {
      words = 'message' in event ? String(event.message) : ''
    })
    socket.addEventListener('close', () => {
      const status = /status code: (\d{3})/.exec(words)?.[1]
      reject(status === undefined ? new Error(words) : new HandshakeRefused(Number(status)))
    })
    signal.addEventListener('abort', () => {
      socket.terminate()
      reject(new Error('the connection was given up'))
    })
  })
}
