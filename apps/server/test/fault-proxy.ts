import { connect, createServer, type Socket } from 'node:net'

/** A fault in the bytes from the server; `afterBytes` is counted from the moment when the fault was armed. */
export type NetworkFault =
  | { readonly do: 'nothing' }
  /** The connection is reset. */
  | { readonly do: 'reset'; readonly afterBytes: number }
  /** The connection is closed cleanly in the middle of its data. */
  | { readonly do: 'end'; readonly afterBytes: number }
  /** Nothing more passes in either direction, and the connection stays open. */
  | { readonly do: 'blackhole'; readonly afterBytes: number }
  /** Every byte is delayed. */
  | { readonly do: 'delay'; readonly ms: number }
  /** At most this number of bytes passes at a time. */
  | { readonly do: 'throttle'; readonly bytes: number; readonly everyMs: number }

/** A TCP proxy that injects faults. */
export interface FaultProxy {
  /** For HTTP. */
  readonly url: string
  readonly port: number
  /** Leads new connections to another server. */
  lead(to: string): void
  /** Ends all connections, also those through which nothing passes any more. */
  cut(): void
  /** Sets the fault for all connections from now on. */
  arm(fault: NetworkFault): void
  /** Connections that were opened so far; below, those that are open. */
  readonly opened: number
  readonly open: number
  /** Bytes received from the server. */
  readonly received: number
  close(): void
}

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  let { hostname, port } = new URL(target)
  const pairs = new Set<Pair>()
  let fault: NetworkFault = { do: 'nothing' }
  let passed = 0
  let opened = 0
  let received = 0

  /** Bytes that pass before the fault. */
  const left = (): number => ('afterBytes' in fault ? fault.afterBytes - passed : Number.POSITIVE_INFINITY)

  function cut(): void {
    for (const { client, upstream } of pairs) for (const socket of [client, upstream]) socket.destroy()
  }

  function fromServer(bytes: Buffer, pair: Pair): void {
    received += bytes.length
    const part = bytes.subarray(0, Math.max(0, left()))
    passed += part.length
    if (part.length > 0) pass(part, pair, fault)
    if (left() <= 0) strike(pair, fault)
  }

  const server = createServer({ allowHalfOpen: true }, (client) => {
    opened += 1
    const upstream = connect({ host: hostname, port: Number(port), allowHalfOpen: true })
    const pair: Pair = { client, upstream, isDead: false }
    pairs.add(pair)
    const onClose = (): void => {
      pairs.delete(pair)
      client.destroy()
      upstream.destroy()
    }
    for (const socket of [client, upstream]) socket.on('error', onClose).on('close', onClose)
    client.on('data', (bytes: Buffer) => {
      // A fault at the first byte is applied here: without a request the server sends nothing.
      if (left() <= 0) strike(pair, fault)
      else if (!pair.isDead) upstream.write(bytes)
    })
    client.on('end', () => pair.isDead || upstream.end())
    upstream.on('data', (bytes: Buffer) => pair.isDead || fromServer(bytes, pair))
    upstream.on('end', () => pair.isDead || client.end())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('the proxy has no port')

  return {
    url: Object.assign(new URL(target), { port: String(address.port) }).origin,
    port: address.port,
    lead(to) {
      ;({ hostname, port } = new URL(to))
    },
    cut,
    arm(next) {
      fault = next
      passed = 0
    },
    get opened() {
      return opened
    },
    get open() {
      return pairs.size
    },
    get received() {
      return received
    },
    close() {
      cut()
      server.close()
    },
  }
}

interface Pair {
  readonly client: Socket
  readonly upstream: Socket
  /** Nothing passes anymore. */
  isDead: boolean
}

function strike(pair: Pair, fault: NetworkFault): void {
  if (pair.isDead) return
  pair.isDead = true
  if (fault.do === 'reset') pair.client.resetAndDestroy()
  if (fault.do === 'end') pair.client.end()
  // Both sides must notice the fault themselves: nothing is read from either anymore.
  if (fault.do === 'blackhole') {
    pair.client.pause()
    pair.upstream.pause()
    return
  }
  pair.upstream.destroy()
}

function pass(bytes: Buffer, { client, upstream }: Pair, fault: NetworkFault): void {
  switch (fault.do) {
    case 'delay':
      setTimeout(() => client.write(bytes), fault.ms)
      return
    case 'throttle':
      trickle(bytes, { client, upstream }, fault)
      return
    default:
      if (client.write(bytes)) return
      // Stops reading while it cannot write: otherwise the proxy itself would buffer the data.
      upstream.pause()
      client.once('drain', () => upstream.resume())
  }
}

function trickle(
  bytes: Buffer,
  { client, upstream }: Pick<Pair, 'client' | 'upstream'>,
  { bytes: size, everyMs }: Extract<NetworkFault, { do: 'throttle' }>,
): void {
  upstream.pause()
  let rest = bytes
  const timer = setInterval(() => {
    client.write(rest.subarray(0, size))
    rest = rest.subarray(size)
    if (rest.length > 0 && !client.destroyed) return
    clearInterval(timer)
    upstream.resume()
  }, everyMs)
}
