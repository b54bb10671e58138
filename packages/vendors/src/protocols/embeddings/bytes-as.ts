import { endOfText } from '../../core/json-text.ts'
import type { RepairedPart } from '../../core/passthrough.ts'
import { fromBase64, toBase64, type VectorForm } from './form.ts'

const [quote, colon, bracket, bracketEnd] = [0x22, 0x3a, 0x5b, 0x5d]
const encoder = new TextEncoder()
const decoder = new TextDecoder()
const name = encoder.encode('"embedding"')

/**
 * The bytes of a response in OpenAI's form whose embeddings have the other form than the request wanted; `null` = they have it, or there are none. The
 * bytes are searched and not parsed, because a long response has millions of numbers. They come embedding by embedding, so that the caller can pause.
 */
export function bytesAs(form: VectorForm, bytes: Uint8Array): Iterable<RepairedPart> | null {
  const first = nextVector(bytes, 0)
  return first !== null && isOther(form, bytes[first]) ? converted(form, bytes) : null
}

const isOther = (form: VectorForm, begin: number | undefined): boolean => begin === (form === 'base64' ? bracket : quote)

function* converted(form: VectorForm, bytes: Uint8Array): Generator<RepairedPart> {
  let at = 0
  for (let start = nextVector(bytes, at); start !== null; start = nextVector(bytes, at)) {
    const end = endOfVector(bytes, start)
    const vector = bytes.subarray(start, end)
    yield { bytes: bytes.subarray(at, start), readBytes: start - at }
    yield { bytes: (isOther(form, bytes[start]) ? vectorAs(form, vector) : null) ?? vector, readBytes: end - start }
    at = end
  }
  yield { bytes: bytes.subarray(at), readBytes: bytes.length - at }
}

/** Where the next embedding begins. */
function nextVector(bytes: Uint8Array, from: number): number | null {
  for (let at = indexOfName(bytes, from); at !== -1; at = indexOfName(bytes, at + 1)) {
    const mark = behindSpace(bytes, at + name.length)
    if (bytes[mark] === colon) return behindSpace(bytes, mark + 1)
  }
  return null
}

/** A quote within a text is escaped, so the name in its quotes stands outside of texts, or at the end of one. */
function indexOfName(bytes: Uint8Array, from: number): number {
  for (let at = from; at < bytes.length; at += 1)
    if (bytes[at] === quote && bytes[at + 1] === name[1] && name.every((byte, index) => bytes[at + index] === byte)) return at
  return -1
}

function behindSpace(bytes: Uint8Array, from: number): number {
  let at = from
  while (bytes[at] === 0x20 || bytes[at] === 0x0a || bytes[at] === 0x0d || bytes[at] === 0x09) at += 1
  return at
}

function endOfVector(bytes: Uint8Array, start: number): number {
  if (bytes[start] === quote) return Math.min(bytes.length, endOfText(bytes, start + 1) + 1)
  if (bytes[start] !== bracket) return start
  const end = bytes.indexOf(bracketEnd, start)
  return end === -1 ? bytes.length : end + 1
}

/** An embedding in the form; `null` = it is none. */
function vectorAs(form: VectorForm, bytes: Uint8Array): Uint8Array | null {
  const text = decoder.decode(bytes).slice(1, -1)
  const numbers = form === 'float' ? fromBase64(text) : numbersIn(text)
  if (numbers === null) return null
  const vector = form === 'float' ? numbers : toBase64(numbers)
  return vector === null ? null : encoder.encode(JSON.stringify(vector))
}

/** The numbers of a list without its brackets; `null` = it has something else. */
function numbersIn(text: string): readonly number[] | null {
  const numbers: number[] = []
  for (const entry of text.split(',')) {
    const number = entry.trim() === '' ? Number.NaN : Number(entry)
    if (!Number.isFinite(number)) return null
    numbers.push(number)
  }
  return numbers
}
