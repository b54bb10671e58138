import { describe, expect, test } from 'bun:test'
import { join } from 'node:path'
import fc from 'fast-check'
import { accumulate, type Played, play, withoutIndexes } from '../../../test/accumulate.ts'
import { cuts, eventsOf, messages } from '../../../test/anthropic-messages.ts'
import { anyJson } from '../../../test/chats.ts'
import { countsOf, freeze, jsonFilesIn, onTheWire, withWholeUsages } from '../../../test/files.ts'
import type { Failure } from '../../core/failure.ts'
import { isObject } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { ResponseContext } from '../../core/response.ts'
import type { Usage } from '../../core/usage.ts'
import { anthropic } from './dialect.ts'

const context: ResponseContext = { id: 'chatcmpl-1', created: 1_700_000_000, model: 'what the client asked for' }

const streamed = (events: readonly unknown[], carried: Partial<ResponseContext> = {}): Played =>
  play(
    anthropic.stream({ ...context, ...carried }),
    events.map((event) => (typeof event === 'string' ? event : JSON.stringify(event))),
  )

/** Events of the vendor and the expected result. */
interface Fixture {
  readonly why: string
  readonly context?: Partial<ResponseContext>
  readonly events: readonly unknown[]
  /** The delta of each chunk; the last one of a response is its `finish_reason`. */
  readonly deltas: readonly unknown[]
  readonly usage: Usage | null
  readonly complete: boolean
  readonly failures: readonly Failure[]
}

describe('a recorded stream', () => {
  for (const [name, file] of jsonFilesIn(join(import.meta.dir, 'fixtures/streams'))) {
    // Holds: the files are written as this interface says; a wrong one fails the comparison.
    const { why, context: carried, events, deltas, usage, complete, failures } = withWholeUsages(file as Fixture)
    test(`${name}: ${why}`, () => {
      const played = streamed(events, carried)
      expect(onTheWire(played.chunks.map(deltaOf))).toEqual(onTheWire(deltas))
      const end = { usage: played.usage, complete: played.complete, failures: played.failures }
      expect(onTheWire(end)).toEqual(onTheWire({ usage, complete, failures }))
    })
  }
})

function deltaOf({ id, object, created, model, choices }: JsonObject): unknown {
  expect({ id, object, created, model }).toEqual({ ...context, object: 'chat.completion.chunk' })
  const [choice, ...others] = Array.isArray(choices) ? choices.filter(isObject) : []
  expect(others).toEqual([])
  expect(choice?.['index']).toBe(0)
  return choice?.['finish_reason'] ?? choice?.['delta']
}

const responses = [{}, { unwrapTool: 'weather' }, { toolNames: { weather: 'the weather' } }] as const

describe('every response', () => {
  test('has the same content and usage whole and streamed, however its texts are cut', () => {
    fc.assert(
      fc.property(messages, cuts, fc.constantFrom(...responses), (message, at, carried) => {
        // A forced tool is called once.
        fc.pre(!('unwrapTool' in carried) || count(message, 'tool_use') <= 1)
        const whole = anthropic.response(freeze(message), { ...context, ...carried })
        const parts = streamed(eventsOf(message, at), carried)
        expect(whole).not.toBeNull()
        if (whole === null || 'kind' in whole) return
        const [choice] = Array.isArray(whole.response['choices']) ? whole.response['choices'].filter(isObject) : []
        const { refusal, ...rest } = withoutIndexes(isObject(choice?.['message']) ? choice['message'] : {})
        const { message: put, reasons } = accumulate(parts.chunks)
        const expected = refusal === null ? rest : { ...rest, refusal }
        expect(onTheWire(withoutIndexes(isObject(put) ? put : {}))).toEqual(onTheWire(expected))
        expect(reasons).toEqual([choice?.['finish_reason'] ?? null])
        expect(parts.usage).toEqual(whole.usage)
        expect({ complete: parts.complete, failures: parts.failures }).toEqual({ complete: true, failures: [] })
      }),
      { numRuns: 1000 },
    )
  })

  test('that is cut off is complete only after its stop reason, and before it has no output count but the start value', () => {
    fc.assert(
      fc.property(messages, cuts, fc.nat(), (message, at, place) => {
        const events = eventsOf(message, at)
        const end = place % events.length
        const parts = streamed(events.slice(0, end))
        const hasSaid = events.slice(0, end).some((event) => event['type'] === 'message_delta')
        expect(parts.complete).toBe(hasSaid)
        if (!hasSaid) expect(parts.usage?.completionTokens ?? 1).toBe(1)
      }),
      { numRuns: 300 },
    )
  })

  test('starts with its role, ends with one reason, and has tool arguments that parse', () => {
    fc.assert(
      fc.property(messages, cuts, (message, at) => {
        const { chunks } = streamed(eventsOf(message, at))
        expect(deltaOf(chunks[0] ?? {})).toEqual({ role: 'assistant', content: '' })
        expect(typeof deltaOf(chunks.at(-1) ?? {})).toBe('string')
        const { message: put } = accumulate(chunks)
        for (const call of toolCalls(put)) expect(() => JSON.parse(String(call))).not.toThrow()
      }),
      { numRuns: 300 },
    )
  })
})

function count({ content }: JsonObject, type: string): number {
  return Array.isArray(content) ? content.filter((block) => isObject(block) && block['type'] === type).length : 0
}

function toolCalls(message: unknown): readonly unknown[] {
  // Holds: a message that is joined from chunks is JSON.
  const calls = (message as JsonObject)['tool_calls']
  return Array.isArray(calls)
    ? calls.filter(isObject).map((call) => (isObject(call['function']) ? call['function']['arguments'] : null))
    : []
}

describe('garbage', () => {
  const types = [
    'message_start',
    'content_block_start',
    'content_block_delta',
    'content_block_stop',
    'message_delta',
    'message_stop',
    'error',
  ]
  const inherited = ['constructor', 'toString', '__proto__', '__defineGetter__', 'hasOwnProperty']
  const event = fc.oneof(
    fc.string(),
    anyJson().map((value) => JSON.stringify(value)),
    fc
      .tuple(
        fc.constantFrom(...types, ...inherited),
        fc.constantFrom(...inherited, 'text_delta', 'input_json_delta', 'thinking_delta'),
        anyJson(),
      )
      .map(([type, kind, value]) =>
        JSON.stringify({
          type,
          delta: { type: kind, text: value, stop_reason: kind },
          content_block: value,
          usage: value,
          message: { usage: value },
        }),
      ),
  )

  test('never throws, and is never counted', () => {
    fc.assert(
      fc.property(fc.array(event, { maxLength: 8 }), (events) => {
        const { usage, chunks } = streamed(events)
        for (const tokens of countsOf(usage)) expect(Number.isSafeInteger(tokens) && tokens >= 0).toBe(true)
        expect(() => accumulate(chunks)).not.toThrow()
      }),
      { numRuns: 1000 },
    )
  })

  test('among the events changes nothing', () => {
    const noise = fc.constantFrom('', 'null', '[]', '"x"', '{', '[DONE]', '{"type":"__proto__"}', '{"type":"toString"}', '{"type":"ping"}')
    fc.assert(
      fc.property(messages, cuts, fc.array(fc.tuple(fc.nat(), noise)), (message, at, noises) => {
        const events: string[] = eventsOf(message, at).map((item) => JSON.stringify(item))
        const noisy = noises.reduce((list, [place, item]) => list.toSpliced(place % list.length, 0, item), events)
        expect(streamed(noisy)).toEqual(streamed(events))
      }),
      { numRuns: 300 },
    )
  })
})
