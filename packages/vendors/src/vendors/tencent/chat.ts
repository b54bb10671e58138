import type { ChatDialect } from '../../core/dialect.ts'
import type { Failure } from '../../core/failure.ts'
import { isObject, parseJson, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { laterUsage } from '../../core/no-usage.ts'
import type { ResponseContext } from '../../core/response.ts'
import type { ChatStream, StreamStep } from '../../core/stream.ts'
import type { Usage } from '../../core/usage.ts'
import { fittingCalls } from '../../protocols/calls/conform-calls.ts'
import { withPlainResults } from '../../protocols/compat/messages.ts'
import { inputsOf, ToolCallIndexes } from '../../protocols/openai/repair-tool-calls.ts'
import { withAllowedTools } from '../../protocols/shared/allowed-tools.ts'
import { chunkOf, completionOf, functionsIn, objectsIn, omitUndefined, refusal, toolCall } from '../../protocols/shared/chat-parts.ts'
import { singly } from '../../protocols/shared/one-call.ts'
import { bounded } from '../../protocols/shared/output-cap.ts'
import { actionHeaders, failureIn, tencentFailure, usageOf } from './envelope.ts'
import { finishReason } from './finish-reason.ts'
import { messagesOf } from './messages.ts'
import { createHeldBack, stopWordsIn, withoutStopWord } from './stop-words.ts'

/**
 * ChatCompletions of the platform before TokenHub (cloud.tencent.com, "Hunyuan: ChatCompletions" and "Data structures", stored copies read
 * 2026-11-22). Penalties only tune the sampling, so they are not sent. It has no limit of output tokens, so output is cut at the client's.
 */
export const tencentChat = fittingCalls(
  bounded(
    singly({
      request(request, { model, stream }) {
        const chat = withPlainResults(withAllowedTools(request))
        const { temperature, top_p, seed, tool_choice: choice } = chat
        const stopWords = stopWordsIn(chat)
        const tools = functionsIn(chat).map(toolOf)
        const body = omitUndefined({
          Model: model,
          Messages: messagesOf(chat),
          Stream: stream,
          Temperature: temperature,
          TopP: top_p,
          Stop: stopWords.length === 0 ? undefined : stopWords,
          Seed: typeof seed === 'number' ? 1 + (Math.abs(Math.trunc(seed)) % 10_000) : undefined,
          Tools: tools.length === 0 ? undefined : tools,
          ...choiceOf(choice),
        })
        return { path: '/', headers: actionHeaders('ChatCompletions'), body, stopWords, ...refusal(chat, { takesImages: true }) }
      },
      failure: tencentFailure,
      response(json, context) {
        const response = isObject(json) && isObject(json['Response']) ? json['Response'] : null
        if (response === null) return null
        const failure = failureIn(response)
        if (failure !== null) return failure
        const [choice] = objectsIn(response['Choices'])
        if (choice === undefined || !isObject(choice['Message'])) return null
        const usage = usageOf(response)
        const { calls, content, ...message } = partsOf(choice['Message'])
        const reason = finishReason(choice)
        const contentField = { content: reason === 'stop' ? withoutStopWord(content, context.stopWords) : content }
        const tools = calls.length === 0 ? {} : { tool_calls: calls }
        return { response: completionOf(context, { message: { ...contentField, ...message, ...tools }, reason, usage }), usage }
      },
      stream: (context) => streamOf(context),
    } satisfies ChatDialect),
  ),
)

function toolOf({ name, description, parameters }: JsonObject): JsonObject {
  return {
    Type: 'function',
    Function: omitUndefined({ Name: name, Description: description, Parameters: JSON.stringify(parameters ?? {}) }),
  }
}

function choiceOf(choice: Json | undefined): JsonObject {
  if (!isObject(choice) || !isObject(choice['function'])) return choice === 'auto' ? { ToolChoice: 'auto' } : {}
  return { ToolChoice: 'custom', CustomTool: { Type: 'function', Function: { Name: choice['function']['name'] ?? '' } } }
}

function partsOf({ Content: content, ReasoningContent: reasoning, ToolCalls: listed }: JsonObject) {
  const calls = objectsIn(listed).map(({ Id: id, Function: called }) =>
    toolCall(textOr(id, ''), isObject(called) ? called['Name'] : '', isObject(called) ? called['Arguments'] : ''),
  )
  return {
    content: textOr(content, ''),
    ...(typeof reasoning === 'string' && reasoning !== '' ? { reasoning_content: reasoning } : {}),
    calls,
  }
}

/**
 * Pieces of calls have the index of their call, and the id and name in the first: some models give them in each (the same at TokenHub's
 * predecessor in OpenAI's form: langchain-ai/langchain, issue 29950, read 2026-11-28).
 */
function deltaOf(delta: JsonObject, placed: ToolCallIndexes, idBase: string) {
  const { content, calls: _whole, ...reasoning } = partsOf(delta)
  const listed = objectsIn(delta['ToolCalls']).map((call, at) => {
    const { Id: id, Index: index, Function: called } = call
    const { Name: name, Arguments: input } = isObject(called) ? called : {}
    const head = typeof id === 'string' && id !== '' ? { id, type: 'function' } : {}
    return { index: index ?? at, ...head, function: { ...(textOr(name, '') === '' ? {} : { name }), arguments: textOr(input, '') } }
  })
  const pieces = placed.kept(listed, idBase)
  const beside = textOr(delta['ReasoningContent'], '') + inputsOf(pieces)
  return { content, beside, added: { ...reasoning, ...(pieces.length === 0 ? {} : { tool_calls: pieces }) } }
}

const hasOutputIn = ({ Content: content, ReasoningContent: reasoning, ToolCalls: calls }: JsonObject): boolean =>
  textOr(content, '') + textOr(reasoning, '') !== '' || objectsIn(calls).length > 0

/**
 * What a piece of a stream adds: its `Delta`. `Message` is the field of whole responses (the vendor's SDK, "Choice", read 2026-11-26), so it counts
 * only if nothing came before: otherwise it repeats what was said.
 */
function outputIn({ Delta: delta, Message: whole }: JsonObject, hasOutput: boolean): JsonObject {
  const piece = isObject(delta) ? delta : {}
  return hasOutput || hasOutputIn(piece) || !isObject(whole) ? piece : whole
}

const failed = (failure: Failure): StreamStep => ({ chunks: [], text: '', failure })

function streamOf(context: ResponseContext): ChatStream {
  let usage: Usage | null = null
  let complete = false
  let isBegun = false
  let hasOutput = false
  const placed = new ToolCallIndexes()
  const held = createHeldBack(context.stopWords)

  const lastOf = (reason: string | null): string => (reason === null ? '' : held.end(reason === 'stop'))

  function read(json: Json | undefined): StreamStep {
    if (!isObject(json)) return { chunks: [], text: '', failure: null }
    const failure = failureIn(json)
    if (failure !== null) return failed(failure)
    usage = laterUsage(usage, usageOf(json))
    const [choice] = objectsIn(json['Choices'])
    if (choice === undefined) return { chunks: [], text: '', failure: null }
    const delta = outputIn(choice, hasOutput)
    hasOutput ||= hasOutputIn(delta)
    const isLast = textOr(choice['FinishReason'], '') !== '' && !complete
    complete ||= isLast
    const first = isBegun ? {} : { role: 'assistant' }
    isBegun = true
    const reason = finishReason(choice)
    const end = isLast ? [chunkOf(context, {}, reason)] : []
    const { content, beside, added } = deltaOf(delta, placed, context.id)
    const newText = held.add(content) + lastOf(isLast ? reason : null)
    return { chunks: [chunkOf(context, { ...first, content: newText, ...added }), ...end], text: beside + newText, failure: null }
  }

  return { event: (data) => read(parseJson(data)), end: () => ({ complete, usage }) }
}
