import type { ChatDialect } from '../../core/dialect.ts'
import type { Failure } from '../../core/failure.ts'
import { messageOr } from '../../core/failure-parts.ts'
import { isObject, lookUp, parseJson, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { nonsense, noUsage } from '../../core/no-usage.ts'
import type { Usage } from '../../core/usage.ts'
import { isCount, readCount } from '../../core/usage-count.ts'
import { readFailure } from '../../protocols/shared/openai-failure.ts'
import { bounded } from '../../protocols/shared/output-cap.ts'
import { type Piece, type ResponseReader, readingBy } from '../../protocols/shared/response-reader.ts'
import { toCoze } from './request.ts'

interface Event {
  readonly name: string
  readonly data: JsonObject
}

interface State {
  /** Ids of the messages that have arrived, whole or in chunks: at its end, each comes whole. */
  readonly seenIds: Set<string>
  isDone: boolean
  usage: Usage | null
}

function createReader(): ResponseReader<Event> {
  const state: State = { seenIds: new Set(), isDone: false, usage: null }
  return {
    take: ({ name, data }) => lookUp(readers, name)?.(state, data) ?? {},
    end: () => ({ complete: state.isDone, usage: state.usage }),
  }
}

/** "Chat V3", events of a stream. Others (created, in_progress) add nothing. */
const readers: Readonly<Record<string, (state: State, data: JsonObject) => Piece>> = {
  'conversation.message.delta'(state, message) {
    if (message['type'] !== 'answer') return {}
    state.seenIds.add(textOr(message['id'], ''))
    return say(message)
  },
  // Calls of the bot's own tools, what it knows, and questions that it proposes are not the response.
  'conversation.message.completed'({ seenIds }, message) {
    const id = textOr(message['id'], '')
    if (message['type'] !== 'answer' || seenIds.has(id)) return {}
    seenIds.add(id)
    return say(message)
  },
  'conversation.chat.completed'(state, { usage }) {
    // It may come again when a proxy repeats it.
    if (state.isDone) return {}
    state.isDone = true
    state.usage = usageIn(usage)
    return { finish: 'stop' }
  },
  'conversation.chat.failed': (_state, { last_error: error }) => ({ failure: failureOf(error) }),
  'conversation.chat.canceled': () => ({ failure: failureOf({ msg: 'the vendor has canceled the chat' }) }),
  // The output of a tool would have to come from the client, which did not declare it.
  'conversation.chat.requires_action': () => ({
    failure: { ...failureOf({ msg: 'the bot waits for the output of a tool, which cannot be given here' }), kind: 'bad_request' },
  }),
  error: (_state, data) => ({ failure: failureOf(data) }),
  done: () => ({ isLast: true }),
}

function say({ content, reasoning_content: thinking }: JsonObject): Piece {
  const fields = Object.entries({ reasoning_content: textOr(thinking, ''), content: textOr(content, '') }).filter(([, text]) => text !== '')
  return { deltas: fields.map(([name, text]) => ({ [name]: text })), text: fields.map(([, text]) => text).join('') }
}

/** Counts of zero stand for counts that the vendor does not report. */
function usageIn(usage: Json | undefined): Usage | null {
  if (!isObject(usage)) return null
  const [promptTokens, completionTokens] = [readCount(usage['input_count']), readCount(usage['output_count'])]
  if (promptTokens === null || completionTokens === null || (promptTokens === 0 && completionTokens === 0)) return null
  return isCount(promptTokens) && isCount(completionTokens) ? { ...noUsage, promptTokens, completionTokens } : nonsense
}

/** An error beside status 200. What its code means is in the vendor's record. */
function failureOf(error: Json | undefined): Failure {
  const code = isObject(error) && (typeof error['code'] === 'number' || typeof error['code'] === 'string') ? String(error['code']) : null
  const kind = code === '4000' ? 'bad_request' : 'unavailable'
  return { kind, message: messageOr(error, 'the upstream service reported an error'), type: null, param: null, code }
}

const isError = ({ code }: JsonObject): boolean => typeof code === 'number' && code !== 0

/** The error of a response with status 200; `null` = it has none. */
export function errorInResponse(json: JsonObject): Failure | null {
  return isError(json) ? failureOf(json) : null
}

/** Coze's third interface. A whole response with status 200 is always an error, because responses only come as streams. */
export const coze: ChatDialect = bounded({
  request: toCoze,
  ...readingBy<Event>({
    create: createReader,
    partOf(data, name) {
      const json = parseJson(data)
      if (name === undefined) return isObject(json) && isError(json) ? { name: 'error', data: json } : null
      return { name, data: isObject(json) ? json : {} }
    },
    partsOf: (json) => (isObject(json) && isError(json) ? failureOf(json) : null),
  }),
  failure(status, body) {
    const failure = readFailure(status, body)
    const json = parseJson(body)
    return isObject(json) && typeof json['code'] === 'number' ? { ...failure, code: String(json['code']) } : failure
  },
  lacks: ['n', 'logprobs', 'top_logprobs'],
})
