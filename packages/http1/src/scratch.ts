/**
 * A shared buffer in which messages are assembled, so that they need no memory of their own: fresh memory costs more than the copy. Its pages take
 * memory once a message has reached them. The socket has copied what it took when `write` returns; the rest must be copied, because the next
 * message overwrites it.
 */
export const scratch = Buffer.allocUnsafeSlow(1024 * 1024)

/** A character of UTF-16 takes at most three bytes of UTF-8. */
const bytesPerCharacter = 3

/** Whether a head and a body fit into `scratch`, whatever characters the body has. */
export function fitsScratch(head: string, body: string | Uint8Array): boolean {
  return head.length + body.length * (typeof body === 'string' ? bytesPerCharacter : 1) <= scratch.length
}

/** Writes a head in Latin-1 and its body to the front of `scratch`. They must fit. @returns their length */
export function putMessage(head: string, body: string | Uint8Array): number {
  scratch.write(head, 0, 'latin1')
  if (typeof body === 'string') return head.length + scratch.write(body, head.length)
  scratch.set(body, head.length)
  return head.length + body.length
}
