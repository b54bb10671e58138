import type { IncomingRequest } from '@sluice/http1/incoming-request'
import type { Clock } from '../lib/clock.ts'
import { pathOf } from '../lib/request-url.ts'
import { modelAt } from '../relay/model/channel.ts'
import type { RequestSpan, Trace, TracedAttempt } from '../relay/model/telemetry.ts'
import type { Attributes, Span } from './otlp.ts'
import { failureName } from './relay-figures.ts'
import { contextOf, isSampled, newSpanId } from './trace-context.ts'

/** Creates the spans of requests: one per request, and a child span per attempt. */
export interface Tracer {
  /** `null`: the request is not sampled. */
  begin(requestId: string, request: IncomingRequest): Trace | null
  finish(span: RequestSpan, trace: Trace, nowMs: number): void
}

interface TracerDeps {
  readonly clock: Clock
  /** Sampling ratio, from 0 to 1. */
  readonly ratio: number
  readonly add: (span: Span) => void
}

const pathCharsMax = 200

export function createTracer({ clock, ratio, add }: TracerDeps): Tracer {
  return {
    begin(requestId, request) {
      const context = contextOf(request.headers.get('traceparent'))
      if (!isSampled(context.traceId, ratio)) return null
      return {
        ...context,
        spanId: newSpanId(),
        requestId,
        method: request.method,
        path: pathOf(request.url).slice(0, pathCharsMax),
        epochMs: clock.nowMs() - clock.monotonicMs(),
        attempts: [],
      }
    },
    finish(span, trace, nowMs) {
      for (const attempt of trace.attempts) add(attemptSpan(attempt, { span, trace, nowMs }))
      add(requestSpan(span, trace, nowMs))
    },
  }
}

/** OpenTelemetry's names of GenAI operations (semantic conventions, GenAI spans, read 2026-11-21); other kinds keep their own names. */
const operations: Readonly<Record<string, string>> = { completions: 'text_completion' }

function operationOf({ target }: RequestSpan): string | undefined {
  return target === null ? undefined : (operations[target.kind] ?? target.kind)
}

function requestSpan(span: RequestSpan, trace: Trace, nowMs: number): Span {
  const { target, ended, status, code, startedMs, attempts, channel, isStreaming, firstByteMs } = span
  const operation = operationOf(span)
  const isCut = ended !== null && ended.reason !== 'complete'
  return {
    traceId: trace.traceId,
    spanId: trace.spanId,
    parentSpanId: trace.parentSpanId,
    name: target === null ? trace.method : `${operation} ${target.model}`,
    kind: 'server',
    startMs: trace.epochMs + startedMs,
    endMs: trace.epochMs + nowMs,
    attributes: {
      'http.request.method': trace.method,
      'url.path': trace.path,
      'http.response.status_code': status,
      'error.type': code ?? (isCut ? ended.reason : undefined),
      'gen_ai.operation.name': operation,
      'gen_ai.request.model': target?.model,
      ...usageOf(span),
      'sluice.request.id': trace.requestId,
      'sluice.outcome': ended?.reason,
      'sluice.quota': ended?.quota,
      'sluice.attempts': attempts,
      'sluice.channel.id': channel?.id,
      'sluice.time_to_first_token': isStreaming ? (firstByteMs - startedMs) / 1000 : undefined,
    },
    // A client's error is not an error of the server.
    isError: status >= 500 || (status < 400 && isCut && ended.reason !== 'client_gone'),
  }
}

function usageOf({ ended }: RequestSpan): Attributes {
  if (ended === null || ended.usage === null) return {}
  const { promptTokens, completionTokens, cachedTokens, cacheWriteTokens, cacheWrite1hTokens } = ended.usage
  return {
    'gen_ai.usage.input_tokens': promptTokens,
    'gen_ai.usage.output_tokens': completionTokens,
    'gen_ai.usage.cache_read.input_tokens': cachedTokens,
    'gen_ai.usage.cache_creation.input_tokens': cacheWriteTokens + cacheWrite1hTokens,
  }
}

interface Within {
  readonly span: RequestSpan
  readonly trace: Trace
  readonly nowMs: number
}

/** The span of a streamed attempt ends with its stream. The vendor's message is left out: it may repeat a prompt. */
function attemptSpan({ channel, startedMs, endedMs, failed }: TracedAttempt, { span, trace, nowMs }: Within): Span {
  const operation = operationOf(span)
  const requested = span.target?.model ?? ''
  const model = modelAt(channel, requested)
  const url = URL.parse(channel.baseUrl)
  return {
    traceId: trace.traceId,
    spanId: newSpanId(),
    parentSpanId: trace.spanId,
    name: `${operation} ${model}`,
    kind: 'client',
    startMs: trace.epochMs + startedMs,
    endMs: trace.epochMs + (failed === null && span.isStreaming ? nowMs : endedMs),
    attributes: {
      'gen_ai.operation.name': operation,
      'gen_ai.provider.name': channel.vendor.name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '_'),
      'gen_ai.request.model': model,
      ...(failed === null ? usageOf(span) : {}),
      'server.address': url?.hostname,
      'server.port': url === null ? undefined : portOf(url),
      'http.response.status_code': failed?.by === 'vendor' ? failed.status : undefined,
      'error.type': failed === null ? undefined : failureName(failed),
      'sluice.channel.id': channel.id,
    },
    isError: failed !== null,
  }
}

function portOf({ port, protocol }: URL): number {
  if (port !== '') return Number(port)
  return protocol === 'https:' ? 443 : 80
}
