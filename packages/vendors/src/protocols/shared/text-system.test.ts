import { expect, test } from 'bun:test'
import { exampleChannel } from '../../../test/channel.ts'
import type { JsonObject } from '../../core/json.ts'
import { vendorByType } from '../../registry/list.ts'
import { buildRequest } from '../../registry/request/build-request.ts'

const inputImage = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }

function requestBodyFor(type: number, model: string, messages: readonly JsonObject[]): JsonObject {
  const vendor = vendorByType(type)
  if (vendor === null) throw new Error(`there is no type ${type}`)
  const { facts } = exampleChannel(vendor)
  return buildRequest(vendor, { model, messages }, { kind: 'chat', model, stream: false, channel: facts }).body
}

// The vendors' references have texts alone there: Anthropic, "Messages", `system`; Gemini API, `systemInstruction` ("currently, text only");
// Amazon Bedrock, `SystemContentBlock`.
test.each([
  [14, 'claude-opus-5', 'system', 'image'],
  [24, 'gemini-3.8-flash', 'systemInstruction', 'inlineData'],
  [33, 'amazon-nova-pro', 'system', 'image'],
] as const)('type %d: images of instructions are shown by the user, and the texts stay instructions', (type, model, field, kind) => {
  const { [field]: system, ...rest } = requestBodyFor(type, model, [
    { role: 'system', content: [{ type: 'text', text: 'Be brief' }, inputImage] },
    { role: 'user', content: 'Hi' },
  ])
  expect(JSON.stringify(system)).toContain('Be brief')
  expect(JSON.stringify(system)).not.toContain(kind)
  expect(JSON.stringify(rest)).toContain('iVBORw0KGgo=')
  expect(JSON.stringify(rest).indexOf('iVBORw0KGgo=')).toBeLessThan(JSON.stringify(rest).indexOf('Hi'))
})

// Cohere, "Chat (v2)", `SystemMessageV2`; Zhipu, "Chat completion", system messages: texts alone.
test.each([
  [35, 'command-a-vision-07-2025'],
  [16, 'glm-4.6v'],
] as const)('type %d: images of instructions anywhere are shown by the user, after the results of calls', (type, model) => {
  const calls = [{ id: 'c1', type: 'function', function: { name: 'f', arguments: '{}' } }]
  const { messages } = requestBodyFor(type, model, [
    { role: 'developer', content: [inputImage] },
    { role: 'user', content: 'Hi' },
    { role: 'assistant', content: null, tool_calls: calls },
    { role: 'system', content: [{ type: 'text', text: 'Be brief' }, inputImage] },
    { role: 'tool', tool_call_id: 'c1', content: 'done' },
  ])
  const imageMessage = { role: 'user', content: [inputImage] }
  expect(messages).toMatchObject([
    imageMessage,
    { role: 'user' },
    { role: 'assistant', tool_calls: calls },
    { role: 'system', content: [{ type: 'text', text: 'Be brief' }] },
    { role: 'tool', content: 'done' },
    imageMessage,
  ])
})

test.each([
  [15, 'ERNIE-Speed-8K', 'a|b'],
  [16, 'glm-5.3', 'a'],
  [18, '4.0Ultra', 'a|b|c'],
  [34, 'bot-1', 'a'],
  [35, 'command-a-03-2025', 'a'],
] as const)('type %d: an empty stop word is none', (type, model, key) => {
  const record = vendorByType(type)
  if (record === null) throw new Error(`there is no type ${type}`)
  const { vendor, facts } = exampleChannel(record, key)
  const chat = { model, messages: [{ role: 'user', content: 'Hi' }], stop: [''] }
  const outgoing = buildRequest(vendor, chat, { kind: 'chat', model, stream: false, channel: facts })
  expect(outgoing.refused).toBeUndefined()
  expect(JSON.stringify(outgoing.body)).not.toContain('stop')
})

test('instructions without images are sent as they were', () => {
  expect(
    requestBodyFor(14, 'claude-opus-5', [
      { role: 'system', content: 'Be brief' },
      { role: 'user', content: 'Hi' },
    ])['system'],
  ).toBe('Be brief')
})

test.each([
  [5, null],
  [6, 'stop'],
] as const)('Gemini: %d stop words are %p, as it takes five', (count, refused) => {
  const vendor = vendorByType(24)
  if (vendor === null) throw new Error('there is no Gemini')
  const { facts } = exampleChannel(vendor)
  const chat = {
    model: 'gemini-3.8-flash',
    messages: [{ role: 'user', content: 'Hi' }],
    stop: Array.from({ length: count }, (_, i) => `END${i}`),
  }
  const outgoing = buildRequest(vendor, chat, { kind: 'chat', model: 'gemini-3.8-flash', stream: false, channel: facts })
  expect(outgoing.refused ?? null).toBe(refused)
})
