import type { Frame } from '../model/answer.ts'
import { streamHeaders } from './error-reply.ts'

/** A comment is a sign of life for a client that waits for events. */
export const heartbeat = new TextEncoder().encode(': keep-alive\n\n')

/** Server-sent events. */
export const eventFrame: Frame = { headers: streamHeaders, beat: heartbeat }

/** Bytes of which each is content: nothing can be said between them. */
export function bytesFrame(contentType: string): Frame {
  return { headers: { ...streamHeaders, 'content-type': contentType }, beat: null }
}
