import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

/** A proxy that records the requested destinations, and connects all of them to one server. */
export interface FakeProxy {
  readonly url: string
  /** The requested destinations, each with the login that was sent. */
  readonly requests: readonly { readonly to: string; readonly login: string }[]
  close(): void
}

interface Ways {
  /** Port of the server to which everything is connected, or to which a destination is. */
  readonly port: number | ((destination: string) => number)
  /** The required login; empty: none. */
  readonly login?: string
}

async function listen(serve: (socket: Socket) => void, scheme: string): Promise<Pick<FakeProxy, 'url' | 'close'>> {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    serve(socket)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  // Holds: a listening TCP server has such an address.
  const { port } = server.address() as AddressInfo
  return {
    url: `${scheme}://127.0.0.1:${port}`,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}

function lead(socket: Socket, port: number, opened: string | Buffer): void {
  const other = connect(port, '127.0.0.1', () => {
    socket.write(opened)
    socket.pipe(other)
    other.pipe(socket)
  })
  other.on('error', () => socket.destroy())
  socket.on('close', () => other.destroy())
}

function portTo(destination: string, port: Ways['port']): number {
  return typeof port === 'number' ? port : port(destination)
}

export async function startHttpProxy({ port, login = '' }: Ways): Promise<FakeProxy> {
  const requests: { to: string; login: string }[] = []
  const place = await listen((socket) => {
    socket.once('data', (bytes) => {
      const text = bytes.toString('latin1')
      const credentials = Buffer.from(/proxy-authorization: Basic (\S+)/.exec(text)?.[1] ?? '', 'base64').toString()
      requests.push({ to: /^CONNECT (\S+)/.exec(text)?.[1] ?? '', login: credentials })
      if (credentials === login) lead(socket, portTo(requests.at(-1)?.to ?? '', port), 'HTTP/1.1 200 Connection established\r\n\r\n')
      else socket.end('HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n')
    })
  }, 'http')
  return { ...place, requests }
}

export async function startSocksProxy({ port, login = '' }: Ways): Promise<FakeProxy> {
  const requests: { to: string; login: string }[] = []
  const place = await listen((socket) => {
    let credentials = ''
    const connectTo = (bytes: Buffer): void => {
      const length = bytes[4] ?? 0
      const name = bytes[3] === 3 ? bytes.subarray(5, 5 + length).toString() : [...bytes.subarray(4, 8)].join('.')
      requests.push({ to: `${name}:${bytes.readUInt16BE(bytes.length - 2)}`, login: credentials })
      lead(socket, portTo(requests.at(-1)?.to ?? '', port), Buffer.from([5, 0, 0, 1, 0, 0, 0, 0, 0, 0]))
    }
    socket.once('data', (hello) => {
      const method = login === '' ? 0 : 2
      if (hello[2] !== method) return socket.end(Buffer.from([5, 0xff]))
      socket.write(Buffer.from([5, method]))
      socket.once('data', (bytes) => {
        const next = Buffer.from(bytes)
        if (method === 0) return connectTo(next)
        const end = 2 + (next[1] ?? 0)
        credentials = `${next.subarray(2, end)}:${next.subarray(end + 1)}`
        if (credentials !== login) return socket.end(Buffer.from([1, 1]))
        socket.write(Buffer.from([1, 0]))
        socket.once('data', connectTo)
      })
    })
  }, 'socks5')
  return { ...place, requests }
}
