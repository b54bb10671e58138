import { expect, test } from 'bun:test'
import { eventReader, withPart } from './completion-chunks.ts'
import { newCompletion } from './conversation.ts'

const start = newCompletion('gpt-4o', 0)
const delta = (content: Readonly<Record<string, unknown>>) => ({ choices: [{ index: 0, delta: content }] })

test('events are read alike wherever the bytes of a stream are cut', () => {
  const stream = 'data: {"a":1}\r\n\r\n: a comment\n\ndata:{"b":"ä\\n"}\n\nevent: x\ndata: [DONE]\n\n'
  for (let size = 1; size <= stream.length; size++) {
    const read = eventReader()
    const pieces = Array.from({ length: Math.ceil(stream.length / size) }, (_, index) => stream.slice(index * size, (index + 1) * size))
    expect(pieces.flatMap(read)).toEqual(['{"a":1}', '{"b":"ä\\n"}', '[DONE]'])
  }
})

test('text, reasoning and usage of a stream come together', () => {
  const parts = [
    delta({ role: 'assistant', content: '' }),
    delta({ reasoning_content: 'Hm' }),
    delta({ reasoning: '.' }),
    delta({ content: 'Hel' }),
    { choices: [{ delta: { content: 'lo' }, finish_reason: 'stop' }] },
    { choices: [], usage: { prompt_tokens: 3, completion_tokens: 2 } },
  ]
  expect(parts.reduce(withPart, start)).toMatchObject({
    text: 'Hello',
    reasoning: 'Hm.',
    finishReason: 'stop',
    usage: { promptTokens: 3, completionTokens: 2 },
    state: 'running',
  })
})

test('calls of functions come together by their index, also where a vendor leaves it out', () => {
  const call = (part: Readonly<Record<string, unknown>>) => delta({ tool_calls: [part] })
  const indexed = [
    call({ index: 0, id: 'a', function: { name: 'rain', arguments: '' } }),
    call({ index: 1, id: 'b', function: { name: 'wind', arguments: '{' } }),
    call({ index: 0, function: { arguments: '{"day":1}' } }),
    call({ index: 1, function: { arguments: '}' } }),
  ]
  const plain = [
    call({ id: 'a', function: { name: 'rain', arguments: '' } }),
    call({ function: { arguments: '{"day":1}' } }),
    call({ id: 'b', function: { name: 'wind', arguments: '{}' } }),
  ]
  for (const parts of [indexed, plain]) {
    expect(parts.reduce(withPart, start).calls).toEqual([
      { id: 'a', name: 'rain', arguments: '{"day":1}' },
      { id: 'b', name: 'wind', arguments: '{}' },
    ])
  }
})

test('a whole response is read like a stream, and an image of a model is an image of its text', () => {
  const whole = { choices: [{ message: { content: 'Hi', tool_calls: [{ id: 'a', function: { name: 'f', arguments: '{}' } }] } }] }
  expect(withPart(start, whole)).toMatchObject({ text: 'Hi', calls: [{ id: 'a', name: 'f', arguments: '{}' }] })
  const parts = [
    { type: 'text', text: 'See' },
    { type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } },
  ]
  expect(withPart(start, delta({ content: parts })).text).toBe('See\n\n![](data:image/png;base64,AA)\n\n')
})

test('an error in a stream ends the response with its reason', () => {
  const completion = [delta({ content: 'Be' }), { error: { message: 'The upstream broke off' } }].reduce(withPart, start)
  expect(completion).toMatchObject({ state: 'failed', text: 'Be', error: 'The upstream broke off' })
})

test('anything that is no response changes nothing', () => {
  for (const part of [null, 1, 'text', [], {}, { choices: 'x' }, { choices: [null] }, { choices: [{ delta: 3 }], usage: {} }]) {
    expect(withPart(start, part)).toEqual(start)
  }
})
