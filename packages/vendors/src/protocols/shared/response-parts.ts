import type { Failure, UnreadResponse } from '../../core/failure.ts'
import type { JsonObject } from '../../core/json.ts'
import type { JsonTally } from '../../core/json-counter.ts'
import type { StreamStep } from '../../core/stream.ts'
import { isFinish } from './chat-parts.ts'

/**
 * Most tool calls and blocks of content of one response, which are all kept until it ends. A model writes at most 128,000 tokens, and a call
 * takes more than a dozen of them.
 */
export const partsMax = 10_000

/** Most characters of a response that its end repeats as a whole. A model writes a million at most. */
export const charactersMax = 8 * 1024 * 1024

/** What is kept of a response until it ends. */
export interface KeptResponse {
  /** Number of tool calls and blocks of content. */
  readonly parts: number
  /** The JSON in what its functions are called with. Missing: nothing of it is parsed. */
  readonly inner?: JsonTally
  /** What its end repeats, in characters. Missing: it repeats nothing. */
  readonly characters?: number
}

/** What a response is that is larger than the limits; `null` = it is within them. */
export function excessIn({ parts, inner, characters = 0 }: KeptResponse): Failure | null {
  if (parts > partsMax) return unusable(`an answer of more than ${partsMax} tool calls or blocks of content`)
  if (characters > charactersMax) return unusable(`an answer of more than ${charactersMax} characters`)
  const excess = inner?.excess ?? null
  return excess === null ? null : unusable(`tool calls whose arguments are too large together: ${excess}`)
}

/** The failure of a response that is beyond our limits. */
export const unusable = (what: string): Failure => ({
  kind: 'unavailable',
  message: `the upstream service sent ${what}`,
  type: null,
  param: null,
  code: null,
  unread: { usage: null, text: '' },
})

/**
 * The failure of a response that its vendor broke off. Clients can make a model end so, and each attempt would be billed, so what is known of it is.
 * @param reason the vendor's reason; its message has what the model wrote, which an error must not deliver
 */
export function brokenEnd(reason: string, known: UnreadResponse): Failure {
  const failure = { kind: 'unavailable', message: `the model stopped with ${reason}`, type: reason, param: null, code: null } as const
  return known.usage === null && known.text === '' ? failure : { ...failure, unread: known }
}

/** A response in the form of its client, which is written from the chunks of a chat. */
interface WrittenResponse extends KeptResponse {
  chunk(chunk: JsonObject): readonly JsonObject[]
}

/**
 * A step of a chat in the form of its client, or the end of a response that is larger than the limits by now. What ends with nothing for its client, such as
 * reasoning that it did not request, is a response all the same.
 */
export function writtenStep(step: StreamStep, response: WrittenResponse): StreamStep {
  let isFinished = step.isFinished === true
  const chunks: JsonObject[] = []
  for (const chunk of step.chunks) {
    isFinished ||= isFinish(chunk)
    for (const event of response.chunk(chunk)) chunks.push(event)
  }
  const failure = step.failure === null ? excessIn(response) : null
  if (failure !== null) return { chunks: [], text: '', failure }
  const { text, isLast } = step
  return { chunks, text, failure: step.failure, isFinished, ...(isLast === true ? { isLast } : {}) }
}
