import type { Dialect } from '../../core/dialect.ts'
import { isObject, parseJson, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { laterUsage } from '../../core/no-usage.ts'
import type { ResponseContext } from '../../core/response.ts'
import type { ChatStream, StreamStep } from '../../core/stream.ts'
import type { Usage } from '../../core/usage.ts'
import { usageObject } from '../../core/usage-object.ts'
import { finishReasonOf } from '../../protocols/openai/finish-reasons.ts'
import { usageIn } from '../../protocols/openai/usage.ts'
import { objectsIn, omitUndefined } from '../../protocols/shared/chat-parts.ts'
import { errorIn, readFailure } from '../../protocols/shared/openai-failure.ts'
import { withOutputLimit } from '../../protocols/shared/output-limit.ts'

/**
 * Filling in the middle (docs.mistral.ai, "FIM completion", a stored copy of 2026 read 2026-11-23): a completion with a suffix, which is
 * returned in the form of a chat. It has one response, without an echo and log probabilities; penalties only tune the sampling.
 */
export const mistralFillIn = {
  request(body, target) {
    const { prompt, suffix, temperature, top_p, max_tokens, min_tokens, stop, seed } = withOutputLimit(body, 'max_tokens', target)
    const text = promptOf(prompt)
    const refused = text === null ? 'prompt' : refusedIn(body)
    const { model, stream } = target
    return {
      path: '/v1/fim/completions',
      headers: {},
      body: omitUndefined({ model, prompt: text, suffix, temperature, top_p, max_tokens, min_tokens, stop, random_seed: seed, stream }),
      ...(refused === null ? {} : { refused }),
    }
  },
  failure: readFailure,
  response(json, { id, created, model }) {
    if (!isObject(json)) return null
    const failure = errorIn(json)
    if (failure !== null) return failure
    const upstreamChoices = objectsIn(json['choices'])
    if (upstreamChoices.length === 0) return null
    const usage = usageIn(json)
    const choices = upstreamChoices.map((choice, index) => choiceOf(choice, 'message', index))
    const counted = usage === null ? {} : { usage: usageObject(usage) }
    return { response: { id, object: 'text_completion', created, model, choices, ...counted }, usage }
  },
  stream: (context) => streamOf(context),
} satisfies Dialect

/** One prompt, which may stand in a list. */
function promptOf(prompt: Json | undefined): string | null {
  const one = Array.isArray(prompt) && prompt.length === 1 ? prompt[0] : prompt
  return typeof one === 'string' ? one : null
}

function refusedIn({ n, best_of: best, echo, logprobs }: JsonObject): string | null {
  if (typeof n === 'number' && n > 1) return 'n'
  if (typeof best === 'number' && best > 1) return 'best_of'
  if (echo === true) return 'echo'
  return typeof logprobs === 'number' && logprobs > 0 ? 'logprobs' : null
}

function choiceOf(choice: JsonObject, member: 'message' | 'delta', at: number): JsonObject {
  const { index, finish_reason: reason } = choice
  return { index: index ?? at, text: textIn(choice, member), logprobs: null, finish_reason: finishReasonOf(reason) ?? null }
}

function textIn(choice: JsonObject, member: 'message' | 'delta'): string {
  const part = choice[member]
  return isObject(part) ? textOr(part['content'], '') : ''
}

const silent: StreamStep = { chunks: [], text: '', failure: null }

function streamOf({ id, created, model }: ResponseContext): ChatStream {
  let usage: Usage | null = null
  let complete = false
  return {
    event(data) {
      if (data === '[DONE]') {
        complete = true
        return { ...silent, isLast: true }
      }
      const json = parseJson(data)
      if (!isObject(json)) return silent
      const failure = errorIn(json)
      if (failure !== null) return { ...silent, failure }
      usage = laterUsage(usage, usageIn(json))
      const upstreamChoices = objectsIn(json['choices'])
      complete ||= upstreamChoices.some(({ finish_reason: reason }) => typeof reason === 'string' && reason !== '')
      const choices = upstreamChoices.map((choice, index) => choiceOf(choice, 'delta', index))
      const text = upstreamChoices.map((choice) => textIn(choice, 'delta')).join('')
      return { chunks: choices.length === 0 ? [] : [{ id, object: 'text_completion', created, model, choices }], text, failure: null }
    },
    end: () => ({ complete, usage }),
  }
}
