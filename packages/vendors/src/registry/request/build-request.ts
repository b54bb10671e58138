import type { Dialect } from '../../core/dialect.ts'
import { isGiven } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Kind } from '../../core/kind.ts'
import { noHeaders } from '../../core/no-headers.ts'
import type { Outgoing, Target } from '../../core/request.ts'
import type { RequestRule } from '../../core/request-rule.ts'
import { Rewrites } from '../../core/rewrites.ts'
import type { Vendor, VendorChat, VendorRoutes } from '../../core/vendor.ts'
import { withFittingMedia } from '../../protocols/media/chat-media.ts'
import { applyRules } from '../../protocols/rules/apply-rules.ts'
import { withoutClientLines } from '../../protocols/rules/client-lines.ts'
import { withChangedItems } from '../../protocols/shared/changed-items.ts'
import { noteChangedTurns } from '../../protocols/shared/changed-turns.ts'
import { partsIn, withRefusalContent } from '../../protocols/shared/chat-parts.ts'
import { hasLegacyFunctions, legacyName, withTools } from '../../protocols/shared/legacy-functions.ts'
import { asksOneCall } from '../../protocols/shared/one-call.ts'
import { isOpenAIForm } from '../../protocols/shared/supports-extra.ts'
import { chooseForm } from '../../protocols/shared/transcript-forms.ts'
import { dialectOf } from '../dialect-of.ts'
import { modelFactsOf } from '../models/model-facts.ts'
import { unsupportedParameter } from '../unsupported.ts'
import { rulesOf } from './rules-of.ts'
import { findSchemaInPrompt } from './schema-in-prompt.ts'
import { keptParameters } from './unchanged-parameters.ts'

/** See `Target`. */
type BuildParams = Pick<
  Target,
  'kind' | 'model' | 'stream' | 'outputLimit' | 'searchesMax' | 'channel' | 'files' | 'clientHeaders' | 'refusal'
> &
  Partial<Pick<Target, 'rewrites'>> & {
    /** What the model or its server was found not to take. */
    readonly rules?: readonly RequestRule[] | undefined
  }

/**
 * Builds the upstream request for a body in the pivot form of its kind: the dialect translates it, then the vendor's record sets paths
 * and headers, and drops, renames and patches fields of chats; last comes what the model or its server does not take.
 * @throws Error for a kind that the vendor does not have, which routing never chooses
 */
export function buildRequest(vendor: Vendor, body: JsonObject, params: BuildParams): Outgoing {
  const { kind, model, rewrites = new Rewrites() } = params
  const lines = vendor.readsClientLines === true ? body : withoutClientLines(kind, body, rewrites)
  const isStreamed = needsStream(params, rewrites)
  const read = isStreamed && streamMembers.has(kind) ? { ...lines, stream: true } : lines
  const outgoing = translated(vendor, read, { ...params, stream: params.stream || isStreamed, rewrites })
  const rules = rulesOf(vendor, outgoing, params)
  if (rules.length === 0) return outgoing
  const dialect = dialectOf(vendor, kind, model)
  const chat = dialect?.fallbackKind === 'chat' ? dialectOf(vendor, 'chat', model) : kind === 'chat' ? dialect : null
  const isOpenAIChat = chat !== null && isOpenAIForm(chat) && outgoing.upstreamKind === undefined
  const ruled = applyRules({ outgoing, isOpenAIForm: isOpenAIChat }, rules, rewrites)
  const { refused } = ruled
  return refused === outgoing.refused || refused === undefined || dialect === null
    ? ruled
    : { ...ruled, refused: nameIn(dialect, body, refused) }
}

/** Kinds whose requests say in a member that they want a stream. */
const streamMembers: ReadonlySet<Kind> = new Set(['chat', 'completions', 'responses', 'messages'])

/** Whether the model only streams, and the client wants a whole response. */
function needsStream({ stream, rules = [] }: BuildParams, rewrites: Rewrites): boolean {
  if (stream || !rules.some(({ rule }) => rule === 'streams') || !rewrites.may('parameters')) return false
  rewrites.note('parameters', 'stream')
  return true
}

function translated(
  vendor: Vendor,
  body: JsonObject,
  {
    kind,
    model,
    stream,
    outputLimit,
    searchesMax,
    channel,
    files,
    clientHeaders,
    refusal,
    rewrites,
  }: BuildParams & Pick<Target, 'rewrites'>,
): Outgoing {
  const { paths, pathFor, headers } = vendor.routes
  const dialect = dialectOf(vendor, kind, model)
  if (dialect === null) throw new Error(`${vendor.name} does not have ${kind}`)
  const upstreamKind = dialect.fallbackKind ?? kind
  const declared = kind === 'chat' && needsTools(vendor, dialect) ? withTools(body) : body
  const read = withOwnMedia(declared, { kind, dialect, rewrites })
  const outgoing = dialect.request(read, {
    kind: upstreamKind,
    model,
    stream,
    channel,
    outputLimit,
    searchesMax,
    ...termsOf(vendor),
    clientHeaders,
    refusal,
    rewrites,
    ...(files === undefined ? {} : { files }),
  })
  const adjusted =
    upstreamKind === 'chat' ? adjustChat(vendor, outgoing.body) : (vendor.patches?.[upstreamKind]?.(outgoing.body) ?? outgoing.body)
  const built = { kind: upstreamKind, model, dialect, chat: chatOf(kind, read, outgoing), outgoing, adjusted }
  const refused = unsupportedParameter(vendor, { dialect, built })
  const path = paths?.[upstreamKind] ?? outgoing.path
  const kept = noted(body, { kind, dialect, outgoing, adjusted }, rewrites)
  const finalBody = vendor.isLegacyServer === true ? withLegacyFields(kept, upstreamKind, upstreamKind !== kind) : kept
  const schemaInPrompt =
    upstreamKind === 'chat' ? findSchemaInPrompt(chatOf(kind, body, outgoing), { ...outgoing, body: finalBody }) : undefined
  return {
    ...outgoing,
    path: pathFor?.(path, { kind: upstreamKind, model, channel, body: outgoing.body }) ?? path,
    headers: merged(outgoing.headers, headers),
    ...(refused === undefined ? {} : { refused: nameIn(dialect, body, refused) }),
    ...formOf(vendor, upstreamKind, { body, model, rewrites }),
    ...legacyOf(body, declared),
    ...switchOf(vendor, upstreamKind, outgoing.body),
    ...(schemaInPrompt === undefined ? {} : { schemaInPrompt }),
    body: finalBody,
  }
}

/** What the record says of chats that the dialect has to know. */
function termsOf({ chat: { streamUsage = false, extras, calls } = {} }: Vendor): Pick<Target, 'streamUsage' | 'extras' | 'calls'> {
  return { streamUsage, extras, calls }
}

/** A chat with its media as the vendor reads them; the dialects of other kinds do that where they translate. */
function withOwnMedia(
  body: JsonObject,
  { kind, dialect, rewrites }: Pick<Target, 'kind' | 'rewrites'> & Pick<BuiltRequest, 'dialect'>,
): JsonObject {
  if (kind !== 'chat') return body
  const chat = isOpenAIForm(dialect) ? body : withChangedItems(body, 'messages', withParts)
  return withFittingMedia(chat, { textFiles: dialect.textFiles, rewrites })
}

/** A message whose content is all that was said, without texts that are no parts. */
function withParts(original: JsonObject): JsonObject {
  const message = withRefusalContent(original)
  const { content } = message
  return Array.isArray(content) && content.some((part) => typeof part === 'string') ? { ...message, content: partsIn(content) } : message
}

const kindsOfTranscripts: ReadonlySet<Kind> = new Set(['transcriptions', 'translations'])

/** The form of a transcript as the vendor gets it. */
function formOf(
  { transcriptForms }: Vendor,
  kind: Kind,
  { body, model, rewrites }: Pick<Target, 'model' | 'rewrites'> & { readonly body: JsonObject },
): ReturnType<typeof chooseForm> {
  return transcriptForms === undefined || !kindsOfTranscripts.has(kind) ? noForm : chooseForm(transcriptForms(model), body, rewrites)
}

const noForm = {}

interface Adjusted extends BuiltRequest {
  readonly kind: Kind
  /** The body after the vendor's record changed it. */
  readonly adjusted: JsonObject
}

/** Notes what no step has noted itself. @returns the body, with the parameters that the channel wants unchanged */
function noted(client: JsonObject, { kind, dialect, outgoing, adjusted }: Adjusted, rewrites: Rewrites): JsonObject {
  const { toolNames } = outgoing
  if (toolNames !== undefined)
    for (const upstreamName in toolNames) rewrites.note('tool_names', `${toolNames[upstreamName]} -> ${upstreamName}`)
  noteChangedTurns(outgoing.body, adjusted, rewrites)
  const isOneForm = dialect.fallbackKind === undefined && outgoing.upstreamKind === undefined && isOpenAIForm(dialect)
  return keptParameters(client, { kind, body: adjusted, isOneForm }, rewrites)
}

/** Whether the old form of functions is translated for a server that speaks OpenAI's form. Other dialects translate it themselves. */
const needsTools = ({ chat }: Vendor, dialect: Dialect): boolean => chat?.takesFunctions !== true && isOpenAIForm(dialect)

/** @param declared what the dialect got of the client's chat */
function legacyOf(chat: JsonObject, declared: JsonObject): Pick<Outgoing, 'callsFunctions'> {
  return declared !== chat && hasLegacyFunctions(chat) ? { callsFunctions: true } : {}
}

/** A field of a chat as the client knows it. */
function nameIn({ fieldNames }: Dialect, chat: JsonObject, field: string): string {
  return fieldNames?.[field] ?? (hasLegacyFunctions(chat) ? legacyName(field) : field)
}

/** The requested chat, as far as it is known in OpenAI's form. */
function chatOf(kind: Kind, body: JsonObject, { chat, body: upstreamBody }: Outgoing): JsonObject {
  return kind === 'chat' ? body : (chat ?? upstreamBody)
}

/** The vendor has no switch against parallel calls, and the client wants one call at a time. */
function switchOf(vendor: Vendor, upstreamKind: Kind, chat: JsonObject): Pick<Outgoing, 'oneCall'> {
  return upstreamKind === 'chat' && vendor.chat?.drop?.includes('parallel_tool_calls') === true && asksOneCall(chat)
    ? { oneCall: true }
    : {}
}

/** A request, and the dialect that made it. */
interface BuiltRequest {
  readonly dialect: Dialect
  readonly outgoing: Outgoing
}

/** One of them where the other is missing: what is made of it is kept. */
function merged(dialectHeaders: Outgoing['headers'], own: VendorRoutes['headers']): Outgoing['headers'] {
  if (own === undefined) return dialectHeaders
  return dialectHeaders === noHeaders ? own : { ...dialectHeaders, ...own }
}

function adjustChat({ chat: { drop, rename, patch } = {} }: Vendor, chat: JsonObject): JsonObject {
  const body = drop === undefined && rename === undefined ? chat : adjust({ drop, rename }, chat)
  return patch?.(body, readsFiles) ?? body
}

const readsFiles = (model: string): boolean => modelFactsOf(model, 'chat').inputs.includes('file')

/** Kinds that some servers stream if `stream` is missing. */
const streamed: ReadonlySet<Kind> = new Set(['chat', 'completions', 'responses'])

/** Adds fields that old servers need: an explicit `stream`, and `max_tokens` if another kind was translated to a chat. */
function withLegacyFields(body: JsonObject, upstreamKind: Kind, isFallback: boolean): JsonObject {
  if (!streamed.has(upstreamKind)) return body
  const limit = isFallback && isGiven(body['max_completion_tokens']) ? { max_tokens: body['max_completion_tokens'] } : {}
  return isGiven(body['stream']) ? { ...body, ...limit } : { ...body, ...limit, stream: false }
}

type Dropped = { readonly [M in 'drop' | 'rename']: VendorChat[M] | undefined }

/** Drops refused fields and renames others. If the client sent both names, the renamed field wins: it is the protocol's newer name. */
function adjust({ drop = [], rename = {} }: Dropped, body: JsonObject): JsonObject {
  const names = [...drop, ...Object.keys(rename)]
  if (!names.some((name) => name in body)) return body
  const leaving = new Set(names)
  const kept = Object.entries(body).filter(([name]) => !leaving.has(name))
  const moved = Object.entries(rename).flatMap(([ours, theirs]) => (isGiven(body[ours]) ? [[theirs, body[ours]] as const] : []))
  return Object.fromEntries([...kept, ...moved])
}
