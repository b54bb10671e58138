import { connect, createServer, type Socket } from 'node:net'

/** A pooler in transaction mode, as PgBouncer is: all clients share one session of the server, which is lent for each transaction. */
export interface TransactionPooler {
  /** The address of the database through the pooler. */
  readonly url: string
  close(): void
}

/** The type of a message and its length after it (https://www.postgresql.org/docs/current/protocol-message-formats.html). */
const headLength = 5
const readyForQuery = 'Z'.charCodeAt(0)
const idle = 'I'.charCodeAt(0)

/** @returns the complete messages at the beginning, and the rest */
function split(bytes: Buffer): readonly [readonly Buffer[], Buffer] {
  const messages: Buffer[] = []
  let at = 0
  while (at + headLength <= bytes.length) {
    const end = at + 1 + bytes.readInt32BE(at + 1)
    if (end > bytes.length) break
    messages.push(bytes.subarray(at, end))
    at = end
  }
  return [messages, bytes.subarray(at)]
}

export async function startTransactionPooler(url: string): Promise<TransactionPooler> {
  const { hostname, port } = new URL(url)
  const upstream = connect(Number(port), hostname)
  const clients = new Set<Socket>()
  /** What the server says after a start, which every client gets. */
  let greeting: Buffer | null = null
  let early = Buffer.alloc(0)
  let rest = Buffer.alloc(0)
  let current: Socket | null = null
  const waiting: { readonly client: Socket; readonly bytes: Buffer }[] = []

  function lend(): void {
    if (current !== null || greeting === null) return
    const next = waiting.shift()
    if (next === undefined) return
    current = next.client
    upstream.write(next.bytes)
  }

  upstream.on('data', (bytes: Buffer) => {
    if (greeting === null) {
      early = Buffer.concat([early, bytes])
      const [messages] = split(early)
      if (messages.at(-1)?.[0] !== readyForQuery) return
      greeting = early
      for (const client of clients) client.write(greeting)
      return lend()
    }
    const [messages, left] = split(Buffer.concat([rest, bytes]))
    rest = Buffer.from(left)
    for (const message of messages) {
      current?.write(message)
      if (message[0] !== readyForQuery || message[headLength] !== idle) continue
      current = null
      lend()
    }
  })

  const server = createServer((client) => {
    let hasStarted = false
    clients.add(client)
    client.on('error', () => client.destroy()).on('close', () => clients.delete(client))
    client.on('data', (bytes: Buffer) => {
      if (!hasStarted) {
        hasStarted = true
        if (greeting !== null) client.write(greeting)
        else if (clients.size === 1) upstream.write(bytes)
        return
      }
      if (current === client) upstream.write(bytes)
      else waiting.push({ client, bytes })
      lend()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the pooler has no port')
  return {
    url: Object.assign(new URL(url), { port: String(address.port) }).href,
    close() {
      for (const client of clients) client.destroy()
      upstream.destroy()
      server.close()
    },
  }
}
