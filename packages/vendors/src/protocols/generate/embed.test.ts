import { expect, test } from 'bun:test'
import { targetOf } from '../../../test/channel.ts'
import type { Vendor } from '../../core/vendor.ts'
import { dialectOf } from '../../registry/dialect-of.ts'
import { vendorByType } from '../../registry/list.ts'

const target = (model: string) =>
  targetOf({ kind: 'embeddings', model, channel: { baseUrl: 'https://v.example', other: '', key: 'k', config: {} } })
const text = (value: string) => ({ content: { parts: [{ text: value }] } })
function vendorOf(type: number): Vendor {
  const vendor = vendorByType(type)
  if (vendor === null) throw new Error(`there is no type ${type}`)
  return vendor
}

const context = { id: 'e1', created: 1, model: 'm' }

test('one text and a batch are embeddings of any vendor, and come back in the form of the call', () => {
  const dialect = dialectOf(vendorOf(1), 'embed', 'text-embedding-3-small')
  const one = dialect?.request({ ...text('Hi'), taskType: 'CLUSTERING', outputDimensionality: 4 }, target('text-embedding-3-small'))
  expect(one?.body).toEqual({ input: ['Hi'], dimensions: 4, model: 'text-embedding-3-small' })
  const response = { data: [{ embedding: [1, 2] }, { embedding: [3, 4] }], usage: { prompt_tokens: 5, total_tokens: 5 } }
  expect(dialect?.response?.(response, { ...context, echo: one?.echo })).toMatchObject({
    response: { embedding: { values: [1, 2] } },
    usage: { promptTokens: 5 },
  })
  const batch = dialect?.request({ requests: [text('A'), text('B')] }, target('m'))
  expect(batch?.body).toMatchObject({ input: ['A', 'B'] })
  expect(dialect?.response?.(response, { ...context, echo: batch?.echo })).toMatchObject({
    response: { embeddings: [{ values: [1, 2] }, { values: [3, 4] }] },
  })
  expect(dialect?.response?.({ error: { message: 'no' } }, context)).toMatchObject({ message: 'no' })
})

test('the vendor itself gets task, title and size', () => {
  const dialect = dialectOf(vendorOf(24), 'embed', 'gemini-embedding-001')
  const outgoing = dialect?.request(
    { ...text('Hi'), task_type: 'RETRIEVAL_DOCUMENT', title: 'T', output_dimensionality: 8 },
    target('gemini-embedding-001'),
  )
  expect(outgoing?.body).toEqual({
    requests: [
      {
        ...{ model: 'models/gemini-embedding-001', content: { parts: [{ text: 'Hi' }] } },
        ...{ outputDimensionality: 8, taskType: 'RETRIEVAL_DOCUMENT', title: 'T' },
      },
    ],
  })
  expect(dialect?.response?.({ embeddings: [{ values: [1] }] }, { ...context, echo: outgoing?.echo })).toMatchObject({
    response: { embedding: { values: [1] } },
  })
})

test('images, and settings that differ within a batch, are refused by name', () => {
  const dialect = dialectOf(vendorOf(1), 'embed', 'm')
  const image = { content: { parts: [{ inlineData: { mimeType: 'image/png', data: '' } }] } }
  expect(dialect?.request(image, target('m')).refused).toBe('content.parts[].inlineData')
  const odd = { requests: [text('A'), { ...text('B'), outputDimensionality: 3 }] }
  expect(dialect?.request(odd, target('m')).refused).toBe('requests[].outputDimensionality')
})

test.each([
  ['RETRIEVAL_QUERY', 'search_query'],
  ['question_answering', 'search_query'],
  ['RETRIEVAL_DOCUMENT', 'search_document'],
  ['CLASSIFICATION', 'classification'],
  ['CLUSTERING', 'clustering'],
  ['SEMANTIC_SIMILARITY', 'search_document'],
])('the task %s is sent to Cohere', (taskType, type) => {
  const places = [
    [35, 'embed-v4.0'],
    [33, 'cohere.embed-v4:0'],
  ] as const
  for (const [vendor, model] of places) {
    const dialect = dialectOf(vendorOf(vendor), 'embed', model)
    expect(dialect?.request({ ...text('Hi'), taskType }, target(model)).body).toMatchObject({ input_type: type })
  }
})
