import { bytesOf } from '../../core/base64-bytes.ts'
import { base64 } from '../../core/crypto-functions.ts'
import { isObject, parseJson } from '../../core/is-object.ts'
import type { Json, JsonObject } from '../../core/json.ts'
import { objectsIn } from './chat-parts.ts'
import { ownMark } from './gateway-marks.ts'

/**
 * What a vendor wants back of an earlier turn. Clients of Google and of OpenAI's responses send one encrypted text of the reasoning back
 * unread (`thoughtSignature`, `encrypted_content`), so it travels there; only the vendors that hold it are sent what is in it.
 */
export interface Carried {
  /** The reasoning of the model, if it is not beside the text. */
  readonly thought?: string
  /** Reasoning that the vendor signed. */
  readonly blocks?: readonly JsonObject[]
  /** What the vendor wants back with the call that the text is beside. */
  readonly extra?: JsonObject
}

const encoder = new TextEncoder()
const decoder = new TextDecoder()

/** The text that carries it: base64, because Google's libraries read it as bytes. */
export function carriedText(carried: Carried): string {
  return base64(encoder.encode(ownMark + JSON.stringify(carried)))
}

/** Letters of base64 in which the mark is whole. */
const markLetters = 4 * Math.ceil(ownMark.length / 3)

/** Whether a text of a client carries what another vendor wants back. */
export function isCarried(text: Json | undefined): boolean {
  if (typeof text !== 'string' || text.length < markLetters) return false
  const bytes = bytesOf(text.slice(0, markLetters).replaceAll('-', '+').replaceAll('_', '/'))
  return bytes !== null && decoder.decode(bytes).startsWith(ownMark)
}

/** The JSON that a text carries, also with the mark of a signature before it; `null` = it carries nothing. */
export function carriedJson(text: Json | undefined): string | null {
  if (typeof text !== 'string') return null
  const carrier = text.startsWith(ownMark) ? text.slice(ownMark.length) : text
  if (!isCarried(carrier)) return null
  // Python's library writes bytes in the alphabet for addresses.
  const bytes = bytesOf(carrier.replaceAll('-', '+').replaceAll('_', '/'))
  return bytes === null ? null : decoder.decode(bytes).slice(ownMark.length)
}

/** `null` = the text carries nothing, or the client changed it. */
export function carriedIn(text: Json | undefined): Carried | null {
  const json = carriedJson(text)
  const read = json === null ? undefined : parseJson(json)
  if (!isObject(read)) return null
  const { thought: reasoning, blocks, extra } = read
  return {
    ...(typeof reasoning === 'string' ? { thought: reasoning } : {}),
    ...(Array.isArray(blocks) ? { blocks: objectsIn(blocks) } : {}),
    ...(isObject(extra) ? { extra } : {}),
  }
}
