import type { ChatField } from '@sluice/vendors/core/dialect'
import { isGiven, isObject } from '@sluice/vendors/core/is-object'
import type { Json, JsonObject } from '@sluice/vendors/core/json'
import { thinksLong } from '@sluice/vendors/registry/models/reasoning-models'
import { AppError } from '../../../lib/app-error.ts'
import type { KindRules } from '../../model/kind-rules.ts'
import type { TextPrompt } from '../../model/request-params.ts'
import { areTexts, estimatePrompt, haveMore, messageTokens } from '../../pricing/count-tokens.ts'
import { PromptMedia } from '../../pricing/prompt-media.ts'
import { imageLineBytesMax } from '../../wire/sse.ts'
import { responseAsStream } from '../../wire/stream-views.ts'
import { needFewEntries } from './entries.ts'
import { countIn, modelIn, regionIn, serviceTierIn, streamIn, tokenLimitIn } from './fields.ts'
import { needSmallInnerJson } from './inner-json.ts'

/** Maximum choices per request (OpenAI API reference, chat completions, `n`, a stored copy read 2026-11-21). */
export const choicesMax = 128

export const chat: KindRules = {
  kind: 'chat',
  isAlwaysStreamed: true,
  lineBytesMax: imageLineBytesMax,
  isRepeatable: true,
  idPrefix: 'chatcmpl-',
  asStream: responseAsStream,
  read(body) {
    needFewEntries(body)
    needSmallInnerJson(body)
    needOneForm(body)
    const model = modelIn(body)
    const { messages, modalities } = body
    if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isObject)) throw new AppError('messages_required')
    const media = new PromptMedia(model)
    const promptTokens = estimatePrompt(body, media)
    const { isStream, wantsUsage } = streamIn(body)
    return {
      model,
      isStream,
      wantsUsage,
      maxTokens: tokenLimitIn(body, 'max_completion_tokens') ?? tokenLimitIn(body, 'max_tokens'),
      choices: countIn(body, 'n', choicesMax) ?? 1,
      promptTokens,
      textPrompt: areTexts(messages) ? textPromptOf(messages, promptTokens) : undefined,
      ...(isGiven(body['prediction']) || thinksLong('', body) ? { mayHideOutput: true } : {}),
      serviceTier: serviceTierIn(body),
      ...regionIn(body),
      isSpoken: Array.isArray(modalities) && modalities.includes('audio'),
      fields: fieldsIn(body),
      ...media.params,
    }
  },
}

function textPromptOf(messages: readonly Json[], promptTokens: number): TextPrompt {
  const { length } = messages
  return { tokens: promptTokens - length * messageTokens, messages: length, ...(haveMore(messages) ? { hasMore: true } : {}) }
}

/**
 * Refuses functions in the form before tools beside tools, as OpenAI does: "'functions' and 'tools' cannot both be provided". A vendor that
 * reads one of the forms would silently drop the other. @throws AppError invalid_parameter
 */
function needOneForm({ tools, functions, function_call: choice }: JsonObject): void {
  if (!Array.isArray(tools) || tools.length === 0) return
  const name = isGiven(functions) ? 'functions' : isGiven(choice) ? 'function_call' : null
  if (name !== null) throw new AppError('invalid_parameter', { messageKey: 'functions_and_tools', params: { name } })
}

/** Fields that change the response, so that they must not be dropped for vendors that do not support them. */
function fieldsIn({ n, logprobs, top_logprobs: top }: JsonObject): readonly ChatField[] {
  if (n === undefined && logprobs === undefined && top === undefined) return noFields
  const isGiven: Readonly<Record<ChatField, boolean>> = {
    n: typeof n === 'number' && n > 1,
    logprobs: logprobs === true,
    top_logprobs: typeof top === 'number' && top > 0,
  }
  return chatFields.filter((field) => isGiven[field])
}

const noFields: readonly ChatField[] = []

const chatFields: readonly ChatField[] = ['n', 'logprobs', 'top_logprobs']
