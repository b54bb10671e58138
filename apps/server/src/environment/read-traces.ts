import { withoutTrailingSlashes } from '@sluice/contract'
import { itemsOf } from './items.ts'
import type { ReadText } from './variables.ts'

/** Where traces go, by OpenTelemetry's own variables. */
export interface TraceSettings {
  /** Address that spans are posted to; empty = none are sent. May hold a secret. */
  readonly endpoint: string
  /** May hold secrets. */
  readonly headers: Readonly<Record<string, string>>
  readonly serviceName: string
  /** Share of traces that are sent, from 0 to 1. */
  readonly ratio: number
}

/** Reads OpenTelemetry's variables. What is wrong is added to the problems, without values that may hold secrets. */
export function readTraces(text: ReadText, problems: string[]): TraceSettings {
  return {
    endpoint: tracesEndpoint(text('OTEL_EXPORTER_OTLP_ENDPOINT'), problems),
    headers: traceHeaders(text('OTEL_EXPORTER_OTLP_HEADERS'), problems),
    serviceName: text('OTEL_SERVICE_NAME', 'sluice'),
    ratio: share('OTEL_TRACES_SAMPLER_ARG', text('OTEL_TRACES_SAMPLER_ARG', '1'), problems),
  }
}

/** The base address of a collector, as every OpenTelemetry program takes it; what is wrong is said without it, because a key may stand in it. */
function tracesEndpoint(value: string, problems: string[]): string {
  if (value === '') return ''
  const url = URL.parse(value)
  if (url !== null && /^https?:$/.test(url.protocol)) return `${withoutTrailingSlashes(value)}/v1/traces`
  problems.push('OTEL_EXPORTER_OTLP_ENDPOINT must be an address like http://localhost:4318')
  return ''
}

/** `name=value,name=value`, values percent-encoded (OpenTelemetry protocol exporter, read 2026-11-21). */
function traceHeaders(list: string, problems: string[]): Readonly<Record<string, string>> {
  const pairs = itemsOf(list).map((item) => {
    const mark = item.indexOf('=')
    return [item.slice(0, Math.max(0, mark)).trim(), item.slice(mark + 1).trim()] as const
  })
  if (pairs.every(([name]) => /^[\w!#$%&'*+.^`|~-]+$/.test(name))) {
    try {
      return Object.fromEntries(pairs.map(([name, value]) => [name.toLowerCase(), headerText(value)]))
    } catch {
      // Said below, for both.
    }
  }
  problems.push('OTEL_EXPORTER_OTLP_HEADERS must look like name=value,name=value with percent-encoded values')
  return {}
}

/** @throws where it is no value of a header */
function headerText(encoded: string): string {
  const text = decodeURIComponent(encoded)
  if (!/^[\x20-\x7e]*$/.test(text)) throw new Error('not a value of a header')
  return text
}

function share(name: string, value: string, problems: string[]): number {
  const number = Number(value)
  if (number >= 0 && number <= 1) return number
  problems.push(`${name} must be a number from 0 to 1, not "${value}"`)
  return 1
}
