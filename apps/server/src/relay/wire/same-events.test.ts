import { describe, expect, test } from 'bun:test'
import { pivotOf } from '@sluice/vendors/protocols/pivot-of'
import fc from 'fast-check'
import { geminiProtocol } from './protocols/gemini.ts'
import { SameEventReader } from './same-events.ts'
import { createSseReader } from './sse.ts'
import { passedView } from './stream-views.ts'

const passthrough = pivotOf('chat')

/** Reads the data of events, as their bytes arrive; `frame` puts them into an event. */
function readerOf(read = passthrough, frame = (data: string): string => `data: ${data}\n\n`): typeof passthrough.event {
  const reader = new SameEventReader(read)
  return (data) => {
    const raw = Buffer.from(frame(data))
    return reader.same({ data, raw }) ?? reader.read(data, raw)
  }
}

/** What is charged and decided by: the parsed chunk itself is left out where it was not parsed. */
const seenOf = ({ chunk: _, callsTools = false, isEmpty = false, ...event }: ReturnType<typeof passthrough.event>) => ({
  ...event,
  callsTools,
  isEmpty,
})

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' }
const chunkOf = (delta: object, more: object = {}, choice: object = {}): string =>
  JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: null, ...choice }], ...more })

/** Each chunk of a stream is read as it would be alone. */
function expectSame(chunks: readonly string[], ...reading: Parameters<typeof readerOf>): void {
  const read = readerOf(...reading)
  const { event } = reading[0] ?? passthrough
  for (const data of chunks) expect(seenOf(read(data))).toEqual(seenOf(event(data)))
}

describe('the chunks of one stream are read as each would be by itself', () => {
  test('of which only the text changes', () => {
    expectSame(
      ['', 'Hello', ' "wor\\ld"\n', ' 世界 \u{1f600}', '\u2028', '\\', '"', '\\"', 'content":"x'].map((content) => chunkOf({ content })),
    )
  })

  test('with padding of random length', () => {
    expectSame(
      ['abc', '', 'Qup1BsQ3', 'x'].map((obfuscation, index) => chunkOf({ content: `word ${index}` }, { usage: null, obfuscation })),
    )
  })

  test('that change from reasoning to text, call a tool, finish and report their usage', () => {
    const call = { tool_calls: [{ index: 0, id: 'c', type: 'function', function: { name: 'f', arguments: '{"content":"x"}' } }] }
    expectSame([
      chunkOf({ role: 'assistant', content: null, reasoning_content: '' }),
      chunkOf({ content: null, reasoning_content: 'hm' }),
      chunkOf({ content: null, reasoning_content: 'hm, "so"' }),
      chunkOf({ content: 'So', reasoning_content: null }),
      chunkOf({ content: ' it is', reasoning_content: null }),
      chunkOf(call),
      chunkOf({ content: ' it is', reasoning_content: null }),
      chunkOf({}, {}, { finish_reason: 'stop' }),
      JSON.stringify({ ...head, choices: [], usage: { prompt_tokens: 1, completion_tokens: 2 } }),
    ])
  })

  test('whose text stands where it is not read from', () => {
    const other = (content: string): string => chunkOf({ content: [{ type: 'text', text: 'part' }] }, { note: { content } })
    expectSame(['a', 'b', 'c'].map(other))
  })

  test('with two members of the same name, or broken JSON', () => {
    const double = (text: string): string => `{"choices":[{"delta":{"content":"${text}","content":"b"}}]}`
    expectSame([
      double('a'),
      double('c'),
      chunkOf({ content: 'a' }),
      `${chunkOf({ content: 'b' })}x`,
      chunkOf({ content: 'c' }).slice(0, -1),
    ])
  })

  test('with a name, other line ends, or without the space in front of their data', () => {
    const chunks = ['a', 'b "c"', '', 'd'].map((content) => chunkOf({ content }, { obfuscation: 'x' }))
    for (const frame of ['event: chunk\ndata: DATA\n\n', 'data:DATA\r\n\r\n', 'data: DATA\nid: 1\n\n', ': DATA\ndata: DATA\n\n'])
      expectSame(chunks, passthrough, (data) => frame.replaceAll('DATA', data))
  })

  test('of a completion', () => {
    const completions = pivotOf('completions')
    const chunkOfText = (text: string): string => JSON.stringify({ id: 'c', choices: [{ index: 0, text, finish_reason: null }] })
    expectSame(['a', 'b "c"', '', 'd'].map(chunkOfText), completions)
  })

  test('whatever their texts and their other members are', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\\', '"', '","content":"', '"}', ''))
    const member = fc.constantFrom('content', 'reasoning_content', 'reasoning', 'refusal')
    const chunk = fc
      .tuple(member, text, fc.option(text, { nil: undefined }), fc.constantFrom({}, { created: 2 }, { usage: null }))
      .map(([name, words, obfuscation, more]) =>
        chunkOf({ [name]: words }, { ...more, ...(obfuscation === undefined ? {} : { obfuscation }) }),
      )
    fc.assert(
      fc.property(fc.array(chunk, { maxLength: 30 }), (chunks) => expectSame(chunks)),
      { numRuns: 300 },
    )
  })
})

test('an event is never taken for two, nor two for one', () => {
  const reader = new SameEventReader(passthrough)
  const [one, other] = ['a', 'b'].map((content) => Buffer.from(`data: ${chunkOf({ content })}\n\n`))
  if (one === undefined || other === undefined) throw new Error('two events are needed')
  reader.read(chunkOf({ content: 'a' }), one)
  const same = (raw: Buffer) => reader.same({ data: null, raw })
  expect(same(other)?.text).toBe('b')
  expect(same(Buffer.concat([one, other]))).toBeNull()
  expect(same(other.subarray(0, -1))).toBeNull()
  expect(same(Buffer.concat([other, Buffer.from('\n')]))).toBeNull()
  for (const inText of ['\n\n', '\n', '\r', '\0', '\t'])
    expect(same(Buffer.from(other.toString().replace('"b"', `"b${inText}"`)))).toBeNull()
})

/** How often the work parses JSON. */
function parsesIn(work: () => void): number {
  const parse = JSON.parse
  let parsed = 0
  JSON.parse = (text: string) => {
    parsed += 1
    return parse(text)
  }
  try {
    work()
    return parsed
  } finally {
    JSON.parse = parse
  }
}

test('chunks of which only the text changes are parsed twice in all: the first, and once to be sure of the pattern', () => {
  const read = readerOf()
  const work = (): void => {
    for (let index = 0; index < 100; index++) expect(read(chunkOf({ content: `word ${index}` })).text).toBe(`word ${index}`)
  }
  expect(parsesIn(work)).toBe(2)
})

/** An event of Google's, as its API writes it (Gemini API, "Streaming", read 2026-11-23). */
const googleEvent = (text: string, counts: object, more = ''): string =>
  `{"candidates": [{"content": {"parts": [{"text": ${JSON.stringify(text)}}],"role": "model"}${more},"index": 0}],"usageMetadata": ${JSON.stringify(counts)},"modelVersion": "gemini-3.1-pro"}`

describe('events that each report a growing usage', () => {
  const options = { context: { id: 'g', created: 1, model: 'gemini-3.1-pro' }, wantsUsage: true, streamError: geminiProtocol.streamError }
  const generate = pivotOf('generate')
  const { changing: _, ...parsing } = generate
  const eventOf = (data: string) => {
    const [event] = createSseReader().push(Buffer.from(`data: ${data}\r\n\r\n`))
    if (event === undefined) throw new Error('the event is not whole')
    return event
  }
  /** What is charged and reported if the client disconnects after each of them. */
  const readBy = (reading: typeof generate, events: readonly string[]) =>
    events.map((_event, index) => {
      const view = passedView(reading, options)
      const texts = events.slice(0, index + 1).map((data) => view.event(eventOf(data)).text)
      const { usage, isComplete } = view.end()
      return { texts, usage, isComplete }
    })

  test('are parsed only where the stream begins and ends', () => {
    const view = passedView(generate, options)
    const work = (): void => {
      for (let index = 1; index <= 100; index++) {
        const counts = { promptTokenCount: 9, candidatesTokenCount: index * 3, totalTokenCount: index * 3 + 9 }
        expect(view.event(eventOf(googleEvent(`word ${index}`, counts))).text).toBe(`word ${index}`)
      }
      expect(view.end().usage).toMatchObject({ promptTokens: 9, completionTokens: 300 })
    }
    expect(parsesIn(work)).toBe(3)
  })

  test('are counted as if each were parsed, whatever their counts are', () => {
    const count = fc.oneof(fc.nat(60), fc.constantFrom(-1, 1.5, 1e21, 2 ** 53 - 1, '7', null))
    const counts = fc.record(
      { promptTokenCount: count, candidatesTokenCount: count, thoughtsTokenCount: count, cachedContentTokenCount: fc.constantFrom(0, 5) },
      { requiredKeys: [] },
    )
    const more = fc.constantFrom('', '', '', ',"finishReason": "STOP"', ',"finishReason": "SAFETY"')
    const event = fc.tuple(fc.string({ unit: 'binary' }), counts, more).map((parts) => googleEvent(...parts))
    const growing = fc.array(fc.tuple(fc.string(), fc.nat(9)), { minLength: 1, maxLength: 12 }).map((steps) => {
      const sumAt = (last: number): number => steps.slice(0, last + 1).reduce((sum, [, more]) => sum + more, 0)
      return steps.map(([text], at) =>
        googleEvent(text, { promptTokenCount: 8, candidatesTokenCount: sumAt(at), totalTokenCount: sumAt(at) + 8 }),
      )
    })
    fc.assert(
      fc.property(fc.oneof(growing, fc.array(event, { maxLength: 12 })), (events) => {
        expect(readBy(generate, events)).toEqual(readBy(parsing, events))
      }),
      { numRuns: 300 },
    )
  })

  test('that count less than before are no usage to charge by', () => {
    const counted = (candidatesTokenCount: number) => googleEvent('a', { promptTokenCount: 9, candidatesTokenCount })
    expect(readBy(generate, [5, 6, 9, 7].map(counted)).at(-1)?.usage).toMatchObject({ isSuspect: true })
  })
})

test("Anthropic's blanks behind an event are no reason to parse it", () => {
  const { open } = pivotOf('messages')
  const reader = new SameEventReader({ event: open?.() ?? passthrough.event, changing: { text: ['text', 'thinking', 'partial_json'] } })
  const texts: string[] = []
  const work = (): void => {
    for (let index = 0; index < 100; index++) {
      const data = `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"w${index}"}${' '.repeat((index * 7) % 13)}}`
      const raw = Buffer.from(`event: content_block_delta\ndata: ${data}\n\n`)
      texts.push((reader.same({ data, raw }) ?? reader.read(data, raw)).text)
    }
  }
  expect(parsesIn(work)).toBe(2)
  expect(texts.join('')).toBe(Array.from({ length: 100 }, (_text, index) => `w${index}`).join(''))
})
