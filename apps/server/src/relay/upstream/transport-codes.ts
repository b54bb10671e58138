import { CutMessage, MalformedMessage } from '@sluice/http1/message-body'
import { isGiven } from '@sluice/vendors/core/is-object'
import type { TransportCode } from '../model/attempt-failure.ts'
import type { Call } from '../model/call.ts'
import { BrokenEventStream } from '../wire/event-stream.ts'
import { SseLineTooLong } from '../wire/sse.ts'
import { TlsFailure } from './http1/connection.ts'
import { UnpackedTooLarge } from './http1/decode-body.ts'
import { ResponseTooLong } from './open-stream.ts'

/** The error code for a response that arrived and cannot be read; `null`: it did not arrive. */
export function unreadableBy(cause: unknown): TransportCode | null {
  if (cause instanceof SseLineTooLong) return 'upstream_line_too_long'
  if (cause instanceof UnpackedTooLarge || cause instanceof ResponseTooLong) return 'upstream_answer_too_long'
  const isInvalid = cause instanceof BrokenEventStream || (cause instanceof MalformedMessage && !(cause instanceof CutMessage))
  return isInvalid ? 'upstream_invalid_response' : null
}

/** The error code for a broken connection. */
export function brokenAt(cause: unknown, isSent: boolean): TransportCode {
  if (isSent) return 'upstream_reset'
  return cause instanceof TlsFailure ? 'upstream_tls' : 'upstream_unreachable'
}

/** Codes of responses that are larger than what we take. */
const tooLarge: ReadonlySet<TransportCode> = new Set(['upstream_line_too_long', 'upstream_answer_too_long'])

/** Whether a response is too large because its client requested much: the vendor has generated it, and bills it. */
export function isLargeByOrder(
  code: TransportCode,
  { params: { images = 0, choices, isSpoken }, body }: Pick<Call, 'params' | 'body'>,
): boolean {
  return tooLarge.has(code) && (images > 0 || choices > 1 || isSpoken === true || isGiven(body['logprobs']))
}
