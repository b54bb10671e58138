import { describe, expect, test } from 'bun:test'
import { exampleChannel } from '../../../test/channel.ts'
import { addressAt } from '../../core/join-url.ts'
import type { JsonObject } from '../../core/json.ts'
import { buildRequest } from '../../registry/request/build-request.ts'
import { bytedanceEmbeddings } from './embeddings.ts'
import { doubao } from './vendor.ts'

const { vendor, facts } = exampleChannel(doubao)
const requestOf = (model: string, body: JsonObject) =>
  buildRequest(vendor, body, { kind: 'embeddings', model, stream: false, channel: facts })
const vision = 'doubao-embedding-vision-251215'
const context = { id: '', created: 1, model: 'm' }

describe('an embedding of texts and images', () => {
  test('has an address and parts of its own', () => {
    const { path, body } = requestOf(vision, { input: 'Hi', dimensions: 1024 })
    expect(addressAt(facts.baseUrl, path)).toBe('https://ark.cn-beijing.volces.com/api/v3/embeddings/multimodal')
    expect(body).toEqual({ model: vision, input: [{ type: 'text', text: 'Hi' }], dimensions: 1024 })
    const parts = [
      { type: 'text', text: 'Hi' },
      { type: 'image_url', image_url: { url: 'https://a.example/1.png' } },
    ]
    expect(requestOf(vision, { input: parts }).body['input']).toEqual(parts)
    expect(requestOf('doubao-embedding-large', { input: ['a', 'b'] })).toMatchObject({
      path: '/v1/embeddings',
      body: { input: ['a', 'b'] },
    })
  })

  test('is one vector, so several texts are refused', () => {
    expect(requestOf(vision, { input: ['a', 'b'] }).refused).toBe('input')
    expect(requestOf(vision, { input: ['a'] }).refused).toBeUndefined()
    expect(requestOf(vision, { input: [] }).refused).toBe('input')
  })

  test('is read from one object', () => {
    const usage = { prompt_tokens: 5, total_tokens: 5 }
    expect(bytedanceEmbeddings.response({ object: 'list', data: { object: 'embedding', embedding: [0.5] }, usage }, context)).toMatchObject(
      {
        response: { object: 'list', model: 'm', data: [{ object: 'embedding', index: 0, embedding: [0.5] }], usage },
        usage: { promptTokens: 5, completionTokens: 0 },
      },
    )
    expect(bytedanceEmbeddings.response({ data: {} }, context)).toBeNull()
    expect(bytedanceEmbeddings.response({ error: { code: 'AuthenticationError', message: 'no' } }, context)).toHaveProperty('kind')
  })
})
