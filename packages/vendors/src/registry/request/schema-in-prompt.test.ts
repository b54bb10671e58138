import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../core/json.ts'
import { fittingSchema } from '../../protocols/shared/schema-instruction.ts'
import { conformToSchema, findSchemaInPrompt } from './schema-in-prompt.ts'

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
const responseOf = (content: string, reason = 'stop'): JsonObject => ({
  choices: [{ index: 0, message: { role: 'assistant', content }, finish_reason: reason }],
})
const rule = { kind: 'chat', schema, field: 'response_format' } as const
const contentIn = (content: string) => {
  const read = conformToSchema(responseOf(content), rule)
  return 'failed' in read ? read.failed.message.replace(/^.*response_format: /, '') : read.response
}

describe('the output for a schema that was given in the prompt', () => {
  test.each(['{"city":"Porto"}', '{"city":"Porto","days":[{"high":18}],"wind":null,"sky":"grey"}'])('%s fits', (content) => {
    expect(contentIn(content)).toEqual(responseOf(content))
  })

  test('loses the block of Markdown around it', () => {
    expect(contentIn('```json\n{"city":"Porto"}\n```')).toEqual(responseOf('{"city":"Porto"}'))
  })

  test.each(['  ```\n{"city":"Porto"}\n```  ', '```json \r\n\n{"city":"Porto"}```', '```json\n{"city":"Porto"}\n\n  ```\n'])(
    'loses the block of Markdown around it, however that is set: %j',
    (content) => {
      expect(contentIn(content)).toEqual(responseOf('{"city":"Porto"}'))
    },
  )

  test.each([
    '```json {"city":"Porto"}```',
    '```js\n{"city":"Porto"}\n```',
    'See: ```\n{"city":"Porto"}\n```',
    '```',
    '`````',
    '``````',
    '```json\n```',
  ])('is no JSON in another block: %j', (content) => {
    expect(contentIn(content)).toBe('it is no JSON')
  })

  test.each(['\n', ' \n', '\t', '\r\n', ' '])('is read in time if the model ends in %j for ever', (blank) => {
    const before = performance.now()
    expect(contentIn(`\`\`\`json\n${blank.repeat(1_000_000)}`)).toBe('it is no JSON')
    expect(contentIn(`\`\`\`json\n${blank.repeat(500_000)}{"city":7}${blank.repeat(500_000)}\`\`\``)).toBe('$.city')
    expect(performance.now() - before).toBeLessThan(500)
  })

  test('is passed on as it is if the check would take too long', () => {
    const content = '```json\n{"city":7}\n```'
    const endless = { kind: 'chat', schema: { allOf: [{ $ref: '#' }] }, field: 'response_format' } as const
    expect(conformToSchema(responseOf(content), endless)).toEqual({ response: responseOf(content) })
    const deep = `{"city":${'['.repeat(1_000)}${']'.repeat(1_000)}}`
    expect(conformToSchema(responseOf(deep), rule)).toEqual({ response: responseOf(deep) })
  })

  test('that does not fit is reported without names of its own', () => {
    expect(contentIn(`{"city":"Porto","${'m'.repeat(100_000)}":1}`)).toBe('$.*')
  })

  test.each([
    ['Sunny in Porto.', 'it is no JSON'],
    ['[]', '$'],
    ['{}', '$.city is missing'],
    ['{"city":7}', '$.city'],
    ['{"city":"Porto","more":1}', '$.*'],
    ['{"city":"Porto","days":[{"high":18},{"high":1.5}]}', '$.days[1].high'],
    ['{"city":"Porto","wind":"west"}', '$.wind'],
    ['{"city":"Porto","sky":"green"}', '$.sky'],
  ])('%s does not fit: %s', (content, place) => {
    expect(contentIn(content)).toBe(place)
  })

  test('is not checked if it was cut off, was refused, or calls a tool', () => {
    expect(conformToSchema(responseOf('{"ci', 'length'), rule)).toEqual({ response: responseOf('{"ci', 'length') })
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
] as const)('a response of the kind %s', (kind, field, of) => {
  const read = (text: string) => conformToSchema(of(text), { kind, schema, field })

  test('is checked, and loses the block of Markdown around it', () => {
    expect(read('```json\n{"city":"Porto"}\n```')).toMatchObject({ response: of('{"city":"Porto"}') })
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
    for (const response of [cut, calling]) expect(conformToSchema(response, { kind, schema, field })).toMatchObject({ response })
  })
})

test('a response whose text was changed is stored as it was sent', () => {
  const read = conformToSchema(outputOf('```json\n{"city":"Porto"}\n```'), { kind: 'responses', schema, field: 'text.format' })
  expect(read).toMatchObject({
    items: [{ id: 'rs_1' }, { id: 'msg_1', content: { content: [{ text: '{"city":"Porto"}' }] } }, { id: 'resp_1' }],
  })
})

test('a schema counts as given in the prompt if a text of the request has it, and not if the vendor has a field for it', () => {
  const chat = { response_format: { type: 'json_schema', json_schema: { name: 'a', schema } } }
  const body = { messages: [{ role: 'system', content: `Answer with JSON ${fittingSchema(schema)}.` }] }
  expect(findSchemaInPrompt(chat, { body })).toEqual(schema)
  expect(findSchemaInPrompt(chat, { body: { messages: [], ...chat } })).toBeUndefined()
  expect(findSchemaInPrompt(chat, { body, unwrapTool: 'json' })).toBeUndefined()
  expect(findSchemaInPrompt({}, { body })).toBeUndefined()
})

test('a long schema is looked for in linear time', () => {
  const long: JsonObject = { description: `${'a'.repeat(200_000)}z${'a'.repeat(200_000)}` }
  const format = { type: 'json_schema', json_schema: { name: 'a', schema: long } }
  const texts = ['a'.repeat(2_000_000), fittingSchema({ description: 'a'.repeat(200_000) }).repeat(20)]
  const before = performance.now()
  expect(findSchemaInPrompt({ response_format: format }, { body: { messages: texts } })).toBeUndefined()
  expect(findSchemaInPrompt({ response_format: format }, { body: { messages: [...texts, fittingSchema(long)] } })).toEqual(long)
  expect(performance.now() - before).toBeLessThan(1_000)
})
