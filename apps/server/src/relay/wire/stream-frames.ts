import type { Frame } from '../model/upstream-response.ts'
import { streamHeaders } from './error-response.ts'

/** An SSE comment: clients ignore it, but see that the connection is alive. */
const heartbeat = new TextEncoder().encode(': keep-alive\n\n')

/** Server-sent events. */
export const eventFrame = { headers: streamHeaders, beat: heartbeat } as const satisfies Frame

/** A raw byte stream: every byte is content, so there is no heartbeat. */
export function bytesFrame(contentType: string): Frame {
  return { headers: { ...streamHeaders, 'content-type': contentType }, beat: null }
}
