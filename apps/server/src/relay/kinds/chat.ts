import { isObject } from '@sluice/vendors/is-object'
import { AppError } from '../../lib/app-error.ts'
import { estimatePrompt } from '../count-tokens.ts'
import { replyAsStream } from '../stream-views.ts'
import { countIn, modelIn, serviceTierIn, streamIn, tokenLimitIn } from './fields.ts'
import type { KindRules } from './kind-rules.ts'

/** Most choices of one request (OpenAI API reference, chat completions, `n`, a stored copy read 2026-11-21). */
export const choicesMax = 128

export const chat: KindRules = {
  kind: 'chat',
  isRepeatable: true,
  idPrefix: 'chatcmpl-',
  asStream: replyAsStream,
  read(body) {
    const model = modelIn(body)
    const { messages } = body
    if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isObject)) throw new AppError('messages_required')
    return {
      model,
      ...streamIn(body),
      maxTokens: tokenLimitIn(body, 'max_completion_tokens') ?? tokenLimitIn(body, 'max_tokens'),
      choices: countIn(body, 'n', choicesMax) ?? 1,
      promptTokens: estimatePrompt(body),
      serviceTier: serviceTierIn(body),
    }
  },
}
