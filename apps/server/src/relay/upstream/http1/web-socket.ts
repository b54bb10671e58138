import { randomBytes } from 'node:crypto'
import type { BudgetShare, ByteBudget } from '@sluice/http1/byte-budget'
import { giveBack } from '@sluice/http1/give-back'
import { acceptOf } from '@sluice/http1/handshake'
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

/** One end of a connection of messages. */
export interface MessageSink {
  message(message: Message): void
  /** Called once; nothing comes after it. */
  closed(): void
  pong(): void
  /** Everything that waited has been taken. */
  drained(): void
}

export interface UpstreamSocket {
  /** Sends a message on as it came. */
  pass(message: Message): void
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
  readonly body: string

  constructor(status: number, body: string) {
    super(`the handshake was answered with status ${status}`)
    this.status = status
    this.body = body
  }
}

interface OpenOptions {
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  /** Address of the proxy that it goes through; `null`: none. */
  readonly proxy: string | null
  /** As a request has them. */
  readonly hops: string
  readonly signal: AbortSignal
}

interface OpenDeps {
  readonly client: UpstreamClient
  readonly deadlines: Deadlines
  readonly messageBytesMax: number
  /** What the long messages of all connections may have together while they arrive and wait to be sent. */
  readonly longMessages: ByteBudget
}

/** Most bytes of a refusal that are read: it says what is wrong in the vendor's words. */
const refusalBytesMax = 64 * 1024

/** Opens it (RFC 6455, 4.1) by the way that every request takes: to an address that was checked, and through a proxy where one is set. */
export async function openWebSocket({ url, headers, proxy, hops, signal }: OpenOptions, deps: OpenDeps): Promise<UpstreamSocket> {
  const key = randomBytes(16).toString('base64')
  const drained = { act: (): void => {} }
  const leaving = deps.longMessages.share(() => {})
  const outbox = createOutbox({ drained: () => drained.act(), changed: () => leaving.keep(outbox.waitingBytes) })
  const asked = { ...headers, upgrade: 'websocket', 'sec-websocket-version': '13', 'sec-websocket-key': key }
  const request = { method: 'GET', url, headers: asked, body: outbox.upload, isRepeatable: false, isUpgrade: true, proxy, hops } as const
  const outbound = deps.client.send(request)
  const giveUp = (): void => outbound.abort()
  whenAborted(signal, giveUp)
  try {
    const response = await outbound.response
    const { status } = response
    if (status === 101 && response.header('sec-websocket-accept') === acceptOf(key)) return socketOf(response, { outbox, drained }, deps)
    if (status === 101) throw new Error('the answer to the handshake is not to this one')
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

/** The code of an end that says that there is no room now (RFC 6455, 7.4.2, and IANA's list of codes: "Try Again Later"). */
const tryAgainLater = 1013
/** How long the other side may take to end the connection once it was said that it is over. */
const closeMs = 2_000

/** Nobody can foresee it, so that nobody can make us send bytes that something on the way takes for a request (RFC 6455, 10.3). */
const mask = (): Uint8Array => randomBytes(4)

interface Sending {
  readonly outbox: Outbox
  /** What is done when all of it has been taken. */
  readonly drained: { act: () => void }
}

function socketOf(
  response: UpstreamResponse,
  { outbox, drained }: Sending,
  { deadlines, messageBytesMax, longMessages }: OpenDeps,
): UpstreamSocket {
  let sink: MessageSink | null = null
  /** The last ping, where the answer to it has to wait until the other side takes what was sent before. */
  let lastPing: Uint8Array | null = null
  /** What waits for the next turn of the event loop. */
  let rest: Buffer | null = null
  let isPaused = false
  let hasSaidGoodbye = false
  let leaving: Deadline | null = null

  function write(code: number, data: string | Uint8Array): void {
    if (!hasSaidGoodbye) outbox.add(frameOf(code, data, mask()))
  }

  /** Of the message that is arriving. */
  const arriving: BudgetShare = longMessages.share(() => {
    goodbye(tryAgainLater)
    tellClosed()
  })
  let isWaiting = false

  function goodbye(code: number): void {
    arriving.keep(0)
    if (hasSaidGoodbye) return
    outbox.add(closeFrame(code, mask()))
    hasSaidGoodbye = true
    leaving = deadlines.start(closeMs, () => response.abort())
  }

  function tellClosed(): void {
    const told = sink
    sink = null
    told?.closed()
  }

  /** Nothing moves on the connection any more. */
  function over(): void {
    hasSaidGoodbye = true
    arriving.keep(0)
    reader.forget()
    outbox.close()
    if (leaving !== null) deadlines.cancel(leaving)
    tellClosed()
  }

  const frames: FrameSink = {
    message(message) {
      if (sink !== null) sink.message(message)
      else if (message.isOwned) giveBack(message.bytes)
    },
    // One answer to the last of several is enough (RFC 6455, 5.5.3).
    ping(data) {
      if (outbox.waitingBytes > 0) lastPing = data
      else write(opcode.pong, data)
    },
    pong: () => sink?.pong(),
    close(code) {
      goodbye(code === 1005 ? 1000 : code)
      tellClosed()
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
    if (rest === null) read(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength))
    else rest = Buffer.concat([rest, bytes])
  }

  function read(bytes: Buffer): void {
    try {
      rest = reader.pushSome(bytes)
    } catch (error) {
      if (!(error instanceof BrokenFrames)) throw error
      goodbye(error.code)
      tellClosed()
    }
    if (rest !== null) readOnNextTurn()
    if (!hasSaidGoodbye) countArriving()
  }

  /** Where the long messages of all connections have too many bytes, this one is not read for a while. */
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

  /** Many small frames must not keep everybody else waiting. */
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
