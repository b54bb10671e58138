import { readingBy } from '../answer-reader.ts'
import { enveloped } from '../anthropic/enveloped.ts'
import { bytesOf } from '../base64-bytes.ts'
import type { ChatDialect } from '../dialect.ts'
import { isObject, lookUp, parseJson, textOr } from '../is-object.ts'
import { failureOf, readBedrockFailure } from './failure.ts'
import { askBedrockModels } from './model-list.ts'
import { createConverseReader, eventsOf } from './reader.ts'
import { bedrockPath, eventStreamType, toConverse } from './request.ts'

/** Converse and ConverseStream, which all models of Amazon Bedrock have. */
export const converse: ChatDialect = {
  request: toConverse,
  ...readingBy({
    create: createConverseReader,
    partOf(data, name) {
      const json = parseJson(data)
      return isObject(json) && name !== undefined ? { name, data: json } : null
    },
    partsOf: eventsOf,
  }),
  failure: readBedrockFailure,
  askModels: askBedrockModels,
  lacks: ['n', 'logprobs', 'top_logprobs'],
  needsPictureBytes: true,
}

/** Anthropic's types of errors for the exceptions of a stream. */
const types: Readonly<Record<string, string>> = {
  bad_request: 'invalid_request_error',
  rate_limited: 'rate_limit_error',
  model_not_found: 'not_found_error',
  bad_key: 'authentication_error',
}

const decoder = new TextDecoder()

/** A frame has the event as base64; an exception becomes an event of Anthropic's form. */
function opened(data: string, name = ''): string {
  const json = parseJson(data)
  if (/exception$/i.test(name)) {
    const { kind, message } = failureOf(name, json)
    return JSON.stringify({ type: 'error', error: { type: lookUp(types, kind) ?? 'overloaded_error', message } })
  }
  const bytes = isObject(json) ? bytesOf(textOr(json['bytes'], '')) : null
  return bytes === null ? '' : decoder.decode(bytes)
}

const claude = enveloped({
  pathOf: (target) => bedrockPath(target, target.stream ? 'invoke-with-response-stream' : 'invoke'),
  version: 'bedrock-2023-05-31',
  namesStream: false,
  needsPictureBytes: true,
  failure: readBedrockFailure,
  opened,
})

/** Claude by InvokeModel, in Anthropic's own form. The service has no fast mode, no tiers and no tools that run on the server. */
export const bedrockClaude: ChatDialect = {
  request(chat, target) {
    const { speed: _speed, service_tier: _tier, inference_geo: _geo, ...rest } = chat
    const made = claude.request(rest, target)
    const isForeign = chat['mcp_servers'] !== undefined && chat['mcp_servers'] !== null
    return {
      ...made,
      ...(target.stream ? { headers: { ...made.headers, ...eventStreamType } } : {}),
      ...(isForeign ? { refused: 'mcp_servers' } : {}),
    }
  },
  reply: claude.reply,
  stream: claude.stream,
  failure: claude.failure,
  askModels: askBedrockModels,
  lacks: ['n', 'logprobs', 'top_logprobs'],
  needsPictureBytes: true,
}
