import type { Failure } from '../../core/failure.ts'
import { isObject, lookUp, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { believed } from '../../core/no-usage.ts'
import type { ClientResponse, ResponseContext } from '../../core/response.ts'
import { usageObject } from '../../core/usage-object.ts'
import { withFunctionCall } from '../shared/legacy-functions.ts'
import { annotationsIn } from './citations.ts'
import { errorIn } from './failure.ts'
import { isOutputBlock } from './output-tool.ts'
import { isOutput, noCounts, toUsage, withBlock, withRefusal, withUsage } from './usage.ts'

/**
 * Messages API, "Stop reasons", read 2026-11-21. Every other reason becomes `stop`. A response that the vendor paused is not complete, which other protocols
 * can say only of one that was cut: an agent asks for the rest then.
 */
const finishOf: Readonly<Record<string, string>> = {
  max_tokens: 'length',
  pause_turn: 'length',
  model_context_window_exceeded: 'length',
  tool_use: 'tool_calls',
  refusal: 'content_filter',
}

/** @param unwraps the only tool call was structured output, which the client gets as plain content */
export function finishReason(stopReason: Json | undefined, unwraps: boolean): string {
  const reason = lookUp(finishOf, textOr(stopReason, '')) ?? 'stop'
  return reason === 'tool_calls' && unwraps ? 'stop' : reason
}

/** The vendor's explanation of a refusal; `null` = none. */
export function refusalIn(details: Json | undefined): string | null {
  return isObject(details) && typeof details['explanation'] === 'string' ? details['explanation'] : null
}

/** A whole message as an OpenAI chat completion. */
export function fromAnthropic(json: Json, context: ResponseContext): ClientResponse | Failure | null {
  const failure = errorIn(json)
  if (failure !== null) return failure
  if (!isObject(json) || !Array.isArray(json['content'])) return null
  const blocks = json['content'].filter(isObject)
  const usage = withRefusal(toUsage(withUsage(blocks.reduce(withBlock, noCounts), json['usage'])), json['stop_reason'], {
    hasOutput: blocks.some(isOutput),
  })
  const trustedUsage = believed(usage)
  const output = blocks.find((block) => isOutputBlock(block, context))
  const message = toMessage(blocks, output)
  const response: JsonObject = {
    id: context.id,
    object: 'chat.completion',
    created: context.created,
    model: context.model,
    choices: [
      {
        index: 0,
        message: { ...message, refusal: refusalIn(json['stop_details']) },
        logprobs: null,
        finish_reason: finishReason(json['stop_reason'], output !== undefined && message['tool_calls'] === undefined),
      },
    ],
    ...(trustedUsage === null ? {} : { usage: usageObject(trustedUsage) }),
  }
  return { response: context.callsFunctions === true ? withFunctionCall(response) : response, usage }
}

function toMessage(blocks: readonly JsonObject[], output: JsonObject | undefined): JsonObject {
  const uses = ofType(blocks, 'tool_use')
  const text = output === undefined ? joined(ofType(blocks, 'text'), 'text') : JSON.stringify(output['input'] ?? {})
  const calls = uses.filter((use) => use !== output).map((use) => toToolCall(use))
  const reasoningBlocks = ofType(blocks, 'thinking', 'redacted_thinking')
  const reasoning = joined(reasoningBlocks, 'thinking')
  const annotations = output === undefined ? annotationsIn(ofType(blocks, 'text')) : []
  return {
    role: 'assistant',
    content: text === '' && calls.length > 0 ? null : text,
    ...(reasoning === '' ? {} : { reasoning_content: reasoning }),
    // Clients send these back with a tool result, so that the model continues its thinking.
    ...(reasoningBlocks.length === 0 ? {} : { thinking_blocks: reasoningBlocks }),
    ...(annotations.length === 0 ? {} : { annotations }),
    ...(calls.length === 0 ? {} : { tool_calls: calls }),
  }
}

function ofType(blocks: readonly JsonObject[], ...types: readonly string[]): readonly JsonObject[] {
  return blocks.filter((block) => types.includes(textOr(block['type'], '')))
}

function joined(blocks: readonly JsonObject[], field: string): string {
  return blocks.map((block) => textOr(block[field], '')).join('')
}

function toToolCall(use: JsonObject): JsonObject {
  return {
    id: textOr(use['id'], ''),
    type: 'function',
    function: { name: textOr(use['name'], ''), arguments: JSON.stringify(use['input'] ?? {}) },
  }
}
