import { describe, expect, test } from 'bun:test'
import { ShallowReader, shallowJson } from './shallow-json.ts'

const deep = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth)

describe('what is not deep in JSON that is beyond the limits', () => {
  test('is read, with null in the place of what is deeper', () => {
    const text = `{"content":[{"input":{"a":{"b":{"x":{"y":${deep(70)}}},"c":1}}},{"text":"]}\\"x"}],"usage":{"output_tokens":3}}`
    expect(shallowJson(text)).toEqual({
      content: [{ input: { a: { b: { x: { y: null } }, c: 1 } } }, { text: ']}"x' }],
      usage: { output_tokens: 3 },
    })
  })

  test('is read up to where there are many values, and the first levels to their end', () => {
    const entries = Array.from({ length: 30_000 }, (_, at) => ({ token: `t${at}` }))
    const response = { choices: [{ message: { content: 'Hi' }, logprobs: { content: entries } }], usage: { total_tokens: 9 } }
    const read = shallowJson(JSON.stringify(response))
    expect(read).toMatchObject({ choices: [{ message: { content: 'Hi' } }], usage: { total_tokens: 9 } })
  })

  test('has no very long texts', () => {
    expect(shallowJson(JSON.stringify({ data: [{ b64_json: 'A'.repeat(300_000) }], created: 1 }))).toEqual({
      data: [{ b64_json: null }],
      created: 1,
    })
  })

  test('is not read if it is no JSON, is cut off, or has too many values all the same', () => {
    for (const text of ['', 'no', '{"a":[1,2', `[${deep(70)}`, `[${'1,'.repeat(40_000)}1]`, ']]]]{"a":1}'])
      expect(shallowJson(text)).toBeUndefined()
  })

  test('is read in steps of any size', () => {
    const bytes = new TextEncoder().encode(`{"a":"é,[{","b":[[[[[[[[1,{}]]]]]]],2],"c":3}`)
    for (let size = 1; size < bytes.length; size += 1) {
      const reader = new ShallowReader(bytes)
      while (reader.advance(size));
      expect(reader.value).toEqual({ a: 'é,[{', b: [[[[[[null]]]]], 2], c: 3 })
    }
  })
})
