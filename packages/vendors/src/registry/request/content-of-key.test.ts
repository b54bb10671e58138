import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../core/json.ts'
import { contentOfKeyIn } from './content-of-key.ts'

const generated = (part: JsonObject): JsonObject => ({ contents: [{ parts: [{ text: 'Hi' }, part] }] })
const chatWith = (part: JsonObject): JsonObject => ({ messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, part] }] })
const shellTools: JsonObject[] = [{ type: 'shell', environment: { type: 'container_auto', file_ids: ['file-1'] } }]
const shell = (environment: JsonObject): JsonObject => ({ input: 'Hi', tools: [{ type: 'shell', environment }] })
const read: JsonObject = { type: 'function', name: 'read', parameters: { properties: { file_id: {}, container_id: { default: 'x' } } } }
const ownSkill: JsonObject = { type: 'anthropic', skill_id: 'pptx', version: 'latest' }

describe('content that belongs to the account of a key is found by its place', () => {
  const cases: readonly [string, JsonObject][] = [
    ['cachedContent', { contents: [], cachedContent: 'cachedContents/abc' }],
    ['cachedContent', { contents: [], cached_content: 'projects/p/locations/l/cachedContents/1' }],
    ['extra_body.google.cached_content', { messages: [], extra_body: { google: { cached_content: 'cachedContents/abc' } } }],
    ['contents[0].parts[1].fileData', generated({ fileData: { fileUri: 'gs://bucket/secret.pdf' } })],
    [
      'contents[0].parts[1].fileData',
      generated({ fileData: { fileUri: 'https://generativelanguage.googleapis.com.:443/v1beta/files/x' } }),
    ],
    ['messages[0].content[1].image_url.url', chatWith({ type: 'image_url', image_url: { url: 'gs://bucket/a.png' } })],
    [
      'messages[0].content[1].image_url.url',
      chatWith({ type: 'image_url', image_url: { url: `https://${'a'.repeat(5_000)}@storage.googleapis.com/b/o` } }),
    ],
    ['messages[0].content[1].image_url', chatWith({ type: 'image_url', image_url: 'MS://file-1' })],
    ['messages[0].content[1].video_url.url', chatWith({ type: 'video_url', video_url: { url: 'ms://file-1' } })],
    ['messages[0].content[1].file.file_data', chatWith({ type: 'file', file: { file_data: 'files/abc' } })],
    ['messages[0].content[1].source.url', chatWith({ type: 'image', source: { type: 'url', url: 'gs://a/b' } })],
    [
      'messages[0].content[1].input_audio.data',
      chatWith({ type: 'input_audio', input_audio: { data: 'https://generativelanguage.googleapis.com/v1beta/files/abc', format: 'mp3' } }),
    ],
    ['messages[0].content', { messages: [{ role: 'system', content: 'fileid://file-fe-1,fileid://file-fe-2' }] }],
    ['messages[0].content[1].text', chatWith({ type: 'text', text: 'fileid://file-fe-1' })],
    ['messages[0].role', { messages: [{ role: 'cache', content: 'cache_id=1' }] }],
    ['messages[0].audio', { messages: [{ role: 'assistant', audio: { id: 'audio_1' } }] }],
    ['contents[0].parts[1].file_data', generated({ file_data: { file_uri: 'https://generativelanguage.googleapis.com/v1beta/files/x' } })],
    ['contents[0].parts[1].fileData', generated({ fileData: { fileUri: 'HTTPS://storage.googleapis.com/b/o' } })],
    [
      'contents[0].parts[1].functionResponse.parts[0].fileData',
      generated({ functionResponse: { name: 'f', response: {}, parts: [{ fileData: { fileUri: 'files/x' } }] } }),
    ],
    ['system_instruction.parts[0].fileData', { contents: [], system_instruction: { parts: [{ fileData: { fileUri: 'files/x' } }] } }],
    ['tools[1]', { contents: [], tools: [{ googleSearch: {} }, { fileSearch: { fileSearchStoreNames: ['fileSearchStores/a'] } }] }],
    ['tools[0]', { contents: [], tools: [{ retrieval: { vertexRagStore: {} } }] }],
    ['messages[0].content[1].source.file_id', chatWith({ type: 'document', source: { type: 'file', file_id: 'file_1' } })],
    ['messages[0].content[1].file.file_id', chatWith({ type: 'file', file: { file_id: 'file-1' } })],
    ['images[0].file_id', { prompt: 'x', images: [{ file_id: 'file-1' }] }],
    ['images[0][1].file_id', { prompt: 'x', images: [['a', { file_id: 'file-1' }]] }],
    ['mask.file_id', { prompt: 'x', mask: { file_id: 'file-1' } }],
    ['input_image_mask.file_id', { prompt: 'x', input_image_mask: { file_id: 'file-1' } }],
    ['image_url', { prompt: 'x', image_url: 'gs://bucket/a.png' }],
    ['file_id', { prompt: 'x', file_id: 'file-1' }],
    ['input_references[0].file_id', { prompt: 'x', input_references: [{ file_id: 'file-1' }] }],
    ['input.file_id', { input: { file_id: 'file-1' } }],
    ['documents[0].content[0].image_url.url', { documents: [{ content: [{ image_url: { url: 'ms://file-1' } }] }] }],
    ['extra_body.images[0].file_id', { prompt: 'x', extra_body: { images: [{ file_id: 'file-1' }] } }],
    ['voice', { input: 'Hi', voice: { id: 'voice_1' } }],
    ['audio.voice', { messages: [], audio: { voice: { id: 'voice_1' }, format: 'wav' } }],
    ['container', { messages: [], container: 'container_1' }],
    ['container', { messages: [], container: { id: 'container_1', skills: [] } }],
    ['prompt', { input: 'Hi', prompt: { id: 'pmpt_1' } }],
    ['conversation', { input: 'Hi', conversation: 'conv_1' }],
    ['conversation', { input: 'Hi', conversation: { id: 'conv_1' } }],
    ['tools[0]', { input: 'Hi', tools: [{ type: 'file_search', vector_store_ids: ['vs_1'] }] }],
    [
      'tools[0].container.file_ids',
      { input: 'Hi', tools: [{ type: 'code_interpreter', container: { type: 'auto', file_ids: ['file-1'] } }] },
    ],
    ['tools[0]', { input: 'Hi', tools: [{ type: 'code_interpreter', container: 'cntr_1' }] }],
    ['tools[0].environment.container_id', shell({ type: 'container_reference', container_id: 'cntr_1' })],
    ['tools[0].environment.file_ids', shell({ type: 'container_auto', file_ids: ['file-1'] })],
    ['tools[0].environment.skills[0].skill_id', shell({ type: 'container_auto', skills: [{ type: 'skill_reference', skill_id: 's' }] })],
    ['tools[0].input_image_mask.file_id', { input: 'Hi', tools: [{ type: 'image_generation', input_image_mask: { file_id: 'file-1' } }] }],
    ['tools[0].collection_ids', { input: 'Hi', tools: [{ type: 'collections_search', collection_ids: ['collection_1'] }] }],
    ['tools[0].tools[1].environment.file_ids', { input: 'Hi', tools: [{ type: 'namespace', name: 'g', tools: [read, ...shellTools] }] }],
    ['input[0].tools[0].environment.file_ids', { input: [{ type: 'additional_tools', tools: shellTools }] }],
    [
      'input[0].tools[0]',
      { input: [{ type: 'tool_search_output', call_id: 'c', tools: [{ type: 'file_search', vector_store_ids: ['v'] }] }] },
    ],
    [
      'input[1].id',
      {
        input: [
          { role: 'user', content: 'Hi' },
          { type: 'image_generation_call', id: 'ig_1' },
        ],
      },
    ],
    ['input[0].id', { input: [{ type: 'image_generation_call', id: 'ig_1', result: null }] }],
    ['input[0].container_id', { input: [{ type: 'code_interpreter_call', id: 'ci_1', container_id: 'cntr_1', code: '1', outputs: [] }] }],
    ['input[0].environment.container_id', { input: [{ type: 'shell_call', environment: { container_id: 'cntr_1' } }] }],
    ['container.skills[1].skill_id', { messages: [], container: { skills: [ownSkill, { type: 'custom', skill_id: 'skill_1' }] } }],
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
    chatWith({ type: 'text', text: 'What does files/ or gs:// mean?' }),
    chatWith({ type: 'image_url', image_url: { url: 'https://storage.example/googleapis.com/a.png' } }),
    { messages: [{ role: 'assistant', content: null, audio: { data: 'AAAA' } }] },
    chatWith({ type: 'image_url', image_url: { url: 'data:image/png;base64,AA' } }),
    { messages: [{ role: 'assistant', content: [call] }], tools: [{ name: 'read', input_schema: { properties: { file_id: {} } } }] },
    { messages: [], tools: [{ type: 'function', function: { name: 'retrieval' } }], container: null },
    {
      input: [{ type: 'function_call', arguments: '{"file_id":"x"}' }],
      tools: [{ type: 'code_interpreter', container: { type: 'auto' } }],
    },
    { input: [{ type: 'additional_tools', tools: [read] }], tools: [read, { type: 'namespace', name: 'g', tools: [read] }] },
    {
      messages: [],
      tools: [{ name: 'f', input_schema: { file_id: 'x' }, input_examples: [{ file_id: 'x' }] }],
      container: { skills: [ownSkill] },
    },
    { contents: [], tools: [{ functionDeclarations: [{ name: 'f', parameters: { file_id: 'x' } }] }] },
    { messages: [], tools: [{ type: 'function', function: { name: 'f', parameters: { file_ids: ['x'] } } }] },
    { input: [{ type: 'image_generation_call', id: 'ig_1', result: 'AAAA' }] },
    shell({ type: 'container_auto', file_ids: [], skills: [{ type: 'inline', name: 's' }] }),
    { prompt: 'cat', model: 'm' },
    { prompt: ['a', 'b'], model: 'm' },
    { contents: [], cachedContent: '' },
  ])
    expect(contentOfKeyIn(body)).toBeNull()
})

test('what earlier responses to the client named is its own', () => {
  const citation = { type: 'container_file_citation', container_id: 'cntr_1', file_id: 'cfile_1' }
  const input = [
    { type: 'code_interpreter_call', id: 'ci_1', container_id: 'cntr_1' },
    { type: 'image_generation_call', id: 'ig_1' },
    { role: 'assistant', content: [{ type: 'output_text', text: 'Hi', annotations: [citation] }] },
  ]
  expect(contentOfKeyIn({ input }, new Set(['cntr_1', 'ig_1', 'cfile_1']))).toBeNull()
  expect(contentOfKeyIn({ input }, new Set(['cntr_1', 'ig_1']))).toBe('input[2].content[0].annotations[0].file_id')
  expect(contentOfKeyIn({ input }, new Set(['cntr_1']))).toBe('input[1].id')
})
