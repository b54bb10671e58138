import type { TakenOver } from './connection-deps.ts'
import { fieldLines } from './fields.ts'
import { BrokenFrames, closeFrame, FrameReader, type FrameSink, frameOf, opcode } from './frames.ts'
import { giveBack } from './give-back.ts'
import { acceptOf, isHandshake } from './handshake.ts'
import { heldBy } from './read-gate.ts'
import type { ReceivedRequest } from './received.ts'
import type { ServerConnection } from './server-connection.ts'
import type { Deadline, Deadlines } from './time.ts'

/** The client's end of a connection of messages. */
export interface ClientSocket {
  send(data: string | Uint8Array): void
  /** Bytes that wait to be taken. */
  waitingBytes(): number
  /** Takes no further message, until `resume`. The client waits. */
  pause(): void
  resume(): void
  close(code: number): void
}

export interface SocketHandlers {
  open(socket: ClientSocket): void
  /** @param data bytes are there until the call returns, and not longer */
  message(data: string | Uint8Array): void
  /** What waited has been taken. */
  drain(): void
  /** Called once; nothing comes after it. */
  close(): void
}

interface WebSocketDeps {
  readonly messageBytesMax: number
  readonly deadlines: Deadlines
}

/** Bytes that may wait for a client that takes nothing; beyond it the connection ends. */
const waitingBytesMax = 32 * 1024 * 1024
/** How often a client is asked for a sign of life, in milliseconds. One that gives none until the next time has gone. */
const pingMs = 30_000
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
  /** What the client says now is not looked at. */
  #isDeaf = false
  /** What waits for the next turn. */
  #rest: Buffer | null = null
  /** The last ping, where the answer to it has to wait for the client to take what was sent before. */
  #ping: Uint8Array | null = null

  constructor(connection: ServerConnection, handlers: SocketHandlers, { messageBytesMax, deadlines }: WebSocketDeps) {
    this.#connection = connection
    this.#handlers = handlers
    this.#deadlines = deadlines
    this.#reader = new FrameReader({ isMasked: true, messageBytesMax, sink: this.#frames() })
    this.#beat = this.#startBeat()
  }

  send(data: string | Uint8Array): void {
    const isText = typeof data === 'string'
    this.#write(frameOf(isText ? opcode.text : opcode.binary, data))
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
    this.#deadlines.cancel(this.#beat)
    this.#handlers.close()
  }

  #frames(): FrameSink {
    return {
      message: (data) => {
        if (!this.#hasSaidGoodbye) this.#handlers.message(data)
        this.#collectAfter(data.length)
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
    this.close(code)
    this.#connection.finish()
  }

  #write(frame: Buffer): void {
    if (this.#hasSaidGoodbye) return
    if (this.#connection.send(frame) > waitingBytesMax) this.#connection.destroy()
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
