import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import { passthrough } from './passthrough.ts'

const readerOf = passthrough.events ?? (() => passthrough.event)

/** What is charged and decided by: the parsed chunk itself is left out where it was not parsed. */
const seenOf = (event: ReturnType<typeof passthrough.event>) => ({ ...event, chunk: undefined })

const head = { id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm' }
const chunkOf = (delta: object, more: object = {}, choice: object = {}): string =>
  JSON.stringify({ ...head, choices: [{ index: 0, delta, finish_reason: null, ...choice }], ...more })

/** Each chunk of a stream is read as it would be alone. */
function expectSame(chunks: readonly string[]): void {
  const read = readerOf()
  for (const data of chunks) expect(seenOf(read(data))).toEqual(seenOf(passthrough.event(data)))
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

  test('whatever their texts and their other members are', () => {
    const text = fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('\\', '"', '","content":"', '"}', ''))
    const member = fc.constantFrom('content', 'reasoning_content', 'reasoning', 'refusal')
    const chunk = fc
      .tuple(member, text, fc.option(text, { nil: undefined }), fc.constantFrom({}, { created: 2 }, { usage: null }))
      .map(([name, words, obfuscation, more]) =>
        chunkOf({ [name]: words }, { ...more, ...(obfuscation === undefined ? {} : { obfuscation }) }),
      )
    fc.assert(fc.property(fc.array(chunk, { maxLength: 30 }), expectSame), { numRuns: 300 })
  })
})

test('chunks of which only the text changes are parsed twice in all: the first, and once to be sure of the pattern', () => {
  const parse = JSON.parse
  let parsed = 0
  JSON.parse = (...args: Parameters<typeof parse>) => {
    parsed += 1
    return parse(...args)
  }
  try {
    const read = readerOf()
    for (let index = 0; index < 100; index++) expect(read(chunkOf({ content: `word ${index}` })).text).toBe(`word ${index}`)
    expect(parsed).toBe(2)
  } finally {
    JSON.parse = parse
  }
})
