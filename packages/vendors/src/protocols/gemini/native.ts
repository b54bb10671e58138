import type { Dialect } from '../../core/dialect.ts'
import type { Failure } from '../../core/failure.ts'
import { isObject, parseJson, textOr } from '../../core/is-object.ts'
import { joinUrl } from '../../core/join-url.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noHeaders } from '../../core/no-headers.ts'
import type { PassedEvent, Passthrough } from '../../core/passthrough.ts'
import type { Target } from '../../core/request.ts'
import { Rewrites } from '../../core/rewrites.ts'
import { shallowJson } from '../../core/shallow-json.ts'
import type { Usage } from '../../core/usage.ts'
import { isCount } from '../../core/usage-count.ts'
import type { VendorQuery } from '../../core/vendor-query.ts'
import { withoutOwnSignature } from '../generate/own-signatures.ts'
import { withFittingParts } from '../media/content-media.ts'
import { joinedCandidates } from '../shared/joined-events.ts'
import { filesUsage } from '../shared/media-usage.ts'
import { outputText } from '../shared/output-text.ts'
import { countedRequest, listMember, member, objectMember } from '../shared/proto-members.ts'
import { writtenBody } from '../shared/request-text.ts'
import { searchesIn } from './citations.ts'
import { errorIn, readFailure } from './failure.ts'
import { brokenBy } from './finish.ts'
import type { GeminiHost } from './host.ts'
import { lostSignature } from './messages.ts'
import { type ModelTraits, traitsOf } from './models.ts'
import { usageIn } from './usage.ts'

/** What was read of one response: a whole response, or an event of a stream. */
interface CandidateParts {
  readonly text: string
  readonly hasParts: boolean
  readonly finishReason: string
  readonly searches: number
  /** What its files cost; `null`: it has none. */
  readonly files: Usage | null
}

function seenIn(response: JsonObject): CandidateParts {
  const candidates = listMember(response, 'candidates')
  const [first] = candidates
  const parts = candidates.flatMap((candidate) => listMember(objectMember(candidate, 'content'), 'parts'))
  const isBlocked = first === undefined && objectMember(response, 'promptFeedback')['blockReason'] !== undefined
  const grounding = first === undefined ? {} : objectMember(first, 'groundingMetadata')
  const { chargesEachSearch } = traitsOf(textOr(response['modelVersion'], ''))
  return {
    text: outputText(parts),
    hasParts: parts.length > 0,
    finishReason: isBlocked ? 'SAFETY' : textOr(first?.['finishReason'], ''),
    searches: searchesIn(grounding, chargesEachSearch),
    files: filesUsage(parts.filter((part) => part['thought'] !== true).map(({ inlineData }) => inlineData)),
  }
}

const nothing = { usage: null, text: '', finished: false, usageOnly: false, failure: null }

/** Every event of a stream is a whole response; the last one that has a usage has that of all (Gemini API reference, read 2026-11-22). */
const passthrough: Passthrough = {
  joined: joinedCandidates,
  response(json) {
    const failure = errorIn(json)
    if (failure !== null) return failure
    if (!isObject(json)) return null
    const { text, hasParts, finishReason, searches, files } = seenIn(json)
    if (!hasParts && finishReason === '') return null
    const usage = usageIn(json['usageMetadata'])
    const broken = hasParts ? null : brokenBy(finishReason, { usage, hasContent: false, text: '' })
    const countedUsage = usage === null || searches === 0 ? usage : { ...usage, searches }
    return broken ?? { usage: countedUsage, text, ...(files === null ? {} : { media: files }) }
  },
  event: (data) => eventOf(data, { hasContent: false }),
  open() {
    const stream = { hasContent: false }
    return (data) => eventOf(data, stream)
  },
  changing: { text: ['text'], counts: ['candidatesTokenCount', 'thoughtsTokenCount', 'totalTokenCount'] },
}

/** Once something has come, a client of Google's protocol itself reads why the response broke off: its agents then retry. */
function eventOf(data: string, stream: { hasContent: boolean }): PassedEvent {
  // What is nested too deeply here was requested by the client, which reads it as it comes.
  const json = parseJson(data) ?? shallowJson(data)
  const failure = errorIn(json)
  if (failure !== null) return { ...nothing, failure }
  if (!isObject(json)) return { ...nothing, isEmpty: true }
  const { text, hasParts, finishReason, searches, files } = seenIn(json)
  const usage = usageIn(json['usageMetadata'])
  stream.hasContent ||= hasParts
  return {
    usage,
    ...(files === null ? {} : { media: files }),
    text,
    finished: finishReason !== '' && finishReason !== 'FINISH_REASON_UNSPECIFIED',
    usageOnly: false,
    isEmpty: !hasParts && finishReason === '',
    failure: stream.hasContent ? null : brokenBy(finishReason, { usage, hasContent: false, text: '' }),
    ...(searches === 0 ? {} : { searches }),
  }
}

/** `generateContent` for clients that speak it: bytes are passed on, and only read. */
export function generateAt(host: GeminiHost) {
  return {
    request(body, target) {
      const action = target.stream ? 'streamGenerateContent?alt=sse' : 'generateContent'
      const refused = unpricedIn(body)
      const outgoing = {
        path: host.pathOf(target, action),
        headers: noHeaders,
        body: nativeBody(withoutIdleModes(body, target.rewrites), target, host),
      }
      return refused === null ? outgoing : { ...outgoing, refused }
    },
    failure: readFailure,
    retryWithout: withoutSignatures,
    passthrough,
    searchesWeb: true,
    askTokens: (body, { model }) => askTokens(body, model, host),
  } satisfies Dialect
}

/**
 * The place of a tool that Google charges beside the tokens and that has no price here: places on the map (Gemini API, "Pricing", a stored copy
 * read 2026-11-24). Pages behind addresses and code cost the tokens that the usage counts; the search of the web has a price. `null` = none.
 */
function unpricedIn(body: JsonObject): string | null {
  const at = listMember(body, 'tools').findIndex((tool) => member(tool, 'googleMaps') !== undefined)
  return at === -1 ? null : `tools[${at}].googleMaps`
}

/** `countTokens` (Gemini API and Google Cloud, "Count tokens", stored copies read 2026-11-23). */
function askTokens(body: JsonObject, model: string, host: GeminiHost): VendorQuery<number> {
  const request = countedRequest(body)
  return (context, [response]) => {
    if (response !== undefined) {
      const count = isObject(response) ? response['totalTokens'] : undefined
      return isCount(count) ? { result: count } : { failed: 'the response has no token count' }
    }
    const url = joinUrl(context.baseUrl, host.pathOf({ model, channel: context }, 'countTokens'))
    const whole = { ...nativeBody(request, { model, outputLimit: undefined, rewrites: new Rewrites() }, host) }
    const countBody = host.wrapsCounted
      ? { generateContentRequest: { ...whole, model: model.includes('/') ? model : `models/${model}` } }
      : whole
    return {
      request: {
        method: 'POST',
        url,
        headers: { ...context.headers, 'content-type': 'application/json' },
        body: writtenBody(countBody, new Rewrites()),
      },
    }
  }
}

/**
 * The client's request, with what the host wants and clients may leave out. It has no service tier: the response does not say which one was
 * used, and their prices differ.
 */
function nativeBody(
  { model: _named, serviceTier: _tier, service_tier: _snake, ...body }: JsonObject,
  { model, outputLimit, rewrites }: Pick<Target, 'model' | 'outputLimit' | 'rewrites'>,
  host: GeminiHost,
): JsonObject {
  const traits = traitsOf(model)
  return {
    ...withLimit(body, outputLimit),
    contents: withFittingParts(
      listMember(body, 'contents').map((content) => nativeContent(content, traits, host)),
      rewrites,
    ),
  }
}

/**
 * Without modes of calling functions where it has none, as Google refuses them (pydantic/pydantic-ai 5791, read 2026-11-30), unless they force a
 * call: that the host refuses by name.
 */
function withoutIdleModes(body: JsonObject, rewrites: Rewrites): JsonObject {
  const config = objectMember(body, 'toolConfig')
  const calling = member(config, 'functionCallingConfig')
  if (calling === undefined || (isObject(calling) && calling['mode'] === 'ANY')) return body
  if (listMember(body, 'tools').some((tool) => listMember(tool, 'functionDeclarations').length > 0) || !rewrites.may('tools')) return body
  rewrites.note('tools', 'functionCallingConfig')
  const { toolConfig: _camel, tool_config: _snake, ...rest } = body
  const { functionCallingConfig: _mode, function_calling_config: _older, ...others } = config
  return Object.keys(others).length === 0 ? rest : { ...rest, toolConfig: others }
}

function withLimit(body: JsonObject, outputLimit: number | undefined): JsonObject {
  const config = objectMember(body, 'generationConfig')
  const clientLimit = member(config, 'maxOutputTokens')
  // Some clients send 0 or -1 for no limit.
  if (outputLimit === undefined || (clientLimit !== undefined && clientLimit !== 0 && clientLimit !== -1)) return body
  const { generation_config: _snake, ...rest } = body
  const { max_output_tokens: _limit, ...settings } = config
  return { ...rest, generationConfig: { ...settings, maxOutputTokens: outputLimit } }
}

function nativeContent(content: JsonObject, { needsSignatures }: ModelTraits, { keepsCallIds }: GeminiHost): JsonObject {
  const own = listMember(content, 'parts')
    .map(withoutOwnSignature)
    .filter((part) => part !== null)
  const parts = own.map((part) => (keepsCallIds ? part : withoutCallId(part)))
  const role = content['role'] ?? 'user'
  return { ...content, role, parts: needsSignatures && role === 'model' ? provenFirst(parts) : parts }
}

function withoutCallId(part: JsonObject): JsonObject {
  const changed = ['functionCall', 'functionResponse'].flatMap((name) => {
    const called = member(part, name)
    if (!isObject(called) || called['id'] === undefined) return []
    const { id: _id, ...rest } = called
    return [[name, rest] as const]
  })
  return changed.length === 0 ? part : { ...part, ...Object.fromEntries(changed) }
}

/** The first of parallel calls must have a signature; one that another vendor's model made has none. */
function provenFirst(parts: readonly JsonObject[]): readonly JsonObject[] {
  const first = parts.findIndex((part) => isObject(member(part, 'functionCall')))
  const call = parts[first]
  if (call === undefined || member(call, 'thoughtSignature') !== undefined) return parts
  return parts.map((part, index) => (index === first ? { ...part, thoughtSignature: lostSignature } : part))
}

const isForeign = /thought.?signature/i

/** The request without the signatures that the client sent back. `null` = they are not what was refused. */
function withoutSignatures(body: JsonObject, { kind, message }: Failure): JsonObject | null {
  if (kind !== 'bad_request' || !isForeign.test(message)) return null
  let isChanged = false
  const unsigned = (part: JsonObject): JsonObject => {
    const { thoughtSignature: camel, thought_signature: snake, ...rest } = part
    if (camel === undefined && snake === undefined) return part
    isChanged = true
    return rest
  }
  const contents = listMember(body, 'contents').map((content): Json => ({ ...content, parts: listMember(content, 'parts').map(unsigned) }))
  return isChanged ? { ...body, contents } : null
}
