import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { anyJson } from '../../test/chats.ts'
import { faultsIn } from '../../test/message-grammar.ts'
import { objectsIn } from '../chat-parts.ts'
import { isObject, parseJson, textOr } from '../is-object.ts'
import type { JsonObject } from '../json.ts'
import { createMessageEvents } from './message-events.ts'
import { replayMessage } from './replay.ts'

const context = { id: 'msg_1', created: 1, model: 'm' }

const chunk = (delta: JsonObject, reason: string | null = null): JsonObject => ({ choices: [{ index: 0, delta, finish_reason: reason }] })
const wire = (events: readonly JsonObject[]) => events.map((data) => ({ name: textOr(data['type'], ''), data }))

function play(chunks: readonly JsonObject[]) {
  const made = createMessageEvents(context)
  const events = [...chunks.flatMap((item) => made.chunk(item)), ...made.end(null)]
  return { events, count: made.count, whole: made.whole(null) }
}

/** The content that a client puts together of the events. */
function put(events: readonly JsonObject[]): readonly JsonObject[] {
  const blocks: { block: JsonObject; text: string }[] = []
  for (const { type, content_block: block, delta } of events) {
    if (type === 'content_block_start' && isObject(block)) blocks.push({ block, text: '' })
    const last = blocks.at(-1)
    if (type !== 'content_block_delta' || !isObject(delta) || last === undefined) continue
    last.text += [delta['text'], delta['thinking'], delta['partial_json']].map((text) => textOr(text, '')).join('')
  }
  return blocks.map(({ block, text }) => {
    if (block['type'] === 'tool_use') return { type: 'tool_use', id: block['id'], name: block['name'], input: parseJson(text) ?? {} }
    return block['type'] === 'text' ? { type: 'text', text } : { type: 'thinking', thinking: text }
  })
}

const withoutSignatures = (blocks: readonly JsonObject[]) => blocks.map(({ signature: _signature, ...block }) => block)

/** Calls whose arguments come in pieces, mixed in any way, with texts before, between and after them. */
const mixed = fc
  .record({
    inputs: fc.array(fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.constant({ deep: '}' }))), { maxLength: 4 }),
    texts: fc.array(fc.tuple(fc.constantFrom('content', 'reasoning_content'), fc.string({ minLength: 1 })), { maxLength: 4 }),
    order: fc.array(fc.nat(), { maxLength: 80 }),
    size: fc.integer({ min: 1, max: 9 }),
  })
  .map(({ inputs, texts, order, size }) => {
    const queues = inputs.map((input, index) => {
      const given = JSON.stringify(input).match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []
      const call = (more: JsonObject) => chunk({ tool_calls: [{ index, ...more }] })
      return [
        call({ id: `call_${index}`, function: { name: `tool${index}`, arguments: '' } }),
        ...given.map((piece) => call({ function: { arguments: piece } })),
      ]
    })
    const said = texts.map(([name, text]) => [chunk({ [name]: text })])
    const all = [...queues, ...said]
    const chunks: JsonObject[] = []
    for (const place of order) {
      const next = all.length === 0 ? undefined : all[place % all.length]?.shift()
      if (next !== undefined) chunks.push(next)
    }
    chunks.push(...all.flat(), chunk({}, inputs.length > 0 ? 'tool_calls' : 'stop'))
    return { inputs, texts, chunks }
  })

describe('the events of a message', () => {
  test('follow the protocol and lose nothing, however a chat mixes its calls and texts', () => {
    fc.assert(
      fc.property(mixed, ({ inputs, texts, chunks }) => {
        const { events, count, whole } = play(chunks)
        expect(faultsIn(wire(events))).toEqual([])
        expect(count).toBe(events.length)
        const blocks = put(events)
        const calls = blocks.filter(({ type }) => type === 'tool_use')
        expect(new Map(calls.map(({ id, input }) => [id, input]))).toEqual(new Map(inputs.map((input, index) => [`call_${index}`, input])))
        const textOf = (type: string, field: string): string =>
          blocks
            .filter((block) => block['type'] === type)
            .map((block) => textOr(block[field], ''))
            .join('')
        const length = (name: string): number => texts.filter(([kind]) => kind === name).reduce((sum, [, text]) => sum + text.length, 0)
        expect([textOf('text', 'text').length, textOf('thinking', 'thinking').length]).toEqual([
          length('content'),
          length('reasoning_content'),
        ])
        expect(withoutSignatures(objectsIn(whole['content']))).toEqual([...blocks])
      }),
      { numRuns: 500 },
    )
  })

  test('of a whole message are the same message', () => {
    fc.assert(
      fc.property(mixed, ({ chunks }) => {
        const { whole } = play(chunks)
        const events = replayMessage(whole)
        expect(faultsIn(wire(events))).toEqual([])
        expect(put(events)).toEqual(withoutSignatures(objectsIn(whole['content'])))
      }),
      { numRuns: 200 },
    )
  })

  test('follow the protocol whatever a vendor sends', () => {
    const odd = fc.record({
      content: anyJson(),
      reasoning_content: anyJson(),
      tool_calls: anyJson(),
      annotations: anyJson(),
      thinking_blocks: anyJson(),
    })
    const pieces = fc.array(fc.record({ index: anyJson(), id: anyJson(), function: anyJson() }), { maxLength: 3 })
    const any = fc.oneof(
      odd,
      pieces.map((calls) => ({ tool_calls: calls })),
      fc.constant({ content: 'a' }),
    )
    fc.assert(
      fc.property(fc.array(any, { maxLength: 6 }), (deltas) => {
        // Holds: what the arbitraries make is JSON.
        const { events } = play(deltas.map((delta) => chunk(delta as JsonObject)))
        expect(faultsIn(wire(events))).toEqual([])
      }),
      { numRuns: 500 },
    )
  })
})
