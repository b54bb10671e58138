import type { Dialect } from '../src/core/dialect.ts'
import type { Failure } from '../src/core/failure.ts'
import { classified, readFailureOf } from '../src/core/failure-rules.ts'
import type { Json } from '../src/core/json.ts'
import type { Vendor } from '../src/core/vendor.ts'
import { openai } from '../src/protocols/openai/dialect.ts'

export const context = { id: 'chatcmpl-1', created: 1, model: 'm' }

/** The kind, or OpenAI's code where it has one. */
export function meaningOf({ kind, code }: Failure): string {
  return code === 'context_length_exceeded' || code === 'content_filter' ? code : kind
}

/** What a response with another status than 200 means. */
export function withStatus({ failures }: Vendor, dialect: Dialect = openai): (status: number, body: Json) => string {
  return (status, body) => meaningOf(readFailureOf(dialect, failures, { status, body: JSON.stringify(body) }))
}

/** An error in a response with status 200, whole or as the first event of a stream. */
export function inResponse({ failures }: Vendor, body: Json, dialect: Dialect = openai): readonly string[] {
  const whole = dialect.response?.(body, context)
  const late = dialect.stream?.(context).event(JSON.stringify(body)).failure
  return [whole, late].flatMap((result) =>
    result !== null && result !== undefined && 'kind' in result ? [meaningOf(classified(result, failures))] : [],
  )
}
