import { setImmediate } from 'node:timers/promises'
import { jsonDepthMax, jsonTooDeep } from '@sluice/contract'
import { Garbage } from '@sluice/http1/garbage'
import { giveBack } from '@sluice/http1/give-back'
import { AppError } from './app-error.ts'
import { endOfText } from './json-text.ts'
import { createMutex } from './mutex.ts'
import { checkedJson, decodeText, parseJson } from './parse-json.ts'

/** Parses large JSON bodies. */
export interface LargeJson {
  /**
   * Frees the bytes.
   * @throws AppError invalid_text, invalid_json
   */
  parse(bytes: Uint8Array): Promise<ParsedJson>
  /** The same, but keeps the bytes. */
  read(bytes: Uint8Array): Promise<ParsedJson>
  /** Called when a body of so many bytes is not used any more. */
  released(bytes: number): void
}

interface ParsedJson {
  readonly value: unknown
  /** About what the value takes in memory: its text, and its objects and lists. */
  readonly valueBytes: number
}

/** Bodies from this length on are large. */
export const largeBytes = 1024 * 1024
/** Bytes of parsed or released bodies after which garbage collection is requested. */
const collectedBytes = 8 * 1024 * 1024

/**
 * Parses one body after another and yields to the event loop between the steps. The steps stay on this thread: 32 MiB of chat take 20 ms to
 * parse, and passing the value from a worker would take longer (decisions/2026-11-21-admission.md).
 */
export function createLargeJson(): LargeJson {
  const alone = createMutex()
  const garbage = new Garbage(collectedBytes)

  async function read(bytes: Uint8Array, decoded: () => void): Promise<ParsedJson> {
    const { length } = bytes
    const marks = await checkShape(bytes)
    const source = { text: decodeText(bytes) }
    decoded()
    // One character beyond Latin makes each character of a text take two bytes.
    const textBytes = source.text.length === length ? length : 2 * source.text.length
    await setImmediate()
    const value = parseJson(source.text)
    // The text is as long as the value, and would stay for as long as this function runs.
    source.text = ''
    garbage.add(textBytes)
    // The text is collected before the value is serialized again.
    await setImmediate()
    return { value: checkedJson(value), valueBytes: textBytes + marks * markBytes }
  }

  async function inTurn(bytes: Uint8Array, decoded: () => void): Promise<ParsedJson> {
    const release = await alone.acquire()
    try {
      return await read(bytes, decoded)
    } finally {
      release()
    }
  }

  return {
    parse: (bytes) => inTurn(bytes, () => giveBack(bytes)),
    read: (bytes) => inTurn(bytes, () => undefined),
    released: (bytes) => garbage.add(bytes),
  }
}

const [quote, comma, colon] = [0x22, 0x2c, 0x3a]
/** How one character of JSON outside of strings changes the depth. */
const depthOf: ReadonlyMap<number, number> = new Map(
  [...'[{'].map((mark): [number, number] => [mark.charCodeAt(0), 1]).concat([...']}'].map((mark) => [mark.charCodeAt(0), -1])),
)
/** Most commas, colons and brackets outside of strings. The longest bodies of vendors have 300,000 numbers (embeddings of tokens). */
const marksMax = 500_000
/** About what each of them adds to the memory that a value takes. */
const markBytes = 32

/**
 * Counts brackets and values before parsing: the parser takes a second for sixteen million open brackets, and 400 MiB for five million
 * empty objects. Strings are skipped.
 * @returns the number of commas, colons and brackets
 */
async function checkShape(bytes: Uint8Array): Promise<number> {
  let depth = 0
  let marks = 0
  let turnAt = largeBytes
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at] ?? 0
    if (byte === quote) at = endOfText(bytes, at + 1)
    else if (isMark(byte)) {
      depth += depthOf.get(byte) ?? 0
      marks += 1
      needPlain(depth, marks)
    }
    if (at < turnAt) continue
    turnAt = at + largeBytes
    await setImmediate()
  }
  return marks
}

function isMark(byte: number): boolean {
  return byte === comma || byte === colon || (byte >= 0x5b && depthOf.has(byte))
}

/** @throws AppError invalid_json */
function needPlain(depth: number, marks: number): void {
  if (depth > jsonDepthMax) throw new AppError('invalid_json', { params: { detail: jsonTooDeep } })
  if (marks > marksMax) throw new AppError('invalid_json', { params: { detail: 'it has too many values' } })
}
