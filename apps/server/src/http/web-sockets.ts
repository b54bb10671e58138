import type { ServerWebSocket, WebSocketHandler } from 'bun'

/** The client's end of a connection of messages; the relay's own type has the same members. */
interface ClientSocket {
  send(data: string | Uint8Array): void
  waitingBytes(): number
  close(code: number): void
}

export interface SocketHandlers {
  open(socket: ClientSocket): void
  message(data: string | Uint8Array): void
  drain(): void
  close(): void
}

/** Bytes that may wait for a client that takes nothing; beyond it the connection ends. */
const waitingBytesMax = 32 * 1024 * 1024
/** A client that gives no sign of life for so long has gone; it is asked for one before. In seconds. */
const silenceSeconds = 30

/** What the server does with every connection of messages: its handlers came with it. */
export function webSockets(messageBytesMax: number): WebSocketHandler<SocketHandlers> {
  return {
    maxPayloadLength: messageBytesMax,
    idleTimeout: silenceSeconds,
    sendPings: true,
    backpressureLimit: waitingBytesMax,
    closeOnBackpressureLimit: true,
    open: (socket) => socket.data.open(clientSocket(socket)),
    message: ({ data }, message) => data.message(message),
    drain: ({ data }) => data.drain(),
    close: ({ data }) => data.close(),
  }
}

function clientSocket(socket: ServerWebSocket<SocketHandlers>): ClientSocket {
  return {
    send: (data) => void socket.send(data),
    waitingBytes: () => socket.getBufferedAmount(),
    close: (code) => socket.close(code),
  }
}
