import type { BudgetShare, ByteBudget } from './byte-budget.ts'
import type { TakenOver } from './connection-deps.ts'
import { fieldLines } from './fields.ts'
import type { Garbage } from './garbage.ts'
import { acceptOf, isHandshake } from './handshake.ts'
import type { ReceivedRequest } from './incoming-request.ts'
import { heldBy } from './read-gate.ts'
import { releaseBuffer } from './release-buffer.ts'
import type { ServerConnection } from './server-connection.ts'
import type { Deadline, Deadlines } from './time.ts'
import { BrokenFrames, closeFrame, FrameReader, type FrameSink, frameOf, framesOf, type Message, opcode } from './web-socket-frames.ts'

/** The server's view of a client's WebSocket. */
export interface ClientSocket {
  send(data: string | Uint8Array): void
  /** Forwards a received message unchanged. */
  pass(message: Message): void
  /** Bytes that wait for the client. */
  waitingBytes(): number
  /** Reads no further message until `resume`. */
  pause(): void
  resume(): void
  close(code: number): void
}

export interface SocketHandlers {
  open(socket: ClientSocket): void
  message(message: Message): void
  /** Called when the client has taken all waiting bytes. */
  drain(): void
  /** Called once, after all other events. */
  close(): void
}

interface WebSocketDeps {
  readonly messageBytesMax: number
  readonly deadlines: Deadlines
  /** Memory limit for the long messages of all connections, both arriving and waiting to be sent. */
  readonly longMessages: ByteBudget
  /** Counts the used messages of all connections: with a count of each, many connections would leave as many times the garbage. */
  readonly garbage: Garbage
}

/** Bytes of messages after which garbage collection is requested. */
export const collectedBytes = 8 * 1024 * 1024
/** Most bytes that wait for a client that reads nothing; beyond this the connection is closed. */
const waitingBytesMax = 32 * 1024 * 1024
/** Interval of pings in milliseconds. A client that sends nothing between two pings counts as disconnected. */
const pingMs = 30_000
/** Close code for a lack of memory (RFC 6455, 7.4.2, and IANA's list of codes: "Try Again Later"). */
const tryAgainLater = 1013
/** Bytes that the objects of a message leave behind, in addition to its own: a message of one byte costs little less than one of a hundred. */
const messageCost = 256
/** Reads of at least this size are freed at once after they were copied. */
const releaseBytesMin = 64 * 1024

interface Upgrade {
  readonly request: ReceivedRequest
  readonly connection: ServerConnection
  readonly handlers: SocketHandlers
  readonly headers: Readonly<Record<string, string>>
}

/** Accepts the handshake of a client (RFC 6455, 4.2). @returns `false` = not a handshake, or the client has disconnected */
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

/** How long the client may take to respond to a close frame. */
const closeMs = 2_000

class ServerWebSocket implements ClientSocket, TakenOver {
  readonly #connection: ServerConnection
  readonly #handlers: SocketHandlers
  readonly #deadlines: Deadlines
  readonly #reader: FrameReader
  #beat: Deadline
  #isAlive = true
  /** The socket is not read, so a missing pong means nothing. */
  #isHeld = false
  #hasSaidGoodbye = false
  readonly #garbage: Garbage
  /** Shares of the arriving message, and of the bytes that wait for the client. */
  readonly #arriving: BudgetShare
  readonly #leaving: BudgetShare
  /** Received bytes are ignored from now on. */
  #isDeaf = false
  /** Received bytes that are handled in the next turn. */
  #rest: Buffer | null = null
  /** The last ping, if its pong has to wait until the client has taken earlier bytes. */
  #ping: Uint8Array | null = null

  constructor(
    connection: ServerConnection,
    handlers: SocketHandlers,
    { messageBytesMax, deadlines, longMessages, garbage }: WebSocketDeps,
  ) {
    this.#garbage = garbage
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
    this.#garbage.add(messageCost)
    if (!message.isOwned) return
    if (this.#connection.waitingBytes === 0) releaseBuffer(message.bytes)
    else this.#garbage.add(message.bytes.length)
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
    else if (bytes.buffer.byteLength >= releaseBytesMin) releaseBuffer(bytes)
    this.#countArriving()
  }

  /** Pauses this connection while the long messages of all connections exceed their budget. */
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
        else if (message.isOwned) releaseBuffer(message.bytes)
        this.#garbage.add(messageCost + (message.isOwned ? 0 : message.bytes.length))
      },
      ping: (data) => this.#pong(data),
      pong: () => {},
      close: (code) => this.#goodbye(code === 1005 ? 1000 : code),
    }
  }

  /** While bytes wait for the client, only the last ping is kept: one pong is enough (RFC 6455, 5.5.3). */
  #pong(data: Uint8Array): void {
    if (this.#connection.waitingBytes > 0) this.#ping = data
    else this.#write(frameOf(opcode.pong, data))
  }

  /** Sends a close frame with this code and ignores what still arrives. */
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
