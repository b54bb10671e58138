import type { ChatDialect, Dialect } from '../../core/dialect.ts'
import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { ResponseContext } from '../../core/response.ts'
import type { ChatStream, StreamStep } from '../../core/stream.ts'

/** More stop sequences, or longer ones in characters, are not looked for: the request is refused. */
const [wordsMax, wordLengthMax] = [8, 64]

export function canCutAt(words: readonly string[]): boolean {
  return words.length <= wordsMax && words.every(({ length }) => length <= wordLengthMax)
}

/**
 * A dialect in OpenAI's form whose responses the gateway itself ends at the client's stop sequences, where the model knows none (`Outgoing.cutAt`). The
 * request ends there, too, as if the client had left.
 */
export function cutting<D extends ChatDialect>(dialect: D): D {
  return {
    ...dialect,
    response(json, context) {
      const read = dialect.response(json, context)
      return context.cutAt === undefined || read === null || 'kind' in read
        ? read
        : { ...read, response: cutResponse(read.response, context) }
    },
    stream: (context) => (context.cutAt === undefined ? dialect.stream(context) : cutStream(dialect.stream(context), context)),
  }
}

/** The dialect that reads the response to a request: one that passes bytes on cannot end them. */
export function readerOf(dialect: Dialect, { cutAt }: Pick<ResponseContext, 'cutAt'>): Dialect {
  if (cutAt === undefined || dialect.passthrough === undefined) return dialect
  const { passthrough: _bytes, ...translating } = dialect
  return { ...translating, isOpenAIForm: true }
}

/** Where the first stop sequence begins; `null` = there is none. */
function findStop(text: string, words: readonly string[]): { readonly at: number; readonly word: string } | null {
  let first: { readonly at: number; readonly word: string } | null = null
  for (const word of words) {
    const at = text.indexOf(word)
    if (at !== -1 && (first === null || at < first.at)) first = { at, word }
  }
  return first
}

/** Characters at the end of a text with which a stop sequence may begin. */
function openLength(text: string, words: readonly string[]): number {
  const longest = words.reduce((most, { length }) => Math.max(most, length), 0)
  for (let length = Math.min(longest - 1, text.length); length > 0; length -= 1) {
    const end = text.slice(-length)
    if (words.some((word) => word.startsWith(end))) return length
  }
  return 0
}

const stoppedBy = ({ isDetailed }: ResponseContext, word: string): JsonObject => (isDetailed === true ? { stop_reason: word } : {})

function cutResponse(response: JsonObject, context: ResponseContext): JsonObject {
  const { choices } = response
  return Array.isArray(choices) ? { ...response, choices: choices.map((choice) => cutChoice(choice, context)) } : response
}

function cutChoice(choice: Json, context: ResponseContext): Json {
  const message = isObject(choice) ? choice['message'] : undefined
  const content = isObject(message) ? message['content'] : undefined
  const stop = typeof content === 'string' ? findStop(content, context.cutAt ?? []) : null
  if (stop === null || !isObject(choice) || !isObject(message)) return choice
  const { tool_calls: _later, ...rest } = message
  const cut = { ...rest, content: textOr(content, '').slice(0, stop.at) }
  return { ...choice, message: cut, finish_reason: 'stop', ...stoppedBy(context, stop.word) }
}

function cutStream(inner: ChatStream, context: ResponseContext): ChatStream {
  const { cutAt: words = [], id, created, model } = context
  const frame = { id, object: 'chat.completion.chunk', created, model }
  let held = ''
  let isCut = false

  /** What can be sent of the text so far, and the sequence that ends it. */
  function take(content: Json | undefined, isEnd: boolean) {
    const text = held + textOr(content, '')
    const stop = findStop(text, words)
    const keeps = isEnd || stop !== null ? 0 : openLength(text, words)
    held = text.slice(text.length - keeps)
    isCut = stop !== null
    return { content: text.slice(0, stop?.at ?? text.length - keeps), stop }
  }

  function chunkOf(chunk: JsonObject): JsonObject {
    const choice = Array.isArray(chunk['choices']) ? chunk['choices'][0] : undefined
    const delta = isObject(choice) ? choice['delta'] : undefined
    if (!isObject(choice) || !isObject(delta)) return chunk
    const { tool_calls: calls, ...rest } = delta
    const { content, stop } = take(delta['content'], typeof choice['finish_reason'] === 'string' || calls !== undefined)
    if (stop !== null)
      return withContent(chunk, { ...choice, finish_reason: 'stop', ...stoppedBy(context, stop.word) }, { ...rest, content })
    return content === textOr(delta['content'], '') ? chunk : withContent(chunk, choice, { ...delta, content })
  }

  return {
    ...inner,
    event(data, name): StreamStep {
      if (isCut) return { chunks: [], text: '', failure: null, isLast: true }
      const step = inner.event(data, name)
      const chunks: JsonObject[] = []
      for (const chunk of step.chunks) {
        if (!isCut) chunks.push(chunkOf(chunk))
      }
      if (isCut) return { chunks, text: step.text, failure: null, isFinished: true, isLast: true }
      if (step.isLast !== true || held === '') return { ...step, chunks }
      const rest = { ...frame, choices: [{ index: 0, delta: { content: held }, finish_reason: null }] }
      held = ''
      return { ...step, chunks: [...chunks, rest] }
    },
    end() {
      const end = inner.end()
      return isCut ? { ...end, complete: true } : end
    },
  }
}

function withContent(chunk: JsonObject, choice: JsonObject, delta: JsonObject): JsonObject {
  return { ...chunk, choices: [{ ...choice, delta }] }
}
