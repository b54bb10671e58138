import { describe, expect, setDefaultTimeout, test } from 'bun:test'
import type { ChatDialect, Dialect } from '../core/dialect.ts'
import type { JsonObject } from '../core/json.ts'
import { Rewrites } from '../core/rewrites.ts'
import { bytesBefore, lengthsIn } from '../core/text-places.ts'
import { anthropicStream } from '../protocols/anthropic/stream.ts'
import { claudeIds, withChatIds } from '../protocols/calls/call-ids.ts'
import { citationsIn } from '../protocols/gemini/citations.ts'
import { generateByChat } from '../protocols/generate/by-chat.ts'
import { createResponse } from '../protocols/generate/response.ts'
import { messagesByChat } from '../protocols/messages/by-chat.ts'
import { createMessageEvents } from '../protocols/messages/message-events.ts'
import { openai } from '../protocols/openai/dialect.ts'
import { responsesAsChat } from '../protocols/responses/as-chat.ts'
import { byChat } from '../protocols/responses/by-chat.ts'
import { createResponseEvents } from '../protocols/responses/response-events.ts'
import { createCollector } from '../protocols/shared/chat-collector.ts'
import { charactersMax, excessIn, partsMax } from '../protocols/shared/response-parts.ts'

/** Processor time is what is measured; on a machine with other work it may take many times as long. */
setDefaultTimeout(60_000)

const context = { id: 'x_1', created: 1, model: 'm', isDetailed: true, echo: { returnsReasoning: true, showsReasoning: true } } as const
const chunk = (delta: JsonObject): JsonObject => ({ choices: [{ index: 0, delta, finish_reason: null }] })
const call = (index: number, input = '{"a":1}'): JsonObject => ({
  index,
  id: `c${index}`,
  type: 'function',
  function: { name: 'f', arguments: input },
})

/** Milliseconds of the processor. What takes the square of a number takes a hundred times as long as this at the numbers of these tests. */
const cpuMsMax = 4_000

function withinTime<T>(run: () => T): T {
  const before = process.cpuUsage()
  const result = run()
  expect(process.cpuUsage(before).user / 1_000).toBeLessThan(cpuMsMax)
  return result
}

const count = 32_000
const each = <T>(make: (index: number) => T): T[] => Array.from({ length: count }, (_, index) => make(index))
const cited = {
  annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A', start_index: 1, end_index: 3 } }],
}

const chunksOf: Readonly<Record<string, () => JsonObject[]>> = {
  'tool calls': () => each((index) => chunk({ tool_calls: [call(index)] })),
  'tool calls in one chunk': () => [chunk({ tool_calls: each((index) => call(index)) })],
  'signed blocks of reasoning': () =>
    each((index) => chunk({ thinking_blocks: [{ type: 'thinking', thinking: `t${index}`, signature: `s${index}` }] })),
  'blocks of reasoning among texts': () =>
    each((index) =>
      chunk(index % 2 === 0 ? { reasoning_content: 't' } : { content: 'w', thinking_blocks: [{ type: 'thinking', signature: 's' }] }),
    ),
  'citations of one text': () => [chunk({ content: 'text' }), ...each(() => chunk(cited))],
  'citations among calls': () => each((index) => chunk({ tool_calls: [call(index)], ...cited })),
  'pieces of two calls by turns': () =>
    each(() =>
      chunk({ tool_calls: [0, 1].map((index) => ({ index, id: `c${index}`, function: { name: 'f', arguments: '{"a":"xxxxxxxxxx}' } })) }),
    ),
  'pieces of a call beside one that never ends': () => [
    chunk({ tool_calls: [call(0, `{"a":"${'x'.repeat(200_000)}}`)] }),
    ...each(() => chunk({ tool_calls: [call(1, 'x')] })),
  ],
}

describe.each(Object.entries(chunksOf))('a response with tens of thousands of %s', (_name, make) => {
  test.each([
    ['messages', createMessageEvents],
    ['responses', createResponseEvents],
    ['generateContent', createResponse],
  ] as const)('is written as %s in linear time', (_kind, create) => {
    const chunks = make()
    const events = withinTime(() => {
      const writer = create(context)
      return [...chunks.flatMap((one) => writer.chunk(one)), ...writer.end(null)]
    })
    expect(events.length).toBeGreaterThan(0)
  })

  test('is collected in linear time', () => {
    const chunks = make()
    withinTime(() => {
      const collector = createCollector()
      for (const one of chunks) collector.add(one)
      return collector.whole({ usage: null, context })
    })
  })
})

test('log probabilities that come with each of many chunks are collected in linear time', () => {
  const collector = createCollector()
  const logprobs = { content: [{ token: 'a', logprob: 0 }] }
  withinTime(() => {
    for (let index = 0; index < 4 * count; index += 1)
      collector.add({ choices: [{ index: 0, delta: { role: 'assistant', content: 'a' }, logprobs }] })
  })
  const { choices } = collector.whole({ usage: null, context })
  expect(choices).toMatchObject([
    { message: { role: 'assistant', content: 'a'.repeat(4 * count) }, logprobs: { content: { length: 4 * count } } },
  ])
})

describe('a stream of Anthropic', () => {
  const read = (events: readonly JsonObject[], isDetailed: boolean) => {
    const { isDetailed: _detailed, ...plain } = context
    const stream = anthropicStream(isDetailed ? context : plain)
    return withinTime(() => events.flatMap((event) => stream.event(JSON.stringify(event)).chunks))
  }
  const end = [{ type: 'content_block_stop' }, { type: 'message_delta', delta: { stop_reason: 'end_turn' } }]

  test('has all of many citations and reasoning at its end', () => {
    const citations = each(() => ({
      type: 'content_block_delta',
      delta: { type: 'citations_delta', citation: { url: 'https://a.example' } },
    }))
    const text = { type: 'content_block_start', content_block: { type: 'text', text: 'text' } }
    const reasoningBlocks = each((index) => [
      { type: 'content_block_start', content_block: { type: 'thinking', thinking: `t${index}`, signature: 's' } },
      { type: 'content_block_stop' },
    ]).flat()
    const chunks = read([{ type: 'message_start', message: {} }, ...reasoningBlocks, text, ...citations, ...end], false)
    expect(JSON.stringify(chunks).match(/url_citation"/g)).toHaveLength(2 * count)
    expect(JSON.stringify(chunks.at(-3)).match(/"signature"/g)).toHaveLength(count)
  })

  test('shares nothing with another stream', () => {
    const reasoningText = [
      { type: 'content_block_start', content_block: { type: 'thinking', thinking: 't', signature: 's' } },
      { type: 'content_block_stop' },
    ]
    for (let time = 0; time < 2; time += 1)
      expect(
        JSON.stringify(read([{ type: 'message_start', message: {} }, ...reasoningText, ...end], false)).match(/"signature"/g),
      ).toHaveLength(1)
  })
})

test('encrypted reasoning of many items of a response is kept in linear time', () => {
  const stream = responsesAsChat.stream(context)
  const item = { type: 'reasoning', id: 'r', encrypted_content: 'e' }
  withinTime(() => {
    for (const event of each(() => ({ type: 'response.output_item.done', item }))) stream.event(JSON.stringify(event))
  })
})

describe('places in a text', () => {
  const text = 'aé漢😀b'
  test('are converted between characters and bytes of UTF-8', () => {
    for (let end = 0; end <= text.length; end += 1) {
      if (end === 4) continue
      const bytes = new TextEncoder().encode(text.slice(0, end)).length
      expect(bytesBefore(text, [end]).get(end)).toBe(bytes)
      expect(lengthsIn(text, [bytes]).get(bytes)).toBe(end)
    }
    expect(lengthsIn(text, [99, -1, 0])).toEqual(
      new Map([
        [-1, 0],
        [0, 0],
        [99, text.length],
      ]),
    )
  })

  test('are converted together, however many there are', () => {
    const places = each((index) => ({ segment: { startIndex: index, endIndex: 2 * count - index }, groundingChunkIndices: [0] }))
    const citations = withinTime(() =>
      citationsIn({ groundingChunks: [{ web: { uri: 'https://a.example' } }], groundingSupports: places }, 'text'.repeat(count)),
    )
    expect(citations[5]).toMatchObject({ url_citation: { start_index: 5, end_index: 2 * count - 5 } })
  })
})

test('results of many calls of one id are matched in linear time', () => {
  const calls = each(() => call(0))
  const results = calls.map(() => ({ role: 'tool', tool_call_id: 'c0', content: '1' }))
  const messages = withinTime(() => withChatIds([{ role: 'assistant', tool_calls: calls }, ...results], claudeIds, new Rewrites()))
  expect(messages.at(-1)).toMatchObject({ tool_call_id: `c0_${count}` })
})

describe.each<readonly [string, (chat: ChatDialect) => Dialect]>([
  ['messages', messagesByChat],
  ['responses', byChat],
  ['generateContent', generateByChat],
])('a response as %s', (_kind, by) => {
  const { passthrough: _passed, ...form } = openai
  const replied = (calls: number): ChatDialect => ({
    ...form,
    response: () => ({
      response: {
        choices: [{ index: 0, message: { role: 'assistant', tool_calls: Array.from({ length: calls }, (_, index) => call(index)) } }],
      },
      usage: null,
    }),
    stream: () => ({
      event: (data) => ({ chunks: [chunk({ tool_calls: [call(Number(data))] })], text: '', failure: null }),
      end: () => ({ complete: true, usage: null }),
    }),
  })

  test('has at most ten thousand tool calls: a whole one with more is a failure', () => {
    expect(by(replied(partsMax)).response?.({}, context)).toHaveProperty('response')
    expect(by(replied(partsMax + 1)).response?.({}, context)).toEqual(excessIn({ parts: partsMax + 1 }))
  })

  test('has at most ten thousand tool calls: a stream with more ends with an error', () => {
    const stream = by(replied(0)).stream?.(context)
    const failures = Array.from({ length: partsMax + 1 }, (_, index) => stream?.event(String(index)).failure)
    expect(failures.findIndex((failure) => failure !== null)).toBe(partsMax)
    expect(failures.at(-1)).toEqual(excessIn({ parts: partsMax + 1 }))
  })
})

test('a response has at most eight million characters, which its last events repeat', () => {
  for (const piece of [{ content: 'x'.repeat(1024 * 1024) }, { tool_calls: [call(0, 'x'.repeat(1024 * 1024))] }]) {
    const writer = createResponseEvents(context)
    for (let length = 0; length < charactersMax; length += 1024 * 1024) writer.chunk(chunk(piece))
    expect(excessIn(writer)).toBeNull()
    writer.chunk(chunk({ content: 'x' }))
    expect(excessIn(writer)?.message).toContain(String(charactersMax))
  }
})
