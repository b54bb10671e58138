import type { Frame } from './answer.ts'
import { streamHeaders } from './error-reply.ts'

/** Server-sent events. A comment is a sign of life for a client that waits. */
export const eventFrame: Frame = { headers: streamHeaders, beat: new TextEncoder().encode(': keep-alive\n\n') }

/** Bytes of which each is content: nothing can be said between them. */
export function bytesFrame(contentType: string): Frame {
  return { headers: { ...streamHeaders, 'content-type': contentType }, beat: null }
}
