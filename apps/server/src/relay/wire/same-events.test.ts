import { describe, expect, test } from 'bun:test'
import { pivotOf } from '@sluice/vendors/dialects'
import fc from 'fast-check'
import { SameEventReader } from './same-events.ts'

const passthrough = pivotOf('chat')

/** Reads the data of events, as their bytes arrive; `frame` puts them into an event. */
function readerOf(read = passthrough, frame = (data: string): string => `data: ${data}\n\n`): typeof passthrough.event {
  const reader = new SameEventReader(read)
  return (data) => {
    const raw = Buffer.from(frame(data))
    return reader.same(raw) ?? reader.read(data, raw)
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

  test('that change from thinking to speaking, call a tool, finish and tell their usage', () => {
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
  expect(reader.same(other)?.text).toBe('b')
  expect(reader.same(Buffer.concat([one, other]))).toBeNull()
  expect(reader.same(other.subarray(0, -1))).toBeNull()
  expect(reader.same(Buffer.concat([other, Buffer.from('\n')]))).toBeNull()
  for (const inText of ['\n\n', '\n', '\r', '\0', '\t'])
    expect(reader.same(Buffer.from(other.toString().replace('"b"', `"b${inText}"`)))).toBeNull()
})

test('chunks of which only the text changes are parsed twice in all: the first, and once to be sure of the pattern', () => {
  const parse = JSON.parse
  let parsed = 0
  JSON.parse = (text: string) => {
    parsed += 1
    return parse(text)
  }
  try {
    const read = readerOf()
    for (let index = 0; index < 100; index++) expect(read(chunkOf({ content: `word ${index}` })).text).toBe(`word ${index}`)
    expect(parsed).toBe(2)
  } finally {
    JSON.parse = parse
  }
})
