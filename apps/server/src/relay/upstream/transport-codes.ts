import { CutMessage, MalformedMessage } from '@sluice/http1/message-body'
import type { TransportCode } from '../model/attempt-failure.ts'
import { BrokenEventStream } from '../wire/event-stream.ts'
import { SseLineTooLong } from '../wire/sse.ts'
import { TlsFailure } from './http1/connection.ts'
import { UnpackedTooLarge } from './http1/decode-body.ts'
import { AnswerTooLong } from './open-stream.ts'

/** The error code for an answer that arrived and cannot be read; `null`: it did not arrive. */
export function unreadableBy(cause: unknown): TransportCode | null {
  if (cause instanceof SseLineTooLong) return 'upstream_line_too_long'
  if (cause instanceof UnpackedTooLarge || cause instanceof AnswerTooLong) return 'upstream_answer_too_long'
  const isInvalid = cause instanceof BrokenEventStream || (cause instanceof MalformedMessage && !(cause instanceof CutMessage))
  return isInvalid ? 'upstream_invalid_response' : null
}

/** The error code for a broken connection. */
export function brokenAt(cause: unknown, isSent: boolean): TransportCode {
  if (isSent) return 'upstream_reset'
  return cause instanceof TlsFailure ? 'upstream_tls' : 'upstream_unreachable'
}
