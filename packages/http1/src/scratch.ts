/**
 * Where short messages are put together before they are written, so that none of them needs memory of its own. What a socket was given has
 * left it when the write returns; what the socket did not take must be copied, because the next message takes its place.
 */
export const scratch = Buffer.allocUnsafeSlow(64 * 1024)

/** A character of UTF-16 takes at most three bytes of UTF-8. */
const bytesPerCharacter = 3

/** Whether a head and a body fit in, whatever characters the body has. */
export function fitsScratch(head: string, body: string | Uint8Array): boolean {
  return head.length + body.length * (typeof body === 'string' ? bytesPerCharacter : 1) <= scratch.length
}

/** Puts a head, of which each character is a byte, and a body behind it to the front of `scratch`. They must fit. @returns their length */
export function putMessage(head: string, body: string | Uint8Array): number {
  scratch.write(head, 0, 'latin1')
  if (typeof body === 'string') return head.length + scratch.write(body, head.length)
  scratch.set(body, head.length)
  return head.length + body.length
}
