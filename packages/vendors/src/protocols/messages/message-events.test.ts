import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { anyJson } from '../../../test/chats.ts'
import { faultsIn } from '../../../test/message-grammar.ts'
import { isObject, parseJson, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { objectsIn } from '../shared/chat-parts.ts'
import { createMessageEvents } from './message-events.ts'
import { replayMessage } from './replay.ts'

const context = { id: 'msg_1', created: 1, model: 'm' }

const chunk = (delta: JsonObject, reason: string | null = null): JsonObject => ({ choices: [{ index: 0, delta, finish_reason: reason }] })
const wire = (events: readonly JsonObject[]) => events.map((data) => ({ name: textOr(data['type'], ''), data }))

function play(chunks: readonly JsonObject[]) {
  const writer = createMessageEvents(context)
  const events = [...chunks.flatMap((item) => writer.chunk(item)), ...writer.end(null)]
  return { events, count: writer.count, whole: writer.whole(null) }
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

/** Calls whose arguments come in deltas, mixed in any way, with texts before, between and after them. */
const mixed = fc
  .record({
    inputs: fc.array(fc.dictionary(fc.string(), fc.oneof(fc.string(), fc.integer(), fc.constant({ deep: '}' }))), { maxLength: 4 }),
    texts: fc.array(fc.tuple(fc.constantFrom('content', 'reasoning_content'), fc.string({ minLength: 1 })), { maxLength: 4 }),
    order: fc.array(fc.nat(), { maxLength: 80 }),
    size: fc.integer({ min: 1, max: 9 }),
  })
  .map(({ inputs, texts, order, size }) => {
    const queues = inputs.map((input, index) => {
      const fragments = JSON.stringify(input).match(new RegExp(`[\\s\\S]{1,${size}}`, 'g')) ?? []
      const call = (more: JsonObject) => chunk({ tool_calls: [{ index, ...more }] })
      return [
        call({ id: `call_${index}`, function: { name: `tool${index}`, arguments: '' } }),
        ...fragments.map((piece) => call({ function: { arguments: piece } })),
      ]
    })
    const textChunks = texts.map(([name, text]) => [chunk({ [name]: text })])
    const all = [...queues, ...textChunks]
    const chunks: JsonObject[] = []
    for (const place of order) {
      const next = all.length === 0 ? undefined : all[place % all.length]?.shift()
      if (next !== undefined) chunks.push(next)
    }
    chunks.push(...all.flat(), chunk({}, inputs.length > 0 ? 'tool_calls' : 'stop'))
    return { inputs, texts, chunks }
  })

describe('the events of a message', () => {
  test('begin with our count of the prompt', () => {
    const [start] = createMessageEvents({ ...context, promptTokens: 57 }).chunk(chunk({ content: 'Hi' }))
    expect(start).toMatchObject({ message: { usage: { input_tokens: 57, output_tokens: 0 } } })
  })

  test.each([
    ['names it', ['STOP', 'END'], 'END', 'END'],
    ['says that one did, and there is one', ['END'], '', 'END'],
    ['says that one did, and there are two', ['STOP', 'END'], '', null],
  ])('name the stop sequence if the vendor %s', (_, stop, reported, expected) => {
    const writer = createMessageEvents({ ...context, echo: { stop } })
    const ended = { choices: [{ index: 0, delta: {}, finish_reason: 'stop', stop_reason: reported }] }
    const events = [...writer.chunk(chunk({ content: 'Hi' })), ...writer.chunk(ended), ...writer.end(null)]
    const ending = { stop_reason: 'stop_sequence', stop_sequence: expected }
    expect(events.at(-2)).toMatchObject({ delta: ending })
    expect(writer.whole(null)).toMatchObject(ending)
  })

  test.each([[undefined], [null], [107], ['<|eot|>']])('do not take %p for the stop sequence', (reported) => {
    const writer = createMessageEvents({ ...context, ...(reported === '<|eot|>' ? {} : { echo: { stop: ['END'] } }) })
    const events = [
      ...writer.chunk({ choices: [{ delta: {}, finish_reason: 'stop', stop_reason: reported ?? null }] }),
      ...writer.end(null),
    ]
    expect(events.at(-2)).toMatchObject({ delta: { stop_reason: 'end_turn', stop_sequence: null } })
  })

  test('have each signed reasoning block as the vendor made it, hidden ones too', () => {
    const first = { type: 'thinking', thinking: 'One', signature: 'c2ln' }
    const hidden = { type: 'redacted_thinking', data: 'aGlk' }
    const second = { type: 'thinking', thinking: 'Two', signature: 'c2lu' }
    const expected = [
      { ...first, signature: 'sluice:c2ln' },
      { ...hidden, data: 'sluice:aGlk' },
      { ...second, signature: 'sluice:c2lu' },
      { type: 'text', text: 'Done' },
    ]
    const whole = play([chunk({ reasoning_content: 'OneTwo', thinking_blocks: [first, hidden, second], content: 'Done' })])
    expect(whole.whole).toMatchObject({ content: expected })
    const streamed = play([
      ...['O', 'ne'].map((text) => chunk({ reasoning_content: text })),
      chunk({ thinking_blocks: [first] }),
      chunk({ thinking_blocks: [hidden] }),
      chunk({ reasoning_content: 'Two' }),
      chunk({ thinking_blocks: [second] }),
      chunk({ content: 'Done' }),
    ])
    expect(streamed.whole).toMatchObject({ content: expected })
    expect(faultsIn(wire(streamed.events))).toEqual([])
    const signatures = streamed.events.flatMap(({ delta }) =>
      isObject(delta) && delta['type'] === 'signature_delta' ? [delta['signature']] : [],
    )
    expect(signatures).toEqual(['sluice:c2ln', 'sluice:c2lu'])
  })

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
