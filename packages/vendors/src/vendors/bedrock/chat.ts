import { bytesOf } from '../../core/base64-bytes.ts'
import type { ChatDialect } from '../../core/dialect.ts'
import { isGiven, isObject, lookUp, parseJson, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { Outgoing, Target } from '../../core/request.ts'
import { enveloped } from '../../protocols/anthropic/enveloped.ts'
import { withoutForeignReasoning } from '../../protocols/anthropic/without-reasoning.ts'
import { claudeIds } from '../../protocols/calls/call-ids.ts'
import { fittingCalls } from '../../protocols/calls/conform-calls.ts'
import { textBlock } from '../../protocols/media/message-media.ts'
import { objectsIn } from '../../protocols/shared/chat-parts.ts'
import { singly } from '../../protocols/shared/one-call.ts'
import { readingBy } from '../../protocols/shared/response-reader.ts'
import { takesDocumentType } from './content.ts'
import { failureOf, readBedrockFailure } from './failures.ts'
import { askBedrockModels } from './model-list.ts'
import { createConverseReader, eventsOf } from './reader.ts'
import { bedrockPath, eventStreamType, toConverse } from './request.ts'

/** Converse and ConverseStream, which all models of Amazon Bedrock have. */
export const converse: ChatDialect = fittingCalls(
  singly({
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
    retryWithout: withoutForeignReasoning,
    askModels: askBedrockModels,
    lacks: ['n', 'logprobs', 'top_logprobs'],
    needsImageBytes: true,
    textFiles: { takes: takesDocumentType },
  }),
  { ids: claudeIds },
)

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
  needsImageBytes: true,
  failure: readBedrockFailure,
  opened,
  // A stored copy of what a peer sends, read 2026-11-23; the service documents no list.
  knownBetas:
    /^(?:computer-use-2024-10-22|computer-use-2025-\d\d-\d\d|token-efficient-tools|interleaved-thinking|output-128k|context-1m|context-management|compaction|compact|context-editing|fallback-credit|effort|tool-search-tool|fine-grained-tool-streaming)/,
})

/** Values that ask for nothing which the service does not do by itself. */
const usual: Readonly<Record<string, ReadonlySet<Json>>> = {
  speed: new Set(['standard']),
  service_tier: new Set(['auto', 'default', 'standard', 'standard_only']),
}

/** The service has no fast mode, no tiers for Claude, no servers of tools and no tools that run on the server; the region is the channel's. */
function foreignIn(chat: JsonObject): string | null {
  const fields = ['speed', 'service_tier', 'inference_geo', 'mcp_servers', 'container', 'fallbacks']
  const field = fields.find((name) => isGiven(chat[name]) && usual[name]?.has(chat[name] ?? null) !== true)
  if (field !== undefined) return field
  if (isGiven(chat['web_search_options'])) return 'web_search_options'
  return objectsIn(chat['tools']).some(runsOnServer) ? 'tools[].type' : null
}

const runsOnServer = ({ type }: JsonObject): boolean => /^(?:web_search|web_fetch|code_execution)/.test(textOr(type, ''))

/** A request without what the service does not know, where that asks for nothing. */
function atBedrock(request: ChatDialect['request'], body: JsonObject, target: Target): Outgoing {
  const { speed: _speed, service_tier: _tier, inference_geo: _geo, ...rest } = body
  const outgoing = request(rest, target)
  const foreign = foreignIn(body)
  return {
    ...outgoing,
    ...(target.stream ? { headers: { ...outgoing.headers, ...eventStreamType } } : {}),
    ...(foreign === null ? {} : { refused: foreign }),
  }
}

/** Claude by InvokeModel, in Anthropic's own form. */
export const bedrockClaude: ChatDialect = {
  request: (chat, target) => atBedrock(claude.request, chat, target),
  native: {
    messages: { ...claude.native.messages, request: (body, target) => atBedrock(claude.native.messages.request, body, target) },
  },
  textFiles: { part: textBlock },
  response: claude.response,
  stream: claude.stream,
  failure: claude.failure,
  retryWithout: withoutForeignReasoning,
  askModels: askBedrockModels,
  lacks: ['n', 'logprobs', 'top_logprobs'],
  needsImageBytes: true,
}
