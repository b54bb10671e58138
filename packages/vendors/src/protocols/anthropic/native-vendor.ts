import { type SidePlace, sideAddress } from '../../core/additional-protocol.ts'
import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { MessagesInterface } from '../../core/messages-interface.ts'
import type { Vendor } from '../../core/vendor.ts'
import { acceptedNames } from '../calls/tool-names.ts'
import { messageSearchIn, nativeOnlyIn } from '../messages/native-only.ts'
import { objectsIn } from '../shared/chat-parts.ts'
import { isReasoning, ownMark } from '../shared/gateway-marks.ts'
import { compatibleMessages, compatibleMessagesWithMarks } from './compatible-messages.ts'

/** The vendor as a request for messages reaches it without a translation; `null` = the request needs one, or the server has chats only. */
export function speakingMessages(vendor: Vendor, { body, ...place }: SidePlace & { readonly body: JsonObject }): Vendor | null {
  const { messages } = vendor
  const address = messages === undefined ? null : sideAddress(messages, place)
  if (messages === undefined || address === null || !covers(messages, body, vendor.chat?.calls?.names ?? acceptedNames)) return null
  const dialect = hasCacheMarks(body) ? compatibleMessagesWithMarks : compatibleMessages
  return { ...vendor, dialects: { ...vendor.dialects, messages: dialect }, routes: { ...vendor.routes, pathFor: () => address } }
}

/** At a block, a tool, or the end of the whole request. */
function hasCacheMarks(body: JsonObject): boolean {
  const { system, messages, tools } = body
  const blocks = objectsIn(messages).flatMap(({ content }) => objectsIn(content))
  return [body, ...objectsIn(system), ...objectsIn(tools), ...blocks].some((place) => isSet(place['cache_control']))
}

/** Whether the vendor does all that the request says: what such interfaces have in common is text, reasoning and functions. */
function covers({ ignores = [] }: MessagesInterface, body: JsonObject, names: RegExp): boolean {
  const { output_config: output, thinking, tool_choice: choice, messages } = body
  // A name that the vendor refuses is replaced in a translation.
  if (!objectsIn(body['tools']).every(({ name }) => names.test(textOr(name, '')))) return false
  if (nativeOnlyIn(body) !== null || messageSearchIn(body) !== null || ignores.some((name) => isSet(body[name]))) return false
  if (isObject(output) && isSet(output['format'])) return false
  if (isObject(thinking) && !plainThinking.has(textOr(thinking['type'], ''))) return false
  if (isObject(choice) && (choice['type'] !== 'auto' || choice['disable_parallel_tool_use'] === true)) return false
  return objectsIn(messages).every(({ role, content }) => role !== 'system' && objectsIn(content).every(isPlain))
}

const isSet = (value: Json | undefined): boolean => value !== undefined && value !== null && !(Array.isArray(value) && value.length === 0)

const plainThinking: ReadonlySet<string> = new Set(['enabled', 'disabled'])

function isPlain(block: JsonObject): boolean {
  const { type, content } = block
  if (isReasoning(block)) return type === 'thinking' && !isOfAnother(textOr(block['signature'], ''))
  if (type === 'tool_use') return block['extra_content'] === undefined
  if (type === 'tool_result') return objectsIn(content).every((part) => part['type'] === 'text' || part['type'] === 'tool_reference')
  return type === 'text' && !isSet(block['citations'])
}

/** Claude's signatures are long and begin so (Anthropic, "Extended thinking", read 2026-11-23); ours say whose they are. */
const ofClaude = /^E[\w+/]{63,}=*$/

/** Reasoning that another vendor signed is left out where a request is translated. */
const isOfAnother = (signature: string): boolean => signature.startsWith(ownMark) || ofClaude.test(signature)
