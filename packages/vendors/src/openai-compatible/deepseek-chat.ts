import { objectsIn } from '../chat-parts.ts'
import { isObject } from '../is-object.ts'
import type { JsonObject } from '../json.ts'
import { lackedIn } from '../lacked.ts'
import { effortIn, lowHighMax, withEffort } from './fields.ts'
import { withPlainResults, withReasoningOfTurns, withSystemRole } from './messages.ts'
import { schemaAsInstruction } from './schema-as-instruction.ts'
import { forcesTool } from './tool-choice.ts'

/** A chat as DeepSeek takes it: schemas of answers, results of tools and the level of reasoning differ from OpenAI's. */
export function deepseekChat(body: JsonObject): JsonObject {
  return schemaAsInstruction(reasoned(withPlainResults(withSystemRole(body))))
}

/** Log probabilities come without thoughts only, and one model does not see. */
export function deepseekRefuses(chat: JsonObject): string | null {
  if (chat['logprobs'] === true && isThinking(chat)) return 'logprobs'
  return String(chat['model']).startsWith('deepseek-v4-pro') ? lackedIn(chat, ['pictures in']) : null
}

/** It thinks unless it is told not to, or to call a certain tool, which it cannot do while it thinks. */
function isThinking(body: JsonObject): boolean {
  const { thinking } = body
  return effortIn(body) !== 'none' && !forcesTool(body) && !(isObject(thinking) && thinking['type'] === 'disabled')
}

/** The vendor enforces the schemas of all tools or of none. */
export function areStrict({ tools }: JsonObject): boolean {
  const list = objectsIn(tools)
  return list.length > 0 && list.every(({ function: declared }) => isObject(declared) && declared['strict'] === true)
}

/** While it thinks and has tools, every message of the assistant needs its reasoning: an empty one, if the client lost it. */
function reasoned(body: JsonObject): JsonObject {
  const { none: _off, ...levels } = lowHighMax
  const sent = withEffort(body, levels)
  if (!isThinking(body)) return { ...sent, thinking: { type: 'disabled' } }
  return withReasoningOfTurns(sent, '')
}
