import { describe, expect, test } from 'bun:test'
import { contentOfKeyIn } from './content-of-key.ts'
import type { JsonObject } from './json.ts'

const generated = (part: JsonObject): JsonObject => ({ contents: [{ parts: [{ text: 'Hi' }, part] }] })
const asked = (part: JsonObject): JsonObject => ({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, part] }] })

describe('content that belongs to the account of a key is found by its place', () => {
  const cases: readonly [string, JsonObject][] = [
    ['cachedContent', { contents: [], cachedContent: 'cachedContents/abc' }],
    ['cachedContent', { contents: [], cached_content: 'projects/p/locations/l/cachedContents/1' }],
    ['extra_body.google.cached_content', { messages: [], extra_body: { google: { cached_content: 'cachedContents/abc' } } }],
    ['contents[0].parts[1].fileData', generated({ fileData: { fileUri: 'gs://bucket/secret.pdf' } })],
    ['contents[0].parts[1].fileData', generated({ file_data: { file_uri: 'https://generativelanguage.googleapis.com/v1beta/files/x' } })],
    ['contents[0].parts[1].fileData', generated({ fileData: { fileUri: 'HTTPS://storage.googleapis.com/b/o' } })],
    [
      'contents[0].parts[1].functionResponse.parts[0].fileData',
      generated({ functionResponse: { name: 'f', response: {}, parts: [{ fileData: { fileUri: 'files/x' } }] } }),
    ],
    ['systemInstruction.parts[0].fileData', { contents: [], system_instruction: { parts: [{ fileData: { fileUri: 'files/x' } }] } }],
    ['tools[1]', { contents: [], tools: [{ googleSearch: {} }, { fileSearch: { fileSearchStoreNames: ['fileSearchStores/a'] } }] }],
    ['tools[0]', { contents: [], tools: [{ retrieval: { vertexRagStore: {} } }] }],
    ['messages[0].content[1].source.file_id', asked({ type: 'document', source: { type: 'file', file_id: 'file_1' } })],
    ['messages[0].content[1].file.file_id', asked({ type: 'file', file: { file_id: 'file-1' } })],
    ['container', { messages: [], container: 'container_1' }],
    ['container', { messages: [], container: { id: 'container_1', skills: [] } }],
    ['prompt', { input: 'Hi', prompt: { id: 'pmpt_1' } }],
    ['conversation', { input: 'Hi', conversation: 'conv_1' }],
    ['conversation', { input: 'Hi', conversation: { id: 'conv_1' } }],
    ['tools[0]', { input: 'Hi', tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }],
    ['tools[0]', { input: 'Hi', tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['file-1'] } }] }],
    ['input[0].content[0].file_id', { input: [{ role: 'user', content: [{ type: 'input_image', file_id: 'file-1' }] }] }],
  ]
  test.each(cases)('%s', (place, body) => {
    expect(contentOfKeyIn(body)).toBe(place)
  })
})

test('what the client brings itself, or anybody can read, is none', () => {
  const call = { type: 'tool_use', id: 't', name: 'read', input: { file_id: 'mine' } }
  for (const body of [
    generated({ inlineData: { mimeType: 'image/png', data: 'AAAA' } }),
    generated({ fileData: { fileUri: 'https://www.youtube.com/watch?v=x' } }),
    generated({ functionCall: { name: 'f', args: { file_id: 'x', fileData: { fileUri: 'gs://x' } } } }),
    generated({ functionResponse: { name: 'f', response: { file_id: 'x' } } }),
    asked({ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }),
    { messages: [{ role: 'assistant', content: [call] }], tools: [{ name: 'read', input_schema: { properties: { file_id: {} } } }] },
    { messages: [], tools: [{ type: 'function', function: { name: 'retrieval' } }], container: null },
    {
      input: [{ type: 'function_call', arguments: '{"file_id":"x"}' }],
      tools: [{ type: 'code_interpreter', container: { type: 'auto' } }],
    },
    { prompt: 'cat', model: 'm' },
    { prompt: ['a', 'b'], model: 'm' },
    { contents: [], cachedContent: '' },
  ])
    expect(contentOfKeyIn(body)).toBeNull()
})
