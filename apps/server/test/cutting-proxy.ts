import { connect, createServer, type Socket } from 'node:net'

/** A proxy between the server and its database, which can lose a response of the database. */
export interface CuttingProxy {
  /** The address of the database through the proxy. */
  readonly url: string
  /** Breaks the connection instead of forwarding the response to the next commit. */
  loseNextCommit(): void
  /** How many responses were lost. */
  lost(): number
  close(): void
}

/** The application name of the connection that commits batches. */
const ledgerName = 'sluice ledger'
/** Columns in the response to a batch; no other query on this connection has as many. */
const batchColumns = 2

/** Whether the bytes contain the response to a batch (https://www.postgresql.org/docs/current/protocol-message-formats.html, DataRow). */
function hasCommitted(bytes: Buffer): boolean {
  for (let at = 0; at + 7 <= bytes.length; at += 1 + bytes.readInt32BE(at + 1)) {
    if (bytes.toString('latin1', at, at + 1) === 'D' && bytes.readInt16BE(at + 5) === batchColumns) return true
  }
  return false
}

export async function startCuttingProxy(url: string): Promise<CuttingProxy> {
  const { hostname, port } = new URL(url)
  const sockets = new Set<Socket>()
  let isArmed = false
  let lost = 0

  const server = createServer((client) => {
    const upstream = connect(Number(port), hostname)
    let isLedger = false
    const end = (): void => {
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) {
      sockets.add(socket)
      socket.on('error', end).on('close', end)
    }
    client.on('data', (bytes: Buffer) => {
      isLedger ||= bytes.includes(ledgerName)
      upstream.write(bytes)
    })
    upstream.on('data', (bytes: Buffer) => {
      if (!isArmed || !isLedger || !hasCommitted(bytes)) return client.write(bytes)
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
