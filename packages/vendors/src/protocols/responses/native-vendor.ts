import { type SidePlace, sideAddress } from '../../core/additional-protocol.ts'
import { isObject, textOr } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import type { ResponsesInterface } from '../../core/responses-interface.ts'
import type { Vendor } from '../../core/vendor.ts'
import { acceptedNames } from '../calls/tool-names.ts'
import { objectsIn } from '../shared/chat-parts.ts'
import { isStoredSearch } from '../shared/web-search.ts'
import { compatibleResponses } from './compatible.ts'
import { nativeOnly, webSearchIn } from './native-only.ts'
import { isOwnCall } from './own-calls.ts'
import { isOwnReasoning } from './own-items.ts'

/** The vendor as a request for a response reaches it without a translation; `null` = the request needs one, or the server has chats only. */
export function speakingResponses(vendor: Vendor, { body, ...place }: SidePlace & { readonly body: JsonObject }): Vendor | null {
  const { responses } = vendor
  const address = responses === undefined ? null : sideAddress(responses, place)
  if (responses === undefined || address === null || !covers(responses, body, vendor.chat?.calls?.names ?? acceptedNames)) return null
  return {
    ...vendor,
    dialects: { ...vendor.dialects, responses: compatibleResponses },
    routes: { ...vendor.routes, pathFor: () => address },
  }
}

/** Whether the vendor does all that the request says. What the client does not remember itself, the gateway has to, so it is translated. */
function covers({ tools: known, efforts }: ResponsesInterface, body: JsonObject, names: RegExp): boolean {
  const { store, tools, tool_choice: choice, text, reasoning, input } = body
  if (store !== false || nativeOnly(body) !== null || webSearchIn(body) !== null) return false
  if (!objectsIn(tools).every(({ name }) => name === undefined || names.test(textOr(name, '')))) return false
  if (!objectsIn(tools).every((tool) => isStoredSearch(tool) || known.test(textOr(tool['type'], '')))) return false
  if (choice !== undefined && choice !== null && choice !== 'auto') return false
  if (isObject(text) && isObject(text['format']) && text['format']['type'] !== 'text') return false
  const effort = isObject(reasoning) ? textOr(reasoning['effort'], '') : ''
  return (effort === '' || efforts.test(effort)) && objectsIn(input).every(isPlain)
}

const words: ReadonlySet<string> = new Set(['input_text', 'output_text'])

function isPlain(item: JsonObject): boolean {
  const { type, content, output, encrypted_content: encrypted, extra_content: extra } = item
  if (type === 'reasoning') return !isOwnReasoning(item) && !isOfOpenAI(encrypted)
  if (type === 'tool_search_call' || type === 'tool_search_output' || isOwnCall(item)) return false
  return extra === undefined && [...objectsIn(content), ...objectsIn(output)].every((part) => words.has(textOr(part['type'], '')))
}

/** What OpenAI encrypts are tokens of Fernet, which begin so: a version and a time. No other vendor can read them. */
const isOfOpenAI = (encrypted: Json | undefined): boolean => textOr(encrypted, '').startsWith('gAAAA')
