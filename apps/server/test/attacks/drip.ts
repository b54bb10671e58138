import type { Socket } from 'node:net'

/** Sends each byte in its own packet. */
export async function drip(socket: Socket, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length && !socket.destroyed; at += 1) {
    socket.write(bytes.subarray(at, at + 1))
    await new Promise(setImmediate)
  }
}
