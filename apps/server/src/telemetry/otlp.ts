export type Attributes = Readonly<Record<string, string | number | undefined>>

/** One finished span. Times are milliseconds since the epoch. */
export interface Span {
  readonly traceId: string
  readonly spanId: string
  /** Empty: none. */
  readonly parentSpanId: string
  readonly name: string
  readonly kind: 'server' | 'client'
  readonly startMs: number
  readonly endMs: number
  /** `undefined` values are omitted. */
  readonly attributes: Attributes
  readonly isError: boolean
}

const kindNumbers = { server: 2, client: 3 } as const
const errorStatus = { code: 2 }

/** A batch as OTLP JSON (OpenTelemetry protocol 1.x, "JSON Protobuf Encoding", read 2026-11-21): ids in hex, 64-bit numbers as text. */
export function toOtlp(spans: readonly Span[], resource: Attributes, version: string): string {
  const scopeSpans = [{ scope: { name: 'sluice', version }, spans: spans.map(spanOf) }]
  return JSON.stringify({ resourceSpans: [{ resource: { attributes: pairsOf(resource) }, scopeSpans }] })
}

function spanOf({ traceId, spanId, parentSpanId, name, kind, startMs, endMs, attributes, isError }: Span) {
  return {
    traceId,
    spanId,
    ...(parentSpanId === '' ? {} : { parentSpanId }),
    name,
    kind: kindNumbers[kind],
    startTimeUnixNano: nanos(startMs),
    endTimeUnixNano: nanos(endMs),
    attributes: pairsOf(attributes),
    status: isError ? errorStatus : {},
  }
}

function pairsOf(attributes: Attributes) {
  return Object.entries(attributes).flatMap(([key, value]) => (value === undefined ? [] : [{ key, value: anyValue(value) }]))
}

function anyValue(value: string | number) {
  if (typeof value === 'string') return { stringValue: value }
  return Number.isSafeInteger(value) ? { intValue: String(value) } : { doubleValue: value }
}

/** Too large for an exact number, so it is written in two parts. */
function nanos(ms: number): string {
  const whole = Math.floor(ms)
  return `${whole}${String(Math.floor((ms - whole) * 1_000_000)).padStart(6, '0')}`
}
