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
const contentIn = (content: string) => {
  const read = fitted(replyOf(content), schema)
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
    expect(fitted(replyOf('{"ci', 'length'), schema)).toEqual({ reply: replyOf('{"ci', 'length') })
  })
})

test('a schema is told if it stands in a text of the request, and is not if the vendor has a field for it', () => {
  const chat = { response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } }
  const told = { messages: [{ role: 'system', content: `Fit this: ${JSON.stringify(schema)}` }] }
  expect(toldSchema(chat, { body: told })).toEqual(schema)
  expect(toldSchema(chat, { body: { messages: [], ...chat } })).toBeUndefined()
  expect(toldSchema(chat, { body: told, unwrapTool: 'json' })).toBeUndefined()
  expect(toldSchema({}, { body: told })).toBeUndefined()
})
