import type { Socket } from 'node:net'
import { many } from '../../../../packages/http1/attack/client.ts'
import type { Script } from './scripted-vendor.ts'

// What scripts of a hostile vendor are made of.

const mebi = 1024 * 1024

/** Sends a piece repeatedly, as fast as it is read. */
export async function pour(socket: Socket, piece: Uint8Array, bytesMax = 200 * mebi): Promise<void> {
  for (let total = 0; total < bytesMax && !socket.destroyed; total += piece.length) if (!socket.write(piece)) await drained(socket)
}

/** Resolves when the socket takes bytes again, or is closed. */
function drained(socket: Socket): Promise<void> {
  return new Promise((resolve) => {
    const over = (): void => {
      socket.off('drain', over).off('close', over)
      resolve()
    }
    socket.on('drain', over).on('close', over)
  })
}

export const streamHead = 'HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\n\r\n'
export const event = (content: string): string =>
  `data: {"id":"c","object":"chat.completion.chunk","created":1,"model":"m","choices":[{"index":0,"delta":{"content":"${content}"}}]}\n\n`

export function flooding(head: string, piece: string): Script {
  const all = many(piece).piece
  return async (socket) => {
    socket.write(head)
    await pour(socket, all)
  }
}
