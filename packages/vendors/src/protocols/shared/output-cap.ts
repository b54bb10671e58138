import type { ChatDialect } from '../../core/dialect.ts'
import { isObject } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { believed } from '../../core/no-usage.ts'
import type { ResponseContext } from '../../core/response.ts'
import { runningTokens } from '../../core/running-tokens.ts'
import type { ChatStream, StreamStep } from '../../core/stream.ts'
import type { Usage } from '../../core/usage.ts'
import { limitIn } from './token-limit-fields.ts'

/**
 * A dialect of a vendor whose form has no limit of output tokens. If the client names one, the response is requested as a stream and cut at the
 * limit, with OpenAI's finish reason `length`: by the vendor's counts if they come with the stream, else by an estimate. No more is charged.
 * The limit is that of each choice.
 */
export function bounded<D extends ChatDialect>(dialect: D): D {
  return {
    ...dialect,
    request(chat, target) {
      const limit = limitIn(chat)
      return limit === null ? dialect.request(chat, target) : { ...dialect.request(chat, { ...target, stream: true }), outputMax: limit }
    },
    response(json, context) {
      const read = dialect.response(json, context)
      const { outputMax } = context
      if (outputMax === undefined || read === null || 'kind' in read) return read
      const { choices } = read.response
      const most = outputMax * (Array.isArray(choices) ? choices.length : 1)
      const counted = believed(read.usage)?.completionTokens ?? runningTokens(outputIn(choices))
      if (counted <= most) return read
      return { ...read, response: cutResponse(read.response, most / counted), usage: usageWithin(read.usage, most) }
    },
    stream: (context) => (context.outputMax === undefined ? dialect.stream(context) : cutStream(dialect.stream(context), context)),
  }
}

function cutStream(inner: ChatStream, { outputMax = Number.POSITIVE_INFINITY, id, created, model }: ResponseContext): ChatStream {
  let estimate = 0
  let before = 0
  let isCut = false
  return {
    ...inner,
    event(data, name) {
      if (isCut) return { chunks: [], text: '', failure: null, isLast: true }
      const step = inner.event(data, name)
      estimate += runningTokens(step.text)
      const { complete, usage } = inner.end()
      const reportedTokens = believed(usage)?.completionTokens ?? 0
      const counted = reportedTokens > 0 ? reportedTokens : estimate
      const isOver = step.failure === null && step.text !== '' && (complete ? counted > outputMax : counted >= outputMax)
      if (!isOver) {
        before = counted
        return step
      }
      isCut = true
      const share = counted > before ? Math.max(0, outputMax - before) / (counted - before) : 1
      const end = { id, object: 'chat.completion.chunk', created, model, choices: [{ index: 0, delta: {}, finish_reason: 'length' }] }
      const { chunks, text } = cutStep(step, share)
      return { chunks: [...chunks, end], text, failure: null, isLast: true }
    },
    end() {
      const end = inner.end()
      return { ...end, complete: isCut || end.complete, usage: usageWithin(end.usage, outputMax) }
    },
  }
}

/** The first part of the texts of a step, without the reason of its end. */
function cutStep({ chunks, text }: StreamStep, share: number): Pick<StreamStep, 'chunks' | 'text'> {
  const cut = chunks.map((chunk) =>
    withChoices(chunk, ({ finish_reason: _reason, delta, ...choice }) => ({
      ...choice,
      delta: cutTexts(delta, share),
      finish_reason: null,
    })),
  )
  return { chunks: cut, text: text.slice(0, Math.floor(text.length * share)) }
}

const cutResponse = (response: JsonObject, share: number): JsonObject =>
  withChoices(response, ({ message, ...choice }) => ({ ...choice, message: cutTexts(message, share), finish_reason: 'length' }))

function withChoices(body: JsonObject, change: (choice: JsonObject) => JsonObject): JsonObject {
  const { choices } = body
  return Array.isArray(choices) ? { ...body, choices: choices.map((choice) => (isObject(choice) ? change(choice) : choice)) } : body
}

/** Members of a message that hold output. */
const outputs: ReadonlySet<string> = new Set(['content', 'reasoning_content', 'arguments'])

/** The texts of a response, one after another. */
function outputIn(value: Json | undefined): string {
  if (Array.isArray(value)) return value.map(outputIn).join('')
  if (!isObject(value)) return ''
  const texts = Object.entries(value).map(([name, member]) => (typeof member === 'string' && outputs.has(name) ? member : outputIn(member)))
  return texts.join('')
}

/** The message with the first part of each of its texts. */
function cutTexts(value: Json | undefined, share: number): Json {
  if (Array.isArray(value)) return value.map((entry) => cutTexts(entry, share))
  if (!isObject(value)) return value ?? null
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [
      name,
      typeof member === 'string' && outputs.has(name) ? member.slice(0, Math.floor(member.length * share)) : cutTexts(member, share),
    ]),
  )
}

function usageWithin(usage: Usage | null, most: number): Usage | null {
  if (usage === null) return null
  const completionTokens = Math.min(usage.completionTokens, most)
  return { ...usage, completionTokens, reasoningTokens: Math.min(usage.reasoningTokens, completionTokens) }
}
