import type { ChatField } from '../packages/vendors/src/core/dialect.ts'
import type { ChatParameter } from '../packages/vendors/src/core/feature.ts'
import type { JsonObject } from '../packages/vendors/src/core/json.ts'
import type { Outgoing } from '../packages/vendors/src/core/request.ts'
import type { Vendor } from '../packages/vendors/src/core/vendor.ts'
import { isOpenAIForm } from '../packages/vendors/src/protocols/shared/supports-extra.ts'
import { dialectOf } from '../packages/vendors/src/registry/dialect-of.ts'
import { buildRequest } from '../packages/vendors/src/registry/request/build-request.ts'
import { unsupportedParameter } from '../packages/vendors/src/registry/unsupported.ts'
import { exampleChannel } from '../packages/vendors/test/channel.ts'

// What every channel type makes of the parameters of a chat, read off the request that is built for an example of each.

/** Where the models of a vendor differ, a parameter has the first of these states that it has with any of them. */
const states = ['translated', 'passed on', 'refused', 'left out'] as const
export type ParameterState = (typeof states)[number]

/** An example of a parameter: the chat that has it, and the same chat without it. */
interface Example {
  readonly chat: JsonObject
  readonly without?: JsonObject
  /** The fields that the routing of requests looks at. */
  readonly fields?: readonly ChatField[]
}

const ask = { role: 'user', content: 'Hi' }
const parameters = { type: 'object', properties: { city: { type: 'string' } }, required: ['city'], additionalProperties: false }
const functionNamed = (name: string, more: JsonObject = {}): JsonObject => ({ type: 'function', function: { name, parameters, ...more } })
const tools = [functionNamed('weather'), functionNamed('clock')]
const imageAt = (url: string): JsonObject => ({ type: 'image_url', image_url: { url } })
const image = imageAt('data:image/png;base64,iVBORw0KGgo=')
const saying = (...parts: readonly JsonObject[]): JsonObject => ({
  messages: [{ role: 'user', content: [{ type: 'text', text: 'Hi' }, ...parts] }],
})
const called = {
  role: 'assistant',
  content: null,
  tool_calls: [{ id: 'call_1', type: 'function', function: { name: 'clock', arguments: '{}' } }],
}
const result = (...parts: readonly JsonObject[]): JsonObject => ({
  tools,
  messages: [ask, called, { role: 'tool', tool_call_id: 'call_1', content: [{ type: 'text', text: 'noon' }, ...parts] }],
})

const examples: Readonly<Record<ChatParameter, Example>> = {
  'forced tool': { chat: { tools, tool_choice: { type: 'function', function: { name: 'clock' } } }, without: { tools } },
  'one call': { chat: { tools, parallel_tool_calls: false }, without: { tools } },
  strict: { chat: { tools: [functionNamed('clock', { strict: true })] }, without: { tools: [functionNamed('clock')] } },
  'images in results': { chat: result(image), without: result() },
  'images by address': { chat: saying(imageAt('https://pictures.example/a.png')), without: saying() },
  json: { chat: { response_format: { type: 'json_object' } } },
  stop: { chat: { stop: ['END'] } },
  seed: { chat: { seed: 7 } },
  'log probabilities': { chat: { logprobs: true, top_logprobs: 2 }, fields: ['logprobs', 'top_logprobs'] },
  'several choices': { chat: { n: 2 }, fields: ['n'] },
  penalties: { chat: { presence_penalty: 0.5, frequency_penalty: 0.5 } },
}

const wireOf = ({ body, messages = [], bytes, stopWords = [], oneCall }: Outgoing): string =>
  JSON.stringify([body, messages, bytes === undefined ? '' : new TextDecoder().decode(bytes), stopWords, oneCall === true])

/** `null` = the vendor has no chats. */
export function parameterOf(vendor: Vendor, parameter: ChatParameter): ParameterState | null {
  if (vendor.rawProxy !== undefined) return 'passed on'
  if (vendor.dialects.chat === undefined) return null
  const models = vendor.models.names.length === 0 ? ['any'] : vendor.models.names
  const results = models.map((model) => stateAt(vendor, model, parameter))
  return states.find((state) => results.includes(state)) ?? null
}

function stateAt(vendor: Vendor, model: string, parameter: ChatParameter): ParameterState | null {
  const { vendor: used, facts } = exampleChannel(vendor)
  const dialect = dialectOf(used, 'chat', model)
  if (dialect === null) return null
  const { chat, without = {}, fields } = fetched(parameter, dialect.needsImageBytes ?? used.chat?.needsImageBytes) ?? examples[parameter]
  if (unsupportedParameter(used, { dialect, fields }) !== undefined) return 'refused'
  const build = (body: JsonObject): Outgoing =>
    buildRequest(used, { model, messages: [ask], ...body }, { kind: 'chat', model, stream: false, channel: facts })
  const upstreamRequest = build(chat)
  if (upstreamRequest.refused !== undefined) return 'refused'
  if (wireOf(upstreamRequest) === wireOf(build(without))) return 'left out'
  const isSame = Object.entries(chat).every(([name, value]) => JSON.stringify(upstreamRequest.body[name]) === JSON.stringify(value))
  return isOpenAIForm(dialect) && isSame ? 'passed on' : 'translated'
}

/** Images behind an address are fetched first where the vendor takes only bytes. */
function fetched(parameter: ChatParameter, needsBytes: true | undefined): Example | undefined {
  return parameter === 'images by address' && needsBytes === true ? { chat: saying(image), without: saying() } : undefined
}
