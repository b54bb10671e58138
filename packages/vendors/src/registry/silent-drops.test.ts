import { describe, expect, test } from 'bun:test'
import { exampleChannel } from '../../test/channel.ts'
import type { JsonObject } from '../core/json.ts'
import type { Outgoing } from '../core/request.ts'
import type { Vendor } from '../core/vendor.ts'
import { vendors } from './list.ts'
import { buildRequest } from './request/build-request.ts'

// What would change the response is either in the request of every model, or refused by name; it is never dropped silently.

const userWith = (...parts: readonly JsonObject[]): JsonObject => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, ...parts] }],
})
const systemWith = (...parts: readonly JsonObject[]): JsonObject => ({
  messages: [
    { role: 'system', content: [{ type: 'text', text: 'Be brief' }, ...parts] },
    { role: 'user', content: 'Hi' },
  ],
})
const named = (name: string): JsonObject => ({ type: 'function', function: { name } })
const strictly = { type: 'function', function: { name: 'clock', strict: true } }
const both = [named('weather'), named('clock')]
const inputImage = { type: 'image_url', image_url: { url: 'data:image/png;base64,iVBORw0KGgo=' } }
const called = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'c1', type: 'function', function: { name: 'clock', arguments: '{}' } }],
}
const result = (...more: readonly JsonObject[]): JsonObject => ({
  tools: both,
  messages: [
    { role: 'user', content: 'Hi' },
    called,
    { role: 'tool', tool_call_id: 'c1', content: [{ type: 'text', text: 'noon' }, ...more] },
  ],
})
const some = { type: 'allowed_tools', allowed_tools: { mode: 'auto', tools: [named('weather')] } }
const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'], additionalProperties: false }

const turn = (spoken: JsonObject): JsonObject => ({
  messages: [
    { role: 'user', content: 'Hi' },
    { role: 'assistant', ...spoken },
    { role: 'user', content: 'Why?' },
  ],
})

/** The chat with the member, and the same chat without it. */
const members: Readonly<Record<string, readonly [JsonObject, JsonObject?]>> = {
  tools: [{ tools: both }],
  'functions in the old form': [{ functions: [{ name: 'clock' }] }],
  'a forced function in the old form': [
    { functions: [{ name: 'clock' }], function_call: { name: 'clock' } },
    { functions: [{ name: 'clock' }] },
  ],
  'a tool of free text': [{ tools: [{ type: 'custom', custom: { name: 'patch' } }] }],
  'no use of tools': [{ tools: both, tool_choice: 'none' }, { tools: both }],
  'a forced use of tools': [{ tools: both, tool_choice: 'required' }, { tools: both }],
  'a named tool': [{ tools: both, tool_choice: named('clock') }, { tools: both }],
  'some of the tools': [{ tools: both, tool_choice: some }, { tools: both }],
  'one call at a time': [{ tools: both, parallel_tool_calls: false }, { tools: both }],
  'a strict function': [{ tools: [strictly] }, { tools: [named('clock')] }],
  'a result with a picture': [result(inputImage), result()],
  'a schema': [{ response_format: { type: 'json_schema', json_schema: { name: 'a', strict: true, schema } } }],
  'a JSON object': [{ response_format: { type: 'json_object' } }],
  'a search': [{ web_search_options: {} }],
  'a stop word': [{ stop: ['END'] }],
  'a picture': [userWith(inputImage), userWith()],
  'a picture in instructions': [systemWith(inputImage), systemWith()],
  'a file': [userWith({ type: 'file', file: { filename: 'a.pdf', file_data: 'data:application/pdf;base64,AAAA' } }), userWith()],
  'a refusal of an earlier turn': [turn({ content: null, refusal: 'I CANNOT' }), turn({ content: null })],
  'a refusal as a part': [turn({ content: [{ type: 'refusal', refusal: 'I CANNOT' }] }), turn({ content: null })],
  'sound in the answer': [{ modalities: ['text', 'audio'], audio: { voice: 'alloy', format: 'wav' } }],
  'a grammar': [{ response_format: { type: 'grammar', grammar: 'root ::= "yes"' } }],
  'guided decoding': [{ guided_json: schema }],
  sound: [userWith({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }), userWith()],
}

/** What an interface has no form for, and what is then right. */
const spared: Readonly<Record<string, (type: number, model: string, isOlder: boolean) => boolean>> = {
  // A translator reads the last text alone.
  'a refusal of an earlier turn': (type) => type === 38,
  'a refusal as a part': (type) => type === 38,
  // A response of these has no place for a second call.
  'one call at a time': (type, _model, isOlder) => isOlder && (type === 15 || type === 18),
  // `docs/vendors.md` names them: the schema is sent, and nothing keeps the model to it.
  'a strict function': (type, model, isOlder) => isOlder || (type === 33 && !/^claude|gpt-oss|qwen3/.test(model)),
}

const wireOf = ({ body, path, messages, stopWords, cutAt, schemaInPrompt, oneCall }: Outgoing): string =>
  JSON.stringify([body, path, messages, stopWords, cutAt, schemaInPrompt, oneCall])

/** The models for which the member is dropped silently. */
function silent(vendor: Vendor, [chat, without = {}]: readonly [JsonObject, JsonObject?], key?: string): readonly string[] {
  const { vendor: used, facts } = exampleChannel(vendor, key)
  return vendor.models.names.filter((model) => {
    const build = (body: JsonObject) =>
      buildRequest(
        used,
        { model, messages: [{ role: 'user', content: 'Hi' }], ...body },
        { kind: 'chat', model, stream: false, channel: facts },
      )
    const outgoing = build(chat)
    return outgoing.refused === undefined && build(without).refused === undefined && wireOf(outgoing) === wireOf(build(without))
  })
}

const chatting = vendors.filter(({ dialects }) => dialects.chat !== undefined)

describe.each(Object.entries(members))('%s', (name, member) => {
  const silently = (vendor: Vendor, key?: string) =>
    silent(vendor, member, key).filter((model) => spared[name]?.(vendor.type, model, key !== undefined) !== true)

  test.each(chatting.map((vendor) => [vendor.name, vendor] as const))('is not dropped silently by %s', (_name, vendor) => {
    expect(silently(vendor)).toEqual([])
  })

  // Keys of three parts lead to the older interface of their type.
  test.each(chatting.filter(({ type }) => [15, 18, 23].includes(type)).map((vendor) => [vendor.name, vendor] as const))(
    'is not dropped silently by the older API of %s',
    (_name, vendor) => {
      expect(silently(vendor, 'a|b|c')).toEqual([])
      expect(silently(vendor, 'a|b')).toEqual([])
    },
  )
})

const claudes = vendors.filter(({ type }) => [14, 33, 42].includes(type)).map((vendor) => [vendor.name, vendor] as const)
test.each(claudes)('audio is refused for Claude by %s', (_name, vendor) => {
  const { vendor: used, facts } = exampleChannel(vendor)
  const [model = ''] = vendor.models.names.filter((name) => name.startsWith('claude'))
  const body = { model, ...userWith({ type: 'input_audio', input_audio: { data: 'AAAA', format: 'wav' } }) }
  const { refused } = buildRequest(used, body, { kind: 'chat', model, stream: false, channel: facts })
  expect(refused).toBe('input_audio')
})
