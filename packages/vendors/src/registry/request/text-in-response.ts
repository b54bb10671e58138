import { isObject, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Kind } from '../../core/kind.ts'
import { objectsIn } from '../../protocols/shared/chat-parts.ts'

/** Where a whole response of a kind has the text that the model wrote. */
export interface OutputForm {
  /** Its responses: there are several where the client requested several. */
  readonly outputsIn: (clientResponse: JsonObject) => readonly JsonObject[]
  readonly withOutputs: (clientResponse: JsonObject, outputs: readonly JsonObject[]) => JsonObject
  /** The text of a response that the model finished; `null` = it has none, calls tools, or ended otherwise. */
  readonly textOf: (item: JsonObject) => string | null
  readonly withText: (item: JsonObject, text: string) => JsonObject
}

/** The texts of parts as one; `null` = there is none. */
const joined = (parts: readonly JsonObject[]): string | null =>
  parts.length === 0 ? null : parts.map(({ text }) => textOr(text, '')).join('')

/** The parts with the text in the first of its kind, and without the others. */
function replaced(parts: readonly JsonObject[], isText: (part: JsonObject) => boolean, text: string): readonly JsonObject[] {
  const first = parts.findIndex(isText)
  return parts.flatMap((part, index) => (index === first ? [{ ...part, text }] : isText(part) ? [] : [part]))
}

const isText = ({ type }: JsonObject): boolean => type === 'text'
const isOutputPart = ({ text, thought: reasoning }: JsonObject): boolean => typeof text === 'string' && reasoning !== true
const isOutputText = ({ type }: JsonObject): boolean => type === 'output_text'

const chat: OutputForm = {
  outputsIn: ({ choices }) => objectsIn(choices),
  withOutputs: (clientResponse, choices) => ({ ...clientResponse, choices }),
  textOf({ finish_reason: reason, message }) {
    return reason === 'stop' && isObject(message) && typeof message['content'] === 'string' ? message['content'] : null
  },
  withText: ({ message, ...choice }, content) => ({ ...choice, message: { ...(isObject(message) ? message : {}), content } }),
}

const messages: OutputForm = {
  outputsIn: (clientResponse) => [clientResponse],
  withOutputs: (clientResponse, [item]) => item ?? clientResponse,
  textOf: ({ stop_reason: reason, content }) =>
    reason === 'end_turn' || reason === 'stop_sequence' ? joined(objectsIn(content).filter(isText)) : null,
  withText: (message, text) => ({ ...message, content: replaced(objectsIn(message['content']), isText, text) }),
}

const partsOf = ({ content }: JsonObject): readonly JsonObject[] => objectsIn(isObject(content) ? content['parts'] : undefined)

const generate: OutputForm = {
  outputsIn: ({ candidates }) => objectsIn(candidates),
  withOutputs: (clientResponse, candidates) => ({ ...clientResponse, candidates }),
  textOf(candidate) {
    const parts = partsOf(candidate)
    if (candidate['finishReason'] !== 'STOP' || parts.some((part) => part['functionCall'] !== undefined)) return null
    return joined(parts.filter(isOutputPart))
  },
  withText(candidate, text) {
    const { content } = candidate
    return { ...candidate, content: { ...(isObject(content) ? content : {}), parts: replaced(partsOf(candidate), isOutputPart, text) } }
  },
}

/** Items of an output that call a tool of the client. */
const isCall = ({ type }: JsonObject): boolean => type === 'function_call' || type === 'custom_tool_call'

const responses: OutputForm = {
  outputsIn: (clientResponse) => [clientResponse],
  withOutputs: (clientResponse, [item]) => item ?? clientResponse,
  textOf({ status, output }) {
    const items = objectsIn(output)
    if (status !== 'completed' || items.some(isCall)) return null
    return joined(items.flatMap(({ content }) => objectsIn(content).filter(isOutputText)))
  },
  withText(response, text) {
    const items = objectsIn(response['output'])
    const first = items.findIndex(({ content }) => objectsIn(content).some(isOutputText))
    const output = items.map((item, index) =>
      index === first ? { ...item, content: replaced(objectsIn(item['content']), isOutputText, text) } : item,
    )
    return { ...response, output }
  },
}

/** Kinds whose response a model writes. */
export const outputForms: { readonly [K in Kind]?: OutputForm } = { chat, messages, generate, responses }
