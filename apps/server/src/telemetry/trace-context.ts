import { randomHex128 } from '../lib/id.ts'

/** The position of a request in a trace. */
export interface TraceContext {
  readonly traceId: string
  /** The client's span id; empty: it sent none. */
  readonly parentSpanId: string
}

/** Begins a trace, or continues the client's (W3C Trace Context, `traceparent`, read 2026-11-21). A malformed header is ignored. */
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
 * Whether a trace is sampled. The random part of its id decides, so that servers with the same ratio sample the same traces (OpenTelemetry,
 * probability sampling: the last 56 bits, read 2026-11-21). The client's sampled flag is ignored: any client could set it.
 */
export function isSampled(traceId: string, ratio: number): boolean {
  return Number.parseInt(traceId.slice(18), 16) / 2 ** 56 >= 1 - ratio
}
