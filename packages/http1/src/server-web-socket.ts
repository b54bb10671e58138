import type { BudgetShare, ByteBudget } from './byte-budget.ts'
import type { TakenOver } from './connection-deps.ts'
import { fieldLines } from './fields.ts'
import { giveBack } from './give-back.ts'
import { acceptOf, isHandshake } from './handshake.ts'
import { heldBy } from './read-gate.ts'
import type { ReceivedRequest } from './received.ts'
import type { ServerConnection } from './server-connection.ts'
import type { Deadline, Deadlines } from './time.ts'
import { BrokenFrames, closeFrame, FrameReader, type FrameSink, frameOf, framesOf, type Message, opcode } from './web-socket-frames.ts'

/** The client's end of a connection of messages. */
export interface ClientSocket {
  send(data: string | Uint8Array): void
  /** Sends a message on as it came. */
  pass(message: Message): void
  /** Bytes that wait to be taken. */
  waitingBytes(): number
  /** Takes no further message, until `resume`. The client waits. */
  pause(): void
  resume(): void
  close(code: number): void
}

export interface SocketHandlers {
  open(socket: ClientSocket): void
  message(message: Message): void
  /** What waited has been taken. */
  drain(): void
  /** Called once; nothing comes after it. */
  close(): void
}

interface WebSocketDeps {
  readonly messageBytesMax: number
  readonly deadlines: Deadlines
  /** What the long messages of all connections may have together while they arrive and wait to be sent. */
  readonly longMessages: ByteBudget
}

/** Bytes that may wait for a client that takes nothing; beyond it the connection ends. */
const waitingBytesMax = 32 * 1024 * 1024
/** How often a client is asked for a sign of life, in milliseconds. One that gives none until the next time has gone. */
const pingMs = 30_000
/** The code of an end that says that there is no room now (RFC 6455, 7.4.2, and IANA's list of codes: "Try Again Later"). */
const tryAgainLater = 1013
/** Bytes of messages after which the collector is called. */
const collectedBytes = 8 * 1024 * 1024
/** What was read and copied is given back at once from here on. */
const givenBackBytes = 64 * 1024

interface Upgrade {
  readonly request: ReceivedRequest
  readonly connection: ServerConnection
  readonly handlers: SocketHandlers
  readonly headers: Readonly<Record<string, string>>
}

/** Accepts the handshake of a client (RFC 6455, 4.2). @returns `false`: it is none, or the client has gone */
export function acceptWebSocket({ request, connection, handlers, headers }: Upgrade, deps: WebSocketDeps): boolean {
  if (!isHandshake(request)) return false
  const key = request.headers.get('sec-websocket-key') ?? ''
  const agreed = fieldLines({ upgrade: 'websocket', 'sec-websocket-accept': acceptOf(key), ...headers })
  const socket = new ServerWebSocket(connection, handlers, deps)
  if (!connection.takeOver(`HTTP/1.1 101 Switching Protocols\r\nconnection: Upgrade\r\n${agreed}\r\n`, socket)) return false
  handlers.open(socket)
  connection.giveAhead()
  return true
}

/** How long the other side may take to answer a close with a close. */
const closeMs = 2_000

class ServerWebSocket implements ClientSocket, TakenOver {
  readonly #connection: ServerConnection
  readonly #handlers: SocketHandlers
  readonly #deadlines: Deadlines
  readonly #reader: FrameReader
  #beat: Deadline
  #isAlive = true
  /** It is not read, so nothing can be heard of it. */
  #isHeld = false
  #hasSaidGoodbye = false
  #uncollectedBytes = 0
  /** Of the message that is arriving, and of what waits for the client. */
  readonly #arriving: BudgetShare
  readonly #leaving: BudgetShare
  /** What the client says now is not looked at. */
  #isDeaf = false
  /** What waits for the next turn. */
  #rest: Buffer | null = null
  /** The last ping, where the answer to it has to wait for the client to take what was sent before. */
  #ping: Uint8Array | null = null

  constructor(connection: ServerConnection, handlers: SocketHandlers, { messageBytesMax, deadlines, longMessages }: WebSocketDeps) {
    this.#connection = connection
    this.#handlers = handlers
    this.#deadlines = deadlines
    this.#reader = new FrameReader({ isMasked: true, messageBytesMax, sink: this.#frames() })
    this.#arriving = longMessages.share(() => this.#goodbye(tryAgainLater))
    this.#leaving = longMessages.share(() => {})
    this.#beat = this.#startBeat()
  }

  send(data: string | Uint8Array): void {
    const isText = typeof data === 'string'
    this.#write(frameOf(isText ? opcode.text : opcode.binary, data))
  }

  pass(message: Message): void {
    for (const piece of framesOf(message, null)) this.#write(piece)
    if (!message.isOwned) return
    if (this.#connection.waitingBytes === 0) giveBack(message.bytes)
    else this.#collectAfter(message.bytes.length)
  }

  waitingBytes(): number {
    return this.#connection.waitingBytes
  }

  close(code: number): void {
    if (this.#hasSaidGoodbye) return
    this.#write(closeFrame(code))
    this.#hasSaidGoodbye = true
    this.#deadlines.cancel(this.#beat)
    this.#beat = this.#deadlines.start(closeMs, () => this.#connection.destroy())
  }

  pause(): void {
    this.#isHeld = true
    this.#connection.hold(heldBy.messages)
  }

  resume(): void {
    this.#isHeld = false
    this.#connection.release(heldBy.messages)
  }

  data(bytes: Buffer): void {
    this.#isAlive = true
    if (this.#rest !== null) this.#rest = Buffer.concat([this.#rest, bytes])
    else this.#read(bytes)
  }

  #read(bytes: Buffer): void {
    if (this.#isDeaf) return
    try {
      this.#rest = this.#reader.pushSome(bytes)
    } catch (error) {
      if (!(error instanceof BrokenFrames)) throw error
      this.#goodbye(error.code)
    }
    if (this.#rest !== null) this.#readOnNextTurn()
    else if (bytes.buffer.byteLength >= givenBackBytes) giveBack(bytes)
    this.#countArriving()
  }

  /** Where the long messages of all connections have too many bytes, this one is not read for a while. */
  #countArriving(): void {
    if (this.#isDeaf) return
    const turn = this.#arriving.grow(this.#reader.keptBytes, this.#reader.wholeBytes)
    if (turn === null) return
    this.#connection.hold(heldBy.budget)
    void turn.then(() => this.#connection.release(heldBy.budget))
  }

  #readOnNextTurn(): void {
    this.#connection.hold(heldBy.backlog)
    setImmediate(() => {
      const rest = this.#rest
      this.#rest = null
      if (rest !== null) this.#read(rest)
      if (this.#rest === null) this.#connection.release(heldBy.backlog)
    })
  }

  drained(): void {
    this.#leaving.keep(0)
    const ping = this.#ping
    this.#ping = null
    if (ping !== null) this.#pong(ping)
    this.#handlers.drain()
  }

  ended(): void {
    this.#connection.destroy()
  }

  closed(): void {
    this.#hasSaidGoodbye = true
    this.#isDeaf = true
    this.#rest = null
    this.#arriving.keep(0)
    this.#leaving.keep(0)
    this.#reader.forget()
    this.#deadlines.cancel(this.#beat)
    this.#handlers.close()
  }

  #frames(): FrameSink {
    return {
      message: (message) => {
        if (!this.#hasSaidGoodbye) this.#handlers.message(message)
        else if (message.isOwned) giveBack(message.bytes)
        if (!message.isOwned) this.#collectAfter(message.bytes.length)
      },
      ping: (data) => this.#pong(data),
      pong: () => {},
      close: (code) => this.#goodbye(code === 1005 ? 1000 : code),
    }
  }

  /** While something waits to be taken, only the last ping is remembered: one answer is enough (RFC 6455, 5.5.3). */
  #pong(data: Uint8Array): void {
    if (this.#connection.waitingBytes > 0) this.#ping = data
    else this.#write(frameOf(opcode.pong, data))
  }

  /** What large messages leave behind is given back soon: the collector lets a hundred megabytes of them lie before it comes by. */
  #collectAfter(bytes: number): void {
    this.#uncollectedBytes += bytes
    if (this.#uncollectedBytes < collectedBytes) return
    this.#uncollectedBytes = 0
    setImmediate(() => Bun.gc(true))
  }

  /** The other side ends it, or must be left. */
  #goodbye(code: number): void {
    this.#isDeaf = true
    this.#arriving.keep(0)
    this.#reader.forget()
    this.close(code)
    this.#connection.finish()
  }

  #write(frame: Buffer): void {
    if (this.#hasSaidGoodbye) return
    const waitingBytes = this.#connection.send(frame)
    this.#leaving.keep(waitingBytes)
    if (waitingBytes > waitingBytesMax) this.#connection.destroy()
  }

  #startBeat(): Deadline {
    return this.#deadlines.start(pingMs, () => this.#onBeat())
  }

  #onBeat(): void {
    if (!this.#isAlive && !this.#isHeld) {
      this.#connection.destroy()
      return
    }
    this.#isAlive = false
    this.#beat = this.#startBeat()
    this.#write(frameOf(opcode.ping, new Uint8Array()))
  }
}
