import type { JsonObject } from '../../core/json.ts'
import { objectsIn } from '../shared/chat-parts.ts'

/** A whole message as the events of a stream, for a client that requested one. Each block comes in one delta. */
export function replayMessage(message: JsonObject): readonly JsonObject[] {
  const { content, stop_reason: reason, stop_sequence: sequence = null, usage = {} } = message
  return [
    { type: 'message_start', message: { ...message, content: [], stop_reason: null, stop_sequence: null } },
    ...objectsIn(content).flatMap(blockEvents),
    { type: 'message_delta', delta: { stop_reason: reason, stop_sequence: sequence }, usage },
    { type: 'message_stop' },
  ]
}

interface SplitBlock {
  readonly block: JsonObject
  readonly deltas: readonly JsonObject[]
}

/** What a block begins with, and what follows in deltas. Other blocks are whole from their beginning. */
function opened(block: JsonObject): SplitBlock {
  const { type, text, thinking, signature, input, citations } = block
  if (type === 'text') {
    const cited = objectsIn(citations).map((citation) => ({ type: 'citations_delta', citation }))
    return { block: { type, text: '' }, deltas: [{ type: 'text_delta', text }, ...cited] }
  }
  if (type === 'thinking') {
    const deltas = [
      { type: 'thinking_delta', thinking },
      { type: 'signature_delta', signature },
    ]
    return { block: { type, thinking: '', signature: '' }, deltas }
  }
  if (type !== 'tool_use' && type !== 'server_tool_use') return { block, deltas: [] }
  return { block: { ...block, input: {} }, deltas: [{ type: 'input_json_delta', partial_json: JSON.stringify(input ?? {}) }] }
}

function blockEvents(contentBlock: JsonObject, index: number): readonly JsonObject[] {
  const { block, deltas } = opened(contentBlock)
  return [
    { type: 'content_block_start', index, content_block: block },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ]
}
