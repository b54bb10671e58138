import type { Clock } from '../../lib/clock.ts'
import type { Deadlines } from '../../lib/deadlines.ts'
import { createLru } from '../../lib/lru.ts'
import { ForbiddenAddress } from '../resolve-guard.ts'
import { type Connection, connect, type Exchange, type Peer, type Upload } from './connection.ts'
import { MalformedResponse, type ResponseHead } from './response-parser.ts'
import { type Handshake, handshakeWith, parseProxy } from './tunnel.ts'

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
  /** Ends it at once. The sink hears that it failed, unless it was over. */
  abort(): void
}

export interface UpstreamRequest {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** `null`: none. An upload is sent as fast as the other side takes it. */
  readonly body: string | Upload | null
  /**
   * The other side may close a kept connection just when it is used. Whether it has seen the request cannot be known then, and `true` sends it
   * once more over a new connection: where doing it twice harms less than an answer that fails.
   */
  readonly isRepeatable: boolean
  /** Address of the proxy that it goes through, with its login; `null`: none. */
  readonly proxy: string | null
  /** It asks for another protocol. Where it gets it, the body is what is said from then on, and so is the body of the response. */
  readonly isUpgrade?: boolean
}

/** A request under way. */
export interface Outbound {
  /** Resolves with the head. Rejects where none came. */
  readonly response: Promise<UpstreamResponse>
  /** Whether something of the request has left: until then nobody can have acted on it. */
  readonly isSent: boolean
  /** Ends it at once, whether the response has begun or not. Whoever waits for the rest of it hears that it failed. */
  abort(): void
}

export interface UpstreamClient {
  send(request: UpstreamRequest): Outbound
  /** Closes what is not in use. */
  close(): void
}

interface ClientDeps {
  readonly clock: Clock
  readonly deadlines: Deadlines
  /** Where an origin may be reached. Rejects where it may not, or has no address. */
  readonly addressesOf: (origin: string) => Promise<readonly string[]>
  /** Whether an origin may be asked for by its name, where a proxy looks the name up. */
  readonly mayBeNamed: (origin: string) => boolean
}

/** How long an unused connection is kept. */
const sweepMs = 60_000
/** Addresses kept parsed. */
const targetsMax = 1_000
/** How long a name may take to be resolved, and one address to be reached. */
const connectMs = 5_000
/** How long TLS may take after that. */
const tlsMs = 5_000

/**
 * A client of HTTP/1.1 for vendors: one connection carries one request at a time and is kept for the next. It connects to addresses
 * that were checked, and what passes through it meets no buffer on the way.
 */
export function createUpstreamClient({ clock, deadlines, addressesOf, mayBeNamed }: ClientDeps): UpstreamClient {
  /** By the way they lead. */
  const idle = new Map<string, Resting[]>()
  const targets = createLru<string, Target>(targetsMax)
  let sweeping: ReturnType<Deadlines['start']> | null = null

  /** Closes what nobody has used for long, and looks again later. */
  function sweep(): void {
    sweeping = null
    const now = clock.monotonicMs()
    for (const [way, waiting] of idle) {
      for (const { connection, untilMs } of waiting) if (untilMs <= now) connection.destroy()
      keep(
        way,
        waiting.filter(({ untilMs }) => untilMs > now),
      )
    }
  }

  function keep(way: string, waiting: Resting[]): void {
    if (waiting.length === 0) idle.delete(way)
    else idle.set(way, waiting)
    if (idle.size > 0) sweeping ??= deadlines.start(sweepMs, sweep)
  }

  function ownerFor(way: string): Parameters<typeof connect>[1] {
    return {
      free(connection) {
        const resting = { connection, untilMs: clock.monotonicMs() + connection.keepMs }
        const waiting = idle.get(way)
        if (waiting === undefined) keep(way, [resting])
        else waiting.push(resting)
      },
      gone(connection) {
        keep(way, idle.get(way)?.filter((resting) => resting.connection !== connection) ?? [])
      },
    }
  }

  /** The one used last, as long as the other side can be trusted to keep it still. */
  function take(way: string): Connection | undefined {
    const resting = idle.get(way)?.pop()
    if (resting === undefined || resting.untilMs > clock.monotonicMs()) return resting?.connection
    resting.connection.destroy()
    return undefined
  }

  function target(url: string, proxy: string | null): Target {
    const known = targets.get(url)
    if (known?.proxy === proxy) return known
    const parsed = { ...parseTarget(url), proxy }
    targets.set(url, parsed)
    return parsed
  }

  /** Who is connected to: the vendor, or the proxy that leads there. */
  function firstStop({ origin, hostname, port, proxy }: Target): FirstStop {
    if (proxy === null) return { origin, port, tunnel: () => null }
    if (!mayBeNamed(origin)) throw new ForbiddenAddress('forbidden address behind a proxy')
    const parsed = parseProxy(proxy)
    return {
      origin: `http://${parsed.host}:${parsed.port}`,
      port: parsed.port,
      tunnel: () => handshakeWith(parsed, { host: hostname, port }),
    }
  }

  async function open(target: Target): Promise<Connection> {
    const { origin, port, tunnel } = firstStop(target)
    let last: unknown = new Error('the name has no address')
    for (const address of await resolved(origin)) {
      try {
        return await inTime({ address, port, serverName: target.serverName, tunnel: tunnel() }, wayTo(target))
      } catch (error) {
        last = error
      }
    }
    throw last
  }

  /** A name that nobody answers for must not keep a request for ever. */
  function resolved(origin: string): Promise<readonly string[]> {
    const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>()
    const deadline = deadlines.start(connectMs, () => reject(new Error('looking the name up took too long')))
    addressesOf(origin)
      .then(resolve, reject)
      .finally(() => deadlines.cancel(deadline))
    return promise
  }

  function inTime(peer: Peer, way: string): Promise<Connection> {
    return new Promise((resolve, reject) => {
      let isLate = false
      let phase = 'connecting'
      const deadline = deadlines.start(connectMs, () => {
        isLate = true
        reject(new Error(`${phase} took too long`))
      })
      const reached = (): void => {
        phase = 'the TLS handshake'
        deadline.at = clock.monotonicMs() + tlsMs
      }
      connect(peer, ownerFor(way), reached)
        .then((connection) => (isLate ? connection.destroy() : resolve(connection)), reject)
        .finally(() => deadlines.cancel(deadline))
    })
  }

  return {
    send: (request) => startRequest(request, { target, take, open }),
    close() {
      for (const { connection } of [...idle.values()].flat()) connection.destroy()
      idle.clear()
      if (sweeping !== null) deadlines.cancel(sweeping)
    },
  }
}

interface FirstStop {
  readonly origin: string
  readonly port: number
  /** A new one for each try. */
  readonly tunnel: () => Handshake | null
}

/** What connections are kept by: one through a proxy serves nobody who does not go through it. */
function wayTo({ origin, proxy }: Target): string {
  return proxy === null ? origin : `${proxy} ${origin}`
}

interface Resting {
  readonly connection: Connection
  readonly untilMs: number
}

interface Connections {
  /** @throws TypeError where the address is none */
  readonly target: (url: string, proxy: string | null) => Target
  readonly take: (way: string) => Connection | undefined
  readonly open: (target: Target) => Promise<Connection>
}

function startRequest(request: UpstreamRequest, { target: targetFor, take, open }: Connections): Outbound {
  const { promise, resolve, reject } = Promise.withResolvers<UpstreamResponse>()
  const early: Uint8Array[] = []
  let sink: BodySink | null = null
  let connection: Connection | null = null
  let isAborted = false
  let isSent = false
  let over: 'no' | 'ended' | { readonly error: unknown } = 'no'

  const responseOf = ({ status, header }: ResponseHead): UpstreamResponse => ({
    status,
    header,
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
    head(head) {
      if (head.status === 101 && request.isUpgrade !== true) throw new MalformedResponse('the server switched the protocol')
      resolve(responseOf(head))
    },
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
      if (isUntouched && connection?.isReused && request.isRepeatable) return start(true)
      fail(error)
    },
  }

  function fail(error: unknown): void {
    if (over !== 'no') return
    over = { error }
    reject(error)
    sink?.fail(error)
  }

  function abort(): void {
    isAborted = true
    connection?.destroy()
    fail(new Error('the request was ended'))
  }

  const { body } = request
  const upload = typeof body === 'string' ? null : body

  const use = (ready: Connection, text: string): void => {
    connection = ready
    if (isAborted) ready.destroy()
    else {
      isSent = true
      ready.send(text, exchange, upload)
    }
  }

  function start(isFresh: boolean): void {
    try {
      const target = targetFor(request.url, request.proxy)
      const text = requestText(target, request)
      const kept = isFresh ? undefined : take(wayTo(target))
      if (kept === undefined) open(target).then((opened) => use(opened, text), reject)
      else use(kept, text)
    } catch (error) {
      reject(error)
    }
  }

  start(request.isUpgrade === true)

  return {
    response: promise,
    get isSent() {
      return isSent
    },
    abort,
  }
}

/** Where a request goes, as the wire names it. */
interface Target {
  readonly origin: string
  /** What stands in the `Host` header. */
  readonly host: string
  readonly port: number
  readonly serverName: string | null
  readonly path: string
  /** Without port, as it is looked up. */
  readonly hostname: string
  /** Address of the proxy that leads there; `null`: none. */
  readonly proxy: string | null
}

/** @throws TypeError where the address is none */
function parseTarget(address: string): Omit<Target, 'proxy'> {
  const { protocol, origin, host, hostname, port, pathname, search } = new URL(address)
  const isSecure = protocol === 'https:'
  return {
    origin,
    host,
    port: port === '' ? (isSecure ? 443 : 80) : Number(port),
    serverName: isSecure ? hostname.replace(/^\[|\]$/g, '') : null,
    path: pathname + search,
    hostname,
  }
}

/** Values are plain text: RFC 9110 allows more, but no byte that would end the field, and nobody needs more. */
const fieldValue = /^[\t\x20-\x7e]*$/

/** All of a request but an upload. @throws TypeError where a header cannot be sent as it is */
function requestText({ host, path }: Target, { method, headers, body, isUpgrade = false }: UpstreamRequest): string {
  const stays = isUpgrade ? 'Upgrade' : 'keep-alive'
  let head = `${method} ${path} HTTP/1.1\r\nhost: ${host}\r\nuser-agent: Sluice\r\nconnection: ${stays}\r\n`
  if (body !== null && !isUpgrade) head += `content-length: ${typeof body === 'string' ? Buffer.byteLength(body) : body.byteLength}\r\n`
  for (const [name, value] of Object.entries(headers)) {
    if (!fieldValue.test(value)) throw new TypeError(`the header ${name} cannot be sent`)
    head += `${name}: ${value}\r\n`
  }
  return `${head}\r\n${typeof body === 'string' ? body : ''}`
}
