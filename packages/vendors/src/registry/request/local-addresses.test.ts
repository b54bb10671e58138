import { describe, expect, test } from 'bun:test'
import type { JsonObject } from '../../core/json.ts'
import { localAddressIn } from './local-addresses.ts'

const isPublic = (address: string): boolean => /^https:\/\/[^/]*\.example(?:[:/]|$)/.test(address)
const placeOf = (body: JsonObject): string | null => localAddressIn(body, isPublic)
const chatWith = (part: JsonObject): JsonObject => ({
  model: 'm',
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, part] }],
})
const inputImage = (url: string): JsonObject => chatWith({ type: 'image_url', image_url: { url } })

describe('an address that is not one of the internet', () => {
  const local = [
    ...['http://10.0.0.1/x.png', 'HTTP://169.254.169.254', 'file:///etc/passwd', '/etc/hostname.png', 'secret.png', 'ftp://a.example/x'],
    ...['https://a.example\\@10.0.0.1/', 'https://a.example@b.example/', 'https://a@b.example/', ' https://a.example/', 'https:a.example'],
    ...[`https://${'a'.repeat(5_000)}@10.0.0.1/`, 's3://bucket/x.png', '//10.0.0.1/x.png', 'iVBORw0KGgo/../../etc/passwd'],
  ]
  test.each(local)('is found in the place of an image: %j', (url) => {
    expect(placeOf(inputImage(url))).toBe('messages[0].content[1].image_url.url')
  })

  const places: readonly [string, JsonObject][] = [
    ['messages[0].content[1].image_url', chatWith({ type: 'input_image', image_url: 'file:///x' })],
    ['messages[0].content[1].video_url.url', chatWith({ type: 'video_url', video_url: { url: 'http://10.0.0.1/v.mp4' } })],
    ['messages[0].content[1].source.url', chatWith({ type: 'image', source: { type: 'url', url: 'http://10.0.0.1/x.png' } })],
    ['messages[0].content[1].file.file_data', chatWith({ type: 'file', file: { file_data: 'file:///etc/passwd' } })],
    ['messages[0].content[1].input_audio.data', chatWith({ type: 'input_audio', input_audio: { data: 'http://10.0.0.1/a.mp3' } })],
    ['contents[0].parts[0].fileData.fileUri', { contents: [{ parts: [{ fileData: { fileUri: 'http://10.0.0.1/x' } }] }] }],
    [
      'input[0].output[0].image_url',
      { input: [{ type: 'function_call_output', output: [{ type: 'input_image', image_url: 'file:///x' }] }] },
    ],
    ['tools[0].server_url', { tools: [{ type: 'mcp', server_url: 'http://10.0.0.1/mcp' }] }],
    ['mcp_servers[0].url', { mcp_servers: [{ type: 'url', url: 'http://10.0.0.1/mcp' }] }],
    ['images[1]', { images: ['https://a.example/1.png', '/etc/x.png'] }],
    ['input[0].image', { input: [{ image: 'http://10.0.0.1/x.png' }] }],
  ]
  test.each(places)('is found at %s', (place, body) => {
    expect(placeOf(body)).toBe(place)
  })

  const others: readonly JsonObject[] = [
    ...[
      inputImage('https://a.example/x.png'),
      inputImage('data:image/png;base64,iVBORw0KGgo='),
      inputImage(`iVBORw0KGgo${'A'.repeat(100)}`),
    ],
    ...[
      inputImage('gs://bucket/x.png'),
      chatWith({ type: 'text', text: 'http://10.0.0.1' }),
      { prompt: 'file:///x', input: 'http://10.0.0.1' },
    ],
    chatWith({ type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'Note: http://10.0.0.1' } }),
    chatWith({ type: 'tool_use', id: 't', name: 'open', input: { url: 'http://localhost:3000' } }),
    { tools: [{ type: 'function', function: { name: 'f', parameters: { default: { url: 'http://localhost' } } } }] },
    { tools: [{ name: 'f', input_schema: { examples: [{ url: 'http://localhost' }] } }], metadata: { url: 'http://localhost' } },
  ]
  test.each(others)('is none elsewhere: %j', (body) => {
    expect(placeOf(body)).toBeNull()
  })
})
