import { connect, createServer, type Socket } from 'node:net'

/** Stands between the server and its database, and can lose an answer on the way. */
export interface CuttingProxy {
  /** The same address, through the proxy. */
  readonly url: string
  /** The answer to the next commit never arrives: its connection breaks instead. */
  loseNextCommit(): void
  /** How many answers were lost. */
  lost(): number
  close(): void
}

/** How a server says that a transaction was committed: https://www.postgresql.org/docs/current/protocol-message-formats.html (CommandComplete). */
const committed = Buffer.from('COMMIT\0')

export async function startCuttingProxy(url: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let isArmed = false
  let lost = 0

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    const end = (): void => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', end).on('close', end)
    }
    client.on('data', (bytes) => upstream.write(bytes))
    upstream.on('data', (bytes: Buffer) => {
      if (!isArmed || !bytes.includes(committed)) return client.write(bytes)
      isArmed = false
      lost += 1
      end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')

  return {
    url: Object.assign(new URL(url), { port: String(address.port) }).href,
    loseNextCommit() {
      isArmed = true
    },
    lost: () => lost,
    close() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
