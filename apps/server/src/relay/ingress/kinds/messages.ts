import { isObject, textOr } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import { messageSearchIn, nativeOnlyIn } from '@sluice/vendors/protocols/messages/native-only'
import { replayMessage } from '@sluice/vendors/protocols/messages/replay'
import { offeredTools } from '@sluice/vendors/protocols/messages/tool-changes'
import { objectsIn } from '@sluice/vendors/protocols/shared/chat-parts'
import { upstreamLimitIn } from '@sluice/vendors/protocols/shared/output-limit-of-request'
import { thinksLong } from '@sluice/vendors/registry/models/reasoning-models'
import { AppError } from '../../../lib/app-error.ts'
import type { KindRules } from '../../model/kind-rules.ts'
import type { RequestParams } from '../../model/request-params.ts'
import { areTexts, estimateTokens, messageTokens } from '../../pricing/count-tokens.ts'
import { PromptMedia } from '../../pricing/prompt-media.ts'
import { anthropicProtocol } from '../../wire/protocols/anthropic.ts'
import { eventText } from '../../wire/stream-views.ts'
import { needFewEntries } from './entries.ts'
import { modelIn, regionIn, serviceTierIn, streamIn, tokenLimitIn } from './fields.ts'
import { needSmallInnerJson } from './inner-json.ts'

/** Anthropic API, "Messages", read 2026-11-23. The limit of output tokens may be left out here. */
export const messages: KindRules = {
  kind: 'messages',
  protocol: anthropicProtocol,
  isAlwaysStreamed: true,
  isRepeatable: true,
  idPrefix: 'msg_',
  clientHeaders: ['anthropic-version', 'anthropic-beta'],
  asStream: (response) => (isObject(response) ? replayMessage(response).map(eventText).join('') : ''),
  read(body) {
    needFewEntries(body)
    needSmallInnerJson(body)
    const native = nativeOnlyIn(body)
    const search = messageSearchIn(body)
    const model = modelIn(body)
    const media = new PromptMedia(model)
    return {
      ...promptOf(body, media),
      ...media.params,
      model,
      isStream: streamIn(body).isStream,
      wantsUsage: true,
      maxTokens: limitIn(body),
      choices: 1,
      serviceTier: serviceTierIn(body),
      ...regionIn(body),
      ...([body, ...objectsIn(body['fallbacks'])].some((request) => thinksLong('', request)) ? { mayHideOutput: true } : {}),
      ...(native === null ? {} : { nativeOnly: native }),
      ...(search === null ? {} : { webSearch: search }),
    }
  },
}

/** The limit of output tokens: the largest one, if models that may respond to instead have their own. @throws AppError */
function limitIn(body: JsonObject): number | null {
  const own = tokenLimitIn(body, 'max_tokens')
  return own === null ? null : Math.max(own, upstreamLimitIn({ fallbacks: body['fallbacks'] ?? null }) ?? own)
}

/** @throws AppError without messages */
function promptOf(body: JsonObject, media: PromptMedia): Pick<RequestParams, 'promptTokens' | 'textPrompt' | 'deferredTokens'> {
  const { messages: messageList, system, tools } = body
  if (!Array.isArray(messageList) || messageList.length === 0 || !messageList.every(isObject)) throw new AppError('messages_required')
  const tokens = tokensIn(messageList, media) + tokensIn(system, media)
  const count = messageList.length + (system === undefined ? 0 : 1)
  const offered = tools === undefined ? [] : offeredTools(body)
  const declared = tools === undefined ? 0 : estimateTokens(JSON.stringify(offered)) + offered.filter(isBuiltIn).length * builtInTokens
  const promptTokens = tokens + declared + count * messageTokens
  const deferred = objectsIn(tools).filter((tool) => tool['defer_loading'] === true)
  return {
    promptTokens,
    ...(areTexts(messageList) ? { textPrompt: { tokens: tokens + declared, messages: count } } : {}),
    ...(deferred.length === 0 ? {} : { deferredTokens: estimateTokens(JSON.stringify(deferred)) }),
  }
}

/**
 * Tokens of the description that a vendor has of a tool of its own: 245 of the shell, 700 of the editor, 735 of the computer, and 499 of a prompt
 * (Anthropic, "Tool use", "Pricing", named 2026-11-29).
 */
const builtInTokens = 750

const isBuiltIn = ({ type }: JsonObject): boolean => typeof type === 'string' && type !== 'custom' && type !== 'function'

/** Estimated tokens of messages, blocks and what is in them, without media, which are added to `media`. */
function tokensIn(value: Json | undefined, media: PromptMedia): number {
  const { texts, otherTokens } = countable(value, media)
  return texts.reduce((sum, text) => sum + estimateTokens(text), otherTokens)
}

export interface Countable {
  /** What the model reads as text. */
  readonly texts: readonly string[]
  /** Our estimate of what can be counted without bytes: images that the vendor fetches. */
  readonly otherTokens: number
}

/** Members of a message and of its blocks that the model reads. */
const readFields = ['text', 'thinking', 'title', 'context', 'content'] as const

/** What is to be counted in messages, blocks and what is in them. */
export function countable(value: Json | undefined, media: PromptMedia): Countable {
  const texts: string[] = []
  return { otherTokens: visit(value, texts, media), texts }
}

function visit(value: Json | undefined, texts: string[], media: PromptMedia): number {
  if (typeof value === 'string') {
    texts.push(value)
    return 0
  }
  if (Array.isArray(value)) return value.reduce((sum: number, part) => sum + visit(part, texts, media), 0)
  if (!isObject(value)) return 0
  const { type, source, input, name } = value
  if (isObject(input)) texts.push(`${typeof name === 'string' ? name : ''} ${JSON.stringify(input)}`)
  const own = isObject(source) ? visitSource(source, texts, { media, isImage: type === 'image' }) : 0
  return readFields.reduce((sum, field) => sum + visit(value[field], texts, media), own)
}

/** An image, or a document: its text, its bytes, or where the vendor has it. */
function visitSource(source: JsonObject, texts: string[], { media, isImage }: { media: PromptMedia; isImage: boolean }): number {
  const { type, data, content, media_type: mediaType } = source
  if (type === 'text') return visit(data, texts, media)
  if (type === 'content') return visit(content, texts, media)
  if (type === 'base64' && typeof data === 'string') return media.addFile(textOr(mediaType, ''), data)
  return isImage ? media.addImage('') : media.addUnknown()
}
