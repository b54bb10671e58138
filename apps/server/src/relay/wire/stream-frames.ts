import type { Frame } from '../model/answer.ts'
import { streamHeaders } from './error-reply.ts'

/** An SSE comment: clients ignore it, but see that the connection is alive. */
export const heartbeat = new TextEncoder().encode(': keep-alive\n\n')

/** Server-sent events. */
export const eventFrame: Frame = { headers: streamHeaders, beat: heartbeat }

/** A raw byte stream: every byte is content, so there is no heartbeat. */
export function bytesFrame(contentType: string): Frame {
  return { headers: { ...streamHeaders, 'content-type': contentType }, beat: null }
}
