import { isObject } from '@sluice/vendors/is-object'
import type { Json, JsonObject } from '@sluice/vendors/json'
import { messageSearchIn, nativeOnlyIn } from '@sluice/vendors/messages/native-only'
import { replayMessage } from '@sluice/vendors/messages/replay'
import { offeredTools } from '@sluice/vendors/messages/tool-changes'
import { thinksLong } from '@sluice/vendors/thinks-long'
import { AppError } from '../../../lib/app-error.ts'
import type { KindRules } from '../../model/kind-rules.ts'
import type { RequestParams } from '../../model/request-params.ts'
import { areTexts, estimateTokens, messageTokens } from '../../pricing/count-tokens.ts'
import { anthropicProtocol } from '../../wire/protocols/anthropic.ts'
import { eventText } from '../../wire/stream-views.ts'
import { needFewEntries } from './entries.ts'
import { modelIn, pictureTokens, regionIn, serviceTierIn, streamIn, tokenLimitIn } from './fields.ts'
import { needSmallInnerJson } from './inner-json.ts'

/** Anthropic API, "Messages", read 2026-11-23. The limit of output tokens may be left out here. */
export const messages: KindRules = {
  kind: 'messages',
  protocol: anthropicProtocol,
  isAlwaysStreamed: true,
  isRepeatable: true,
  idPrefix: 'msg_',
  clientHeaders: ['anthropic-version', 'anthropic-beta'],
  asStream: (reply) => (isObject(reply) ? replayMessage(reply).map(eventText).join('') : ''),
  read(body) {
    needFewEntries(body)
    needSmallInnerJson(body)
    const native = nativeOnlyIn(body)
    const search = messageSearchIn(body)
    return {
      ...promptOf(body),
      model: modelIn(body),
      isStream: streamIn(body).isStream,
      wantsUsage: true,
      maxTokens: tokenLimitIn(body, 'max_tokens'),
      choices: 1,
      serviceTier: serviceTierIn(body),
      ...regionIn(body),
      ...(thinksLong('', body) ? { mayHideOutput: true } : {}),
      ...(native === null ? {} : { nativeOnly: native }),
      ...(search === null ? {} : { webSearch: search }),
    }
  },
}

/** @throws AppError without messages */
function promptOf(body: JsonObject): Pick<RequestParams, 'promptTokens' | 'textPrompt'> {
  const { messages: said, system, tools } = body
  if (!Array.isArray(said) || said.length === 0 || !said.every(isObject)) throw new AppError('messages_required')
  const tokens = tokensIn(said) + tokensIn(system)
  const count = said.length + (system === undefined ? 0 : 1)
  const declared = tools === undefined ? 0 : estimateTokens(JSON.stringify(offeredTools(body)))
  const promptTokens = tokens + declared + count * messageTokens
  return areTexts(said) && tools === undefined ? { promptTokens, textPrompt: { tokens, messages: count } } : { promptTokens }
}

/** Estimated tokens of messages, blocks and what is in them. */
function tokensIn(value: Json | undefined): number {
  const { texts, otherTokens } = countable(value)
  return texts.reduce((sum, text) => sum + estimateTokens(text), otherTokens)
}

export interface Countable {
  /** What the model reads as text. */
  readonly texts: readonly string[]
  /** Our estimate of the rest: pictures and files. */
  readonly otherTokens: number
}

/** Members of a message and of its blocks that the model reads. */
const readFields = ['text', 'thinking', 'title', 'context', 'content'] as const

/** What is to be counted in messages, blocks and what is in them. */
export function countable(value: Json | undefined): Countable {
  const texts: string[] = []
  return { otherTokens: visit(value, texts), texts }
}

function visit(value: Json | undefined, texts: string[]): number {
  if (typeof value === 'string') {
    texts.push(value)
    return 0
  }
  if (Array.isArray(value)) return value.reduce((sum: number, part) => sum + visit(part, texts), 0)
  if (!isObject(value)) return 0
  const { type, source, input, name } = value
  if (isObject(input)) texts.push(`${typeof name === 'string' ? name : ''} ${JSON.stringify(input)}`)
  const own = type === 'image' ? pictureTokens : visitSource(source, texts)
  return readFields.reduce((sum, field) => sum + visit(value[field], texts), own)
}

/** A document: its text, or the estimate for a file. */
function visitSource(source: Json | undefined, texts: string[]): number {
  if (!isObject(source)) return 0
  const { type, data, content } = source
  if (type === 'text') return visit(data, texts)
  return type === 'content' ? visit(content, texts) : pictureTokens
}
