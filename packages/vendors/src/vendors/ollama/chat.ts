import type { ChatDialect, Dialect } from '../../core/dialect.ts'
import type { Failure } from '../../core/failure.ts'
import { messageOr } from '../../core/failure-parts.ts'
import { isObject, parseJson, textOr } from '../../core/is-object.ts'
import { joinUrl } from '../../core/join-url.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { noHeaders } from '../../core/no-headers.ts'
import { nonsense, noUsage } from '../../core/no-usage.ts'
import type { ClientResponse, ResponseContext } from '../../core/response.ts'
import type { Usage } from '../../core/usage.ts'
import { isCount, readCount } from '../../core/usage-count.ts'
import { askOnce, at } from '../../core/vendor-query.ts'
import { fittingCalls } from '../../protocols/calls/conform-calls.ts'
import { embeddingList, formIn, textsIn } from '../../protocols/gemini/embeddings.ts'
import { objectsIn } from '../../protocols/shared/chat-parts.ts'
import { singly } from '../../protocols/shared/one-call.ts'
import { WholeCalls } from '../../protocols/shared/repeated-calls.ts'
import { type Piece, type ResponseReader, readingBy } from '../../protocols/shared/response-reader.ts'
import { errorIn, readOllamaFailure } from './failures.ts'
import { toOllama } from './request.ts'

interface State {
  readonly context: ResponseContext
  calls: number
  /**
   * Those with ids. The server sends each call once, and may send two that are alike (run-llama/llama_index, issue 22464, read 2026-11-28): they
   * differ in their ids.
   */
  readonly known: WholeCalls
  isDone: boolean
  usage: Usage | null
}

/** Each line, and a whole response, has the same form ("Generate a chat completion", a stored copy read 2026-11-22). */
function createReader(context: ResponseContext): ResponseReader<JsonObject> {
  const state: State = { context, calls: 0, known: new WholeCalls(), isDone: false, usage: null }
  return { take: (line) => take(state, line), end: () => ({ complete: state.isDone, usage: state.usage }) }
}

function take(state: State, line: JsonObject): Piece {
  const failure = errorIn(line)
  if (failure !== null) return { failure }
  const { message, done, done_reason: reason, logprobs } = line
  const { content, thinking, tool_calls: calls } = isObject(message) ? message : {}
  const [reasoning, text] = [textOr(thinking, ''), textOr(content, '')]
  const called = objectsIn(calls).flatMap((call) => callOf(state, call))
  const deltas = [
    ...(reasoning === '' ? [] : [{ reasoning_content: reasoning }]),
    ...(text === '' ? [] : [{ content: text }]),
    ...called.map((call) => ({ tool_calls: [call] })),
  ]
  const written = reasoning + text + called.map(({ function: callFunction }) => callFunction.arguments).join('')
  const output = { deltas, text: written, ...probabilities(logprobs) }
  if (done !== true) return output
  state.isDone = true
  state.usage = usageIn(line)
  return { ...output, finish: finishOf(state, reason), isLast: true }
}

/** "Generate a chat completion", `logprobs`, as its clients have it since version 0.12.11, read 2026-11-24. OpenAI's clients want every member. */
function probabilities(list: Json | undefined): Pick<Piece, 'logprobs'> {
  if (!Array.isArray(list) || list.length === 0) return {}
  const tokenOf = ({ token, logprob, bytes }: JsonObject): JsonObject => ({ token, logprob, bytes: bytes ?? null })
  const whole = (entry: JsonObject): JsonObject => ({ ...tokenOf(entry), top_logprobs: objectsIn(entry['top_logprobs']).map(tokenOf) })
  return { logprobs: objectsIn(list).map(whole) }
}

/** `load` and `unload` are the reasons of requests without a prompt. */
function finishOf({ calls }: State, reason: Json | undefined): string {
  if (reason === 'length') return 'length'
  return calls > 0 ? 'tool_calls' : 'stop'
}

/** A call comes whole, and older servers give it no id. Empty: it came before. */
function callOf(state: State, { id: ownId, function: rawFunction }: JsonObject) {
  const { name, arguments: input } = isObject(rawFunction) ? rawFunction : {}
  const callFunction = { name: textOr(name, ''), arguments: typeof input === 'string' ? input || '{}' : JSON.stringify(input ?? {}) }
  const id = textOr(ownId, '')
  if (state.known.isRepeat(id, callFunction.name, callFunction.arguments)) return []
  const index = state.calls
  state.calls += 1
  return [{ index, id: id || `call_${state.context.id}_${index}`, type: 'function', function: callFunction }]
}

/** The count of the prompt may be missing when all of it was in the cache. */
function usageIn({ prompt_eval_count: prompt, eval_count: output }: JsonObject): Usage | null {
  const [promptTokens, completionTokens] = [readCount(prompt), readCount(output)]
  if (completionTokens === null) return null
  const isValid = isCount(completionTokens) && isCount(promptTokens ?? 0)
  return isValid ? { ...noUsage, promptTokens: promptTokens ?? 0, completionTokens } : nonsense
}

/** Ollama's own interface. */
export const ollama: ChatDialect = fittingCalls(
  singly({
    request: toOllama,
    ...readingBy({
      create: createReader,
      partOf(data) {
        const line = parseJson(data)
        return isObject(line) ? line : null
      },
      partsOf: (json) => (isObject(json) ? [json] : null),
    }),
    failure: readOllamaFailure,
    askModels: askOnce(
      ({ baseUrl }) => joinUrl(baseUrl, '/api/tags'),
      (response) => {
        const rows = at(response, 'models')
        if (!Array.isArray(rows)) return { failed: messageOr(response, 'the response is not a list of models') }
        return { result: rows.flatMap((row) => (isObject(row) && typeof row['name'] === 'string' ? [row['name']] : [])) }
      },
    ),
    lacks: ['n'],
    needsImageBytes: true,
  }),
)

/** "Generate embeddings": all texts in one request. */
export const ollamaEmbeddings: Dialect = {
  request(body, { model }) {
    const texts = textsIn(body)
    const { dimensions } = body
    return {
      path: '/api/embed',
      headers: noHeaders,
      body: { model, input: texts ?? [], ...(typeof dimensions === 'number' ? { dimensions } : {}) },
      echo: formIn(body),
      ...(texts === null ? { refused: 'input' } : {}),
    }
  },
  response(json, context): ClientResponse | Failure | null {
    if (!isObject(json)) return null
    const failure = errorIn(json)
    if (failure !== null) return failure
    const { embeddings, prompt_eval_count: tokens } = json
    return Array.isArray(embeddings) ? embeddingList(embeddings, context, typeof tokens === 'number' ? tokens : null) : null
  },
  failure: readOllamaFailure,
}
