import { setImmediate } from 'node:timers/promises'
import { Garbage } from '@sluice/http1/garbage'
import { releaseBuffer } from '@sluice/http1/release-buffer'
import { JsonCounter } from '@sluice/vendors/core/json-counter'
import { createMutex } from './mutex.ts'
import { checkedJson, decodeText, needParsable, parseJson } from './parse-json.ts'

/** Parses large JSON bodies. */
export interface LargeJson {
  /**
   * Frees the bytes.
   * @throws AppError invalid_text, invalid_json
   */
  parse(bytes: Uint8Array): Promise<ParsedJson>
  /** Parses the bytes and keeps them. @throws AppError invalid_text, invalid_json */
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
    const marks = await countMarks(bytes)
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
    const checked = checkedJson(value)
    await setImmediate()
    return { value: checked, valueBytes: textBytes + marks * markBytes }
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
    parse: (bytes) => inTurn(bytes, () => releaseBuffer(bytes)),
    read: (bytes) => inTurn(bytes, () => undefined),
    released: (bytes) => garbage.add(bytes),
  }
}

/** About what each comma, colon and bracket adds to the memory that a value takes. */
const markBytes = 32

/**
 * Counts brackets and values before parsing: the parser takes a second for sixteen million open brackets, and 400 MiB for five million
 * empty objects.
 * @returns the number of commas, colons and brackets @throws AppError invalid_json
 */
async function countMarks(bytes: Uint8Array): Promise<number> {
  const counter = new JsonCounter()
  for (let at = 0; at < bytes.length; at += largeBytes) {
    counter.push(bytes.subarray(at, at + largeBytes))
    needParsable(counter)
    await setImmediate()
  }
  return counter.marks
}
