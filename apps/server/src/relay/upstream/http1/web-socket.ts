import { randomBytes } from 'node:crypto'
import type { BudgetShare, ByteBudget } from '@sluice/http1/byte-budget'
import { acceptOf } from '@sluice/http1/handshake'
import { releaseBuffer } from '@sluice/http1/release-buffer'
import {
  BrokenFrames,
  closeFrame,
  FrameReader,
  type FrameSink,
  frameOf,
  framesOf,
  type Message,
  opcode,
} from '@sluice/http1/web-socket-frames'
import type { Deadline, Deadlines } from '../../../lib/deadlines.ts'
import { whenAborted } from '../../../lib/when-aborted.ts'
import { readCapped } from '../read-capped.ts'
import type { UpstreamClient, UpstreamResponse } from './client.ts'
import { createOutbox, type Outbox } from './outbox.ts'

/** Receives the messages of a connection. */
export interface MessageSink {
  message(message: Message): void
  /** Called once, as the last call. */
  closed(): void
  pong(): void
  /** Everything queued was sent. */
  drained(): void
}

export interface UpstreamSocket {
  /** Sends a message on unchanged. */
  pass(message: Message): void
  /** Queued bytes. */
  readonly waitingBytes: number
  /** Passes messages to the sink from now on; buffered messages first. */
  pipe(sink: MessageSink): void
  pause(): void
  resume(): void
  /** Sends a ping; the sink is called when the pong comes. */
  ping(): void
  close(code: number): void
}

/** The other side responded to the upgrade with another status. */
export class HandshakeRefused extends Error {
  readonly status: number
  readonly body: string

  constructor(status: number, body: string) {
    super(`the handshake failed with status ${status}`)
    this.status = status
    this.body = body
  }
}

interface OpenOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Address of the proxy; `null`: none. */
  readonly proxy: string | null
  /** As in a request. */
  readonly hops: string
  readonly signal: AbortSignal
}

export interface OpenDeps {
  readonly client: UpstreamClient
  readonly deadlines: Deadlines
  readonly messageBytesMax: number
  /** Memory for the long messages of all connections, while they arrive and until they are sent. */
  readonly longMessages: ByteBudget
}

/** Maximum bytes read of a refusal, which has the vendor's message. */
const refusalBytesMax = 64 * 1024

/** Opens a WebSocket (RFC 6455, 4.1) through the client of all requests: to a checked address, or through a proxy. */
export async function openWebSocket({ url, headers, proxy, hops, signal }: OpenOptions, deps: OpenDeps): Promise<UpstreamSocket> {
  const key = randomBytes(16).toString('base64')
  const drained = { act: (): void => {} }
  const leaving = deps.longMessages.share(() => {})
  const outbox = createOutbox({ drained: () => drained.act(), changed: () => leaving.keep(outbox.waitingBytes) })
  const handshakeHeaders = { ...headers, upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': key }
  const request = {
    method: 'GET',
    url,
    headers: handshakeHeaders,
    body: outbox.upload,
    isRepeatable: false,
    isUpgrade: true,
    proxy,
    hops,
  } as const
  const outbound = deps.client.send(request)
  const giveUp = (): void => outbound.abort()
  whenAborted(signal, giveUp)
  try {
    const response = await outbound.response
    const { status } = response
    if (status === 101 && response.header('sec-websocket-accept') === acceptOf(key)) return socketOf(response, { outbox, drained }, deps)
    if (status === 101) throw new Error('the handshake response does not match the request')
    const { bytes } = await readCapped(response, refusalBytesMax)
    throw new HandshakeRefused(status, new TextDecoder().decode(bytes))
  } catch (error) {
    outbound.abort()
    outbox.close()
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}

/** Close code for "no capacity now" (RFC 6455, 7.4.2, and IANA's list of codes: "Try Again Later"). */
const tryAgainLater = 1013
/** How long the other side may take to close the connection after the close frame. */
const closeMs = 2_000

/** Unpredictable, so that nobody can make us send bytes that a proxy would take for a request (RFC 6455, 10.3). */
const mask = (): Uint8Array => randomBytes(4)

interface Sending {
  readonly outbox: Outbox
  /** Called when everything queued was sent. */
  readonly drained: { act: () => void }
}

function socketOf(
  response: UpstreamResponse,
  { outbox, drained }: Sending,
  { deadlines, messageBytesMax, longMessages }: OpenDeps,
): UpstreamSocket {
  let sink: MessageSink | null = null
  /** The last ping, if the pong must wait until queued bytes are sent. */
  let lastPing: Uint8Array | null = null
  /** Bytes to be parsed in the next turn of the event loop. */
  let rest: Buffer | null = null
  let isPaused = false
  let hasSaidGoodbye = false
  let leaving: Deadline | null = null

  function write(code: number, data: string | Uint8Array): void {
    if (!hasSaidGoodbye) outbox.add(frameOf(code, data, mask()))
  }

  /** Bytes of the arriving message. */
  const arriving: BudgetShare = longMessages.share(() => {
    goodbye(tryAgainLater)
    reportClosed()
  })
  let isWaiting = false

  /** Sends a close frame with this code; what still arrives is ignored. */
  function goodbye(code: number): void {
    if (hasSaidGoodbye) return
    outbox.add(closeFrame(code, mask()))
    hasSaidGoodbye = true
    forget()
    leaving = deadlines.start(closeMs, () => response.abort())
  }

  function forget(): void {
    arriving.keep(0)
    rest = null
    reader.forget()
  }

  function reportClosed(): void {
    const lastSink = sink
    sink = null
    lastSink?.closed()
  }

  /** The connection is closed, and nothing is sent or received any more. */
  function over(): void {
    hasSaidGoodbye = true
    forget()
    outbox.close()
    if (leaving !== null) deadlines.cancel(leaving)
    reportClosed()
  }

  const frames: FrameSink = {
    message(message) {
      if (sink !== null) sink.message(message)
      else if (message.isOwned) releaseBuffer(message.bytes)
    },
    // One pong for the last of several pings is enough (RFC 6455, 5.5.3).
    ping(data) {
      if (outbox.waitingBytes > 0) lastPing = data
      else write(opcode.pong, data)
    },
    pong: () => sink?.pong(),
    close(code) {
      goodbye(code === 1005 ? 1000 : code)
      reportClosed()
    },
  }
  const reader = new FrameReader({ isMasked: false, messageBytesMax, sink: frames })

  drained.act = () => {
    const ping = lastPing
    lastPing = null
    if (ping !== null) write(opcode.pong, ping)
    sink?.drained()
  }

  function take(bytes: Uint8Array): void {
    if (hasSaidGoodbye) return
    if (rest === null) read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    else rest = Buffer.concat([rest, bytes])
  }

  function read(bytes: Buffer): void {
    try {
      rest = reader.pushSome(bytes)
    } catch (error) {
      if (!(error instanceof BrokenFrames)) throw error
      goodbye(error.code)
      reportClosed()
    }
    if (hasSaidGoodbye) {
      rest = null
      return
    }
    if (rest !== null) readOnNextTurn()
    countArriving()
  }

  /** Pauses reading from this connection while the long messages of all connections exceed their memory. */
  function countArriving(): void {
    const turn = arriving.grow(reader.keptBytes, reader.wholeBytes)
    if (turn === null) return
    isWaiting = true
    response.pause()
    void turn.then(() => {
      isWaiting = false
      resumeWhereFree()
    })
  }

  function resumeWhereFree(): void {
    if (rest === null && !isPaused && !isWaiting) response.resume()
  }

  /** Continues in the next turn, so that many small frames do not block other requests. */
  function readOnNextTurn(): void {
    response.pause()
    setImmediate(() => {
      const left = rest
      rest = null
      if (left !== null) read(left)
      resumeWhereFree()
    })
  }

  return {
    pass(message) {
      if (!hasSaidGoodbye) for (const piece of framesOf(message, mask())) outbox.add(piece)
    },
    get waitingBytes() {
      return outbox.waitingBytes
    },
    pipe(next) {
      sink = next
      response.pipe({ data: take, end: over, fail: over })
    },
    pause() {
      isPaused = true
      response.pause()
    },
    resume() {
      isPaused = false
      resumeWhereFree()
    },
    ping: () => write(opcode.ping, new Uint8Array()),
    close: goodbye,
  }
}
