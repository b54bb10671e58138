import { describe, expect, test } from 'bun:test'
import { targetOf } from '../../../test/channel.ts'
import { floatEmbeddings } from './float-embeddings.ts'

const target = targetOf({ kind: 'embeddings', model: 'm' })
const response = {
  object: 'list',
  data: [{ object: 'embedding', index: 0, embedding: [1, -2.5] }],
  usage: { prompt_tokens: 3, total_tokens: 3 },
}
const context = { id: 'i', created: 1, model: 'm' }

describe('embeddings of a vendor that knows numbers only', () => {
  test('are requested without a format, and encoded for a client that wants base64', () => {
    const { body, echo } = floatEmbeddings.request({ input: 'Hi', encoding_format: 'base64' }, target)
    expect(body).toEqual({ model: 'm', input: 'Hi' })
    const read = floatEmbeddings.response(response, { ...context, echo })
    const bytes = Buffer.from('AACAPwAAIMA=', 'base64')
    expect([bytes.readFloatLE(0), bytes.readFloatLE(4)]).toEqual([1, -2.5])
    expect(read).toMatchObject({ response: { data: [{ embedding: 'AACAPwAAIMA=' }] }, usage: { promptTokens: 3 } })
  })

  test('stay numbers otherwise', () => {
    const { echo } = floatEmbeddings.request({ input: 'Hi', encoding_format: 'float' }, target)
    expect(floatEmbeddings.response(response, { ...context, echo })).toMatchObject({ response: response })
  })

  test('are no response without their list', () => {
    expect(floatEmbeddings.response({ object: 'list' }, context)).toBeNull()
  })
})
