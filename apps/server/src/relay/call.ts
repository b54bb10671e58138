import { isObject } from '@sluice/vendors/is-object'
import type { JsonObject } from '@sluice/vendors/json'
import { AppError } from '../lib/app-error.ts'
import { estimatePrompt } from './count-tokens.ts'

/** One chat request of a client, read and checked. */
export interface Chat {
  readonly model: string
  readonly isStream: boolean
  /** The client asked for the usage chunk itself. */
  readonly wantsUsage: boolean
  /** Most output tokens the client lets the model write; `null` = it did not say. */
  readonly maxTokens: number | null
  /** Answers that the client wants to one question; each is paid for. */
  readonly choices: number
  /** Our estimate of its prompt. */
  readonly promptTokens: number
}

/** A chat on its way upstream. */
export interface Call {
  readonly requestId: string
  readonly chat: Chat
  /** What the client sent. Nothing keeps it once an answer has begun: a thousand long prompts would fill the memory. */
  readonly body: JsonObject
  /** Seconds since the epoch. */
  readonly created: number
  /** Whether a vendor may see it twice where it cannot be known that it has seen it at all. */
  readonly isRepeatable: boolean
  /** Cancels the attempt that runs now. */
  cancel: ((reason: CancelReason) => void) | null
  /** Set once the client has gone: nothing more is tried. */
  isClientGone: boolean
}

/** Why we stopped an attempt ourselves. */
export type CancelReason = 'client_gone' | 'timed_out' | 'not_wanted'

const modelForm = /^[\w.:/@+-]{1,256}$/

/** Reads the fields that the relay acts on; every other field goes upstream as it came. @throws AppError */
export function parseChat(body: unknown): Pick<Call, 'chat' | 'body'> {
  if (!isObject(body)) throw new AppError('invalid_parameter', { params: { name: 'body' } })
  const { model, messages, stream, stream_options: streamOptions } = body
  if (typeof model !== 'string' || model === '') throw new AppError('model_required')
  if (!modelForm.test(model)) throw new AppError('model_not_found', { params: { model: model.slice(0, 80) } })
  if (!Array.isArray(messages) || messages.length === 0 || !messages.every(isObject)) throw new AppError('messages_required')
  if (stream !== undefined && stream !== null && typeof stream !== 'boolean') throw new AppError('stream_invalid')
  const chat: Chat = {
    model,
    isStream: stream === true,
    wantsUsage: isObject(streamOptions) && streamOptions['include_usage'] === true,
    maxTokens: tokenLimit(body, 'max_completion_tokens') ?? tokenLimit(body, 'max_tokens'),
    choices: choiceCount(body),
    promptTokens: estimatePrompt(body),
  }
  return { chat, body }
}

/** Most choices of one request (OpenAI API reference, chat completions, `n`, read 2026-11-21). */
const choicesMax = 128

function choiceCount({ n }: JsonObject): number {
  if (n === undefined || n === null) return 1
  if (typeof n !== 'number' || !Number.isInteger(n) || n < 1 || n > choicesMax)
    throw new AppError('invalid_parameter', { params: { name: 'n' } })
  return n
}

function tokenLimit(body: JsonObject, name: string): number | null {
  const value = body[name]
  if (value === undefined || value === null) return null
  if (typeof value !== 'number' || !Number.isSafeInteger(value) || value < 1) throw new AppError('max_tokens_invalid', { params: { name } })
  return value
}
