import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import { accumulate, play } from '../../test/accumulate.ts'
import { freeze, readJson, withWholeUsages } from '../../test/files.ts'
import type { ChatDialect } from '../core/dialect.ts'
import type { Failure } from '../core/failure.ts'
import { isObject } from '../core/is-object.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { Usage } from '../core/usage.ts'
import { vendorByType } from './list.ts'

/** One response of a vendor, whole or in events, and what clients get of it. */
interface RecordedResponse {
  readonly why: string
  readonly body?: Json
  readonly events?: readonly Json[]
  readonly message?: JsonObject
  readonly reason?: string
  readonly usage?: Usage | null
  readonly failure?: Failure['kind']
}

// Holds: the file is written as this interface says; a wrong row fails the comparison.
const responses = readJson(join(import.meta.dir, 'fixtures/recorded-responses.json')) as Readonly<
  Record<string, readonly RecordedResponse[]>
>
const context = { id: 'chatcmpl-1', created: 1, model: 'm' }

function dialectOfType(type: number): ChatDialect {
  const choice = vendorByType(type)?.dialects.chat
  if (typeof choice !== 'object') throw new Error(`type ${type} has no single dialect`)
  return choice
}

/** What a client reads in the first choice of a whole response. */
function wholeOf(dialect: ChatDialect, body: Json) {
  const read = dialect.response(freeze(body), context)
  if (read === null || 'kind' in read) return { failure: read?.kind }
  const [choice] = Array.isArray(read.response['choices']) ? read.response['choices'].filter(isObject) : []
  return { message: withoutRole(choice?.['message']), reason: choice?.['finish_reason'], usage: read.usage }
}

/** The message, the finish reason and the usage that a stream assembles into. */
function streamOf(dialect: ChatDialect, events: readonly Json[]) {
  const { chunks, usage, failures, complete } = play(
    dialect.stream(context),
    events.map((event) => JSON.stringify(event)),
  )
  if (failures.length > 0) return { failure: failures[0]?.kind }
  const { message, reasons } = accumulate(chunks)
  expect(complete).toBe(true)
  return { message: withoutRole(message), reason: Array.isArray(reasons) ? reasons.join() : '', usage }
}

function withoutRole(message: Json | undefined): JsonObject {
  const { role, tool_calls: calls, ...rest } = isObject(message) ? message : {}
  expect(role).toBe('assistant')
  return Array.isArray(calls) ? { ...rest, tool_calls: calls.filter(isObject).map(({ index: _index, ...call }) => call) } : rest
}

describe.each(Object.entries(responses))('what clients get from type %s', (type, rows) => {
  const dialect = dialectOfType(Number(type))
  for (const { why, body, events, ...expected } of withWholeUsages(rows)) {
    test(why, () => {
      const seen: object = events === undefined ? wholeOf(dialect, body ?? null) : streamOf(dialect, events)
      expect(seen).toEqual(expected)
    })
  }
})
