import { isObject } from '@sluice/vendors/is-object'
import { AppError } from '../../lib/app-error.ts'
import type { Wanted } from '../call.ts'
import { estimatePrompt } from '../count-tokens.ts'
import { soundTokens } from '../sound-tokens.ts'
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
    const { messages, modalities } = body
    if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isObject)) throw new AppError('messages_required')
    const sounds: string[] = []
    const wanted: Wanted = {
      model,
      ...streamIn(body),
      maxTokens: tokenLimitIn(body, 'max_completion_tokens') ?? tokenLimitIn(body, 'max_tokens'),
      choices: countIn(body, 'n', choicesMax) ?? 1,
      promptTokens: estimatePrompt(body, sounds),
      serviceTier: serviceTierIn(body),
      ...(Array.isArray(modalities) && modalities.includes('audio') ? { isSpoken: true } : {}),
    }
    return sounds.length === 0 ? wanted : withSounds(wanted, sounds)
  },
}

async function withSounds(wanted: Wanted, sounds: readonly string[]): Promise<Wanted> {
  return { ...wanted, promptTokens: wanted.promptTokens + (await soundTokens(sounds, wanted.model)) }
}
