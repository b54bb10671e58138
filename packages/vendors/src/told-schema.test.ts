import { describe, expect, test } from 'bun:test'
import type { JsonObject } from './json.ts'
import { fitted, toldSchema } from './told-schema.ts'

const schema: JsonObject = {
  type: 'object',
  properties: {
    city: { type: 'string' },
    days: { type: 'array', items: { $ref: '#/$defs/day' } },
    wind: { anyOf: [{ type: 'number' }, { type: 'null' }] },
    sky: { enum: ['clear', 'grey'] },
  },
  required: ['city'],
  additionalProperties: false,
  $defs: { day: { type: 'object', properties: { high: { type: 'integer' } }, required: ['high'] } },
}
const replyOf = (content: string, reason = 'stop'): JsonObject => ({
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: reason }],
})
const told = { kind: 'chat', schema, field: 'response_format' } as const
const contentIn = (content: string) => {
  const read = fitted(replyOf(content), told)
  return 'failed' in read ? read.failed.message.replace(/^.*response_format: /, '') : read.reply
}

describe('an answer to a schema that was told in words', () => {
  test.each(['{"city":"Porto"}', '{"city":"Porto","days":[{"high":18}],"wind":null,"sky":"grey"}'])('%s fits', (content) => {
    expect(contentIn(content)).toEqual(replyOf(content))
  })

  test('loses the block of Markdown around it', () => {
    expect(contentIn('```json\n{"city":"Porto"}\n```')).toEqual(replyOf('{"city":"Porto"}'))
  })

  test.each([
    ['Sunny in Porto.', 'it is no JSON'],
    ['[]', '$'],
    ['{}', '$.city is missing'],
    ['{"city":7}', '$.city'],
    ['{"city":"Porto","more":1}', '$.more'],
    ['{"city":"Porto","days":[{"high":18},{"high":1.5}]}', '$.days[1].high'],
    ['{"city":"Porto","wind":"west"}', '$.wind'],
    ['{"city":"Porto","sky":"green"}', '$.sky'],
  ])('%s does not fit: %s', (content, place) => {
    expect(contentIn(content)).toBe(place)
  })

  test('is not checked if it was cut off, was refused, or calls a tool', () => {
    expect(fitted(replyOf('{"ci', 'length'), told)).toEqual({ reply: replyOf('{"ci', 'length') })
  })
})

const textIn = (text: string) => ({ type: 'text', text })
const outputOf = (text: string): JsonObject => ({
  id: 'resp_1',
  status: 'completed',
  output: [
    { type: 'reasoning', id: 'rs_1' },
    { type: 'message', id: 'msg_1', content: [{ type: 'output_text', text }] },
  ],
})

describe.each([
  ['messages', 'output_config.format', (text: string) => ({ stop_reason: 'end_turn', content: [{ type: 'thinking' }, textIn(text)] })],
  [
    'generate',
    'generationConfig.responseMimeType',
    (text: string) => ({ candidates: [{ finishReason: 'STOP', content: { parts: [{ text: 'Hm', thought: true }, { text }] } }] }),
  ],
  ['responses', 'text.format', outputOf],
] as const)('an answer of the kind %s', (kind, field, of) => {
  const read = (text: string) => fitted(of(text), { kind, schema, field })

  test('is checked, and loses the block of Markdown around it', () => {
    expect(read('```json\n{"city":"Porto"}\n```')).toMatchObject({ reply: of('{"city":"Porto"}') })
    expect(read('{"city":7}')).toMatchObject({ failed: { param: field, message: expect.stringContaining('$.city') } })
  })

  test('is not checked if it was cut off or calls a tool', () => {
    const cut = {
      messages: { stop_reason: 'max_tokens', content: [textIn('{"ci')] },
      generate: { candidates: [{ finishReason: 'MAX_TOKENS', content: { parts: [{ text: '{"ci' }] } }] },
      responses: { ...outputOf('{"ci'), status: 'incomplete' },
    }[kind]
    const calling = {
      messages: { stop_reason: 'tool_use', content: [textIn('I look'), { type: 'tool_use' }] },
      generate: { candidates: [{ finishReason: 'STOP', content: { parts: [{ text: 'I look' }, { functionCall: { name: 'f' } }] } }] },
      responses: { status: 'completed', output: [{ type: 'function_call' }] },
    }[kind]
    for (const reply of [cut, calling]) expect(fitted(reply, { kind, schema, field })).toMatchObject({ reply })
  })
})

test('a response whose text was changed is stored as it was sent', () => {
  const read = fitted(outputOf('```json\n{"city":"Porto"}\n```'), { kind: 'responses', schema, field: 'text.format' })
  expect(read).toMatchObject({
    items: [{ id: 'rs_1' }, { id: 'msg_1', content: { content: [{ text: '{"city":"Porto"}' }] } }, { id: 'resp_1' }],
  })
})

test('a schema is told if it stands in a text of the request, and is not if the vendor has a field for it', () => {
  const chat = { response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } }
  const body = { messages: [{ role: 'system', content: `Fit this: ${JSON.stringify(schema)}` }] }
  expect(toldSchema(chat, { body })).toEqual(schema)
  expect(toldSchema(chat, { body: { messages: [], ...chat } })).toBeUndefined()
  expect(toldSchema(chat, { body, unwrapTool: 'json' })).toBeUndefined()
  expect(toldSchema({}, { body })).toBeUndefined()
})
