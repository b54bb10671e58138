import type { Deadlines } from '../../lib/deadlines.ts'
import { type Connection, connect, type Exchange, type Peer } from './connection.ts'
import type { ResponseHead } from './response-parser.ts'

export interface BodySink {
  data(bytes: Uint8Array): void
  end(): void
  fail(error: unknown): void
}

export interface UpstreamResponse {
  readonly status: number
  header(name: string): string | null
  /** The body flows into the sink from now on; what has come already comes first, at once. */
  pipe(sink: BodySink): void
  /** Holds the other side back, until `resume`. */
  pause(): void
  resume(): void
  /** Ends it at once. The sink hears nothing more. */
  abort(): void
}

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** `null`: none. */
  readonly body: string | null
}

/** A request under way. */
export interface Outbound {
  /** Resolves with the head. Rejects where none came. */
  readonly response: Promise<UpstreamResponse>
  /** Ends it at once, whether the response has begun or not. */
  abort(): void
}

export interface UpstreamClient {
  send(request: UpstreamRequest): Outbound
  /** Closes what is not in use. */
  close(): void
}

interface ClientDeps {
  readonly deadlines: Deadlines
  /** Where an origin may be reached. Rejects where it may not, or has no address. */
  readonly addressesOf: (origin: string) => Promise<readonly string[]>
}

/** How long one address may take to be connected to, TLS included. */
const connectMs = 10_000

/**
 * A client of HTTP/1.1 for vendors: one connection carries one request at a time and is kept for the next. It connects to addresses
 * that were checked, and what passes through it meets no buffer on the way.
 */
export function createUpstreamClient({ deadlines, addressesOf }: ClientDeps): UpstreamClient {
  const idle = new Map<string, Connection[]>()

  function ownerFor(origin: string): Parameters<typeof connect>[1] {
    return {
      free(connection) {
        const waiting = idle.get(origin)
        if (waiting === undefined) idle.set(origin, [connection])
        else waiting.push(connection)
      },
      gone(connection) {
        const waiting = idle.get(origin)?.filter((other) => other !== connection) ?? []
        if (waiting.length === 0) idle.delete(origin)
        else idle.set(origin, waiting)
      },
    }
  }

  async function open({ origin, port, serverName }: Target): Promise<Connection> {
    let last: unknown = new Error('the name has no address')
    for (const address of await addressesOf(origin)) {
      try {
        return await inTime({ address, port, serverName }, origin)
      } catch (error) {
        last = error
      }
    }
    throw last
  }

  function inTime(peer: Peer, origin: string): Promise<Connection> {
    return new Promise((resolve, reject) => {
      let isLate = false
      const deadline = deadlines.start(connectMs, () => {
        isLate = true
        reject(new Error('connecting took too long'))
      })
      connect(peer, ownerFor(origin))
        .then((connection) => (isLate ? connection.destroy() : resolve(connection)), reject)
        .finally(() => deadlines.cancel(deadline))
    })
  }

  return {
    send: (request) => startRequest(request, { take: (origin) => idle.get(origin)?.pop(), open }),
    close() {
      for (const connection of [...idle.values()].flat()) connection.destroy()
      idle.clear()
    },
  }
}

interface Connections {
  readonly take: (origin: string) => Connection | undefined
  readonly open: (target: Target) => Promise<Connection>
}

function startRequest(request: UpstreamRequest, { take, open }: Connections): Outbound {
  const { promise, resolve, reject } = Promise.withResolvers<UpstreamResponse>()
  const early: Uint8Array[] = []
  let sink: BodySink | null = null
  let connection: Connection | null = null
  let isAborted = false
  let over: 'no' | 'ended' | { readonly error: unknown } = 'no'

  const responseOf = ({ status, headers }: ResponseHead): UpstreamResponse => ({
    status,
    header: (name) => headers.get(name) ?? null,
    pipe(next) {
      for (const bytes of early.splice(0)) next.data(bytes)
      sink = next
      if (over === 'ended') next.end()
      else if (over !== 'no') next.fail(over.error)
    },
    pause: () => connection?.pause(),
    resume: () => connection?.resume(),
    abort,
  })

  const exchange: Exchange = {
    head: (head) => resolve(responseOf(head)),
    data(bytes) {
      if (sink === null) early.push(bytes)
      else sink.data(bytes)
    },
    end() {
      over = 'ended'
      connection = null
      sink?.end()
    },
    fail(error, isUntouched) {
      // The other side closed a kept connection just when we used it: nothing was lost, so a new one may try.
      if (isUntouched && connection?.isReused) return start(true)
      over = { error }
      reject(error)
      sink?.fail(error)
    },
  }

  function abort(): void {
    isAborted = true
    connection?.destroy()
    reject(new Error('the request was ended'))
  }

  const use = (ready: Connection, bytes: Buffer): void => {
    connection = ready
    if (isAborted) ready.destroy()
    else ready.send(bytes, exchange)
  }

  function start(isFresh: boolean): void {
    try {
      const target = targetOf(request.url)
      const bytes = requestBytes(target, request)
      const kept = isFresh ? undefined : take(target.origin)
      if (kept === undefined) open(target).then((opened) => use(opened, bytes), reject)
      else use(kept, bytes)
    } catch (error) {
      reject(error)
    }
  }

  start(false)

  return { response: promise, abort }
}

/** Where a request goes, as the wire names it. */
interface Target {
  readonly origin: string
  /** What stands in the `Host` header. */
  readonly host: string
  readonly port: number
  readonly serverName: string | null
  readonly path: string
}

/** @throws TypeError where the address is none */
function targetOf(address: string): Target {
  const { protocol, origin, host, hostname, port, pathname, search } = new URL(address)
  const isSecure = protocol === 'https:'
  return {
    origin,
    host,
    port: port === '' ? (isSecure ? 443 : 80) : Number(port),
    serverName: isSecure ? hostname.replace(/^\[|\]$/g, '') : null,
    path: pathname + search,
  }
}

/** Values may hold what RFC 9110 allows in a field, and no byte that would end it. */
const fieldValue = /^[\t\x20-\x7e\x80-\xff]*$/

/** @throws TypeError where a header cannot be sent as it is */
function requestBytes({ host, path }: Target, { method, headers, body }: UpstreamRequest): Buffer {
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nuser-agent: Sluice\r\nconnection: keep-alive\r\n`
  if (body !== null) head += `content-length: ${Buffer.byteLength(body)}\r\n`
  for (const [name, value] of Object.entries(headers)) {
    if (!fieldValue.test(value)) throw new TypeError(`the header ${name} cannot be sent`)
    head += `${name}: ${value}\r\n`
  }
  return Buffer.concat([Buffer.from(`${head}\r\n`, 'latin1'), Buffer.from(body ?? '')])
}
