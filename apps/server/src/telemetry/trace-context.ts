import { randomHex128 } from '../lib/id.ts'

/** Where a request stands in a trace. */
export interface TraceContext {
  readonly traceId: string
  /** The span that the client was in; empty = it named none. */
  readonly parentSpanId: string
}

/** Begins a trace, or goes on with the client's (W3C Trace Context, `traceparent`, read 2026-11-21). What is malformed is not there. */
export function contextOf(traceparent: string | null): TraceContext {
  const [, version = '', traceId = '', parentSpanId = '', rest = ''] =
    /^([0-9a-f]{2})-([0-9a-f]{32})-([0-9a-f]{16})-[0-9a-f]{2}(-.*)?$/.exec(traceparent ?? '') ?? []
  const isForm = version === '00' ? rest === '' : version !== 'ff'
  if (isForm && /[1-9a-f]/.test(traceId) && /[1-9a-f]/.test(parentSpanId)) return { traceId, parentSpanId }
  return { traceId: randomHex128(), parentSpanId: '' }
}

export function newSpanId(): string {
  return randomHex128().slice(16)
}

/**
 * Whether a trace is among the share that is sent. The random part of its id decides, so that servers with the same share choose the same
 * traces (OpenTelemetry, probability sampling: the last 56 bits, read 2026-11-21). What the client says of it does not count: anybody may ask.
 */
export function isSampled(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(18), 16) / 2 ** 56 >= 1 - ratio
}
