import { expect, test } from 'bun:test'
import type { JsonObject } from '../../core/json.ts'
import { noUsage } from '../../core/no-usage.ts'
import { createResponse } from './response.ts'

const context = { id: 'r1', created: 1, model: 'm', echo: { showsReasoning: true } }
const delta = (delta: JsonObject, reason: string | null = null, index = 0) => ({ choices: [{ index, delta, finish_reason: reason }] })
const usage = { ...noUsage, promptTokens: 10, completionTokens: 7, reasoningTokens: 3, cachedTokens: 4 }
const parts = (responses: readonly JsonObject[]) =>
  responses.flatMap((one) => (one['candidates'] as JsonObject[]) ?? []).map((one) => one['content'])

test('texts and reasoning are sent as they come, and the last response has reason and usage', () => {
  const response = createResponse(context)
  expect(response.chunk(delta({ role: 'assistant', content: '' }))).toEqual([])
  expect(response.chunk(delta({ reasoning_content: 'Hm.' }))).toEqual([
    {
      candidates: [{ content: { parts: [{ text: 'Hm.', thought: true }], role: 'model' }, index: 0 }],
      modelVersion: 'm',
      responseId: 'r1',
    },
  ])
  expect(parts(response.chunk(delta({ content: 'Rain.' })))).toEqual([{ parts: [{ text: 'Rain.' }], role: 'model' }])
  expect(response.chunk(delta({}, 'length'))).toEqual([])
  expect(response.end(usage)).toEqual([
    {
      candidates: [{ content: { parts: [], role: 'model' }, finishReason: 'MAX_TOKENS', index: 0 }],
      usageMetadata: {
        ...{ promptTokenCount: 10, candidatesTokenCount: 4, totalTokenCount: 17, cachedContentTokenCount: 4, thoughtsTokenCount: 3 },
      },
      modelVersion: 'm',
      responseId: 'r1',
    },
  ])
})

test('reasoning is left out unless it is requested', () => {
  expect(createResponse({ ...context, echo: {} }).chunk(delta({ reasoning_content: 'Hm.' }))).toEqual([])
})

test('a call is sent whole: when the next one begins, or at the end', () => {
  const response = createResponse(context)
  const call = (index: number, piece: JsonObject) => delta({ tool_calls: [{ index, ...piece }] })
  expect(response.chunk(call(0, { id: 'a', function: { name: 'f', arguments: '{"x"' } }))).toEqual([])
  expect(response.chunk(call(0, { function: { arguments: ':1}' } }))).toEqual([])
  expect(parts(response.chunk(call(1, { id: 'b', function: { name: 'g', arguments: '' } })))).toEqual([
    { parts: [{ functionCall: { id: 'a', name: 'f', args: { x: 1 } } }], role: 'model' },
  ])
  expect(parts(response.end(null))).toEqual([{ parts: [{ functionCall: { id: 'b', name: 'g', args: {} } }], role: 'model' }])
})

test('several choices are several candidates, and a whole response joins the texts of each', () => {
  const response = createResponse(context)
  const all = [
    delta({ content: 'A' }),
    delta({ content: 'B' }, null, 1),
    delta({ content: 'a' }),
    delta({}, 'stop'),
    delta({}, 'content_filter', 1),
  ]
  for (const chunk of all) response.chunk(chunk)
  expect(response.whole(usage)).toMatchObject({
    candidates: [
      { content: { parts: [{ text: 'Aa' }] }, finishReason: 'STOP', index: 0 },
      { content: { parts: [{ text: 'B' }] }, finishReason: 'SAFETY', index: 1 },
    ],
    usageMetadata: { totalTokenCount: 17 },
  })
})

test('images and cited pages have the places that the vendor gives them, in bytes', () => {
  const response = createResponse(context)
  expect(parts(response.chunk(delta({ images: [{ image_url: { url: 'data:image/png;base64,AA==' } }] })))).toEqual([
    { parts: [{ inlineData: { mimeType: 'image/png', data: 'AA==' } }], role: 'model' },
  ])
  response.chunk(delta({ content: 'Über.' }))
  response.chunk(
    delta({
      annotations: [{ type: 'url_citation', url_citation: { url: 'https://a.example', title: 'A', start_index: 0, end_index: 4 } }],
    }),
  )
  expect(response.end(null)[0]).toMatchObject({
    candidates: [
      {
        groundingMetadata: {
          groundingChunks: [{ web: { uri: 'https://a.example', title: 'A' } }],
          groundingSupports: [{ segment: { startIndex: 0, endIndex: 5, text: 'Über' }, groundingChunkIndices: [0] }],
        },
      },
    ],
  })
})
