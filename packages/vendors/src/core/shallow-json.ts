import type { Json } from './json.ts'
import { endOfText } from './json-text.ts'
import { depthMax } from './nesting.ts'

/** Depth down to which everything is read: the calls in Google's responses are the deepest (`candidates[0].content.parts[0].functionCall`). */
const keptDepth = 7
/** Depth down to which everything is read of JSON with very many values: `usage.total_tokens`. */
const leastDepth = 2
/** Commas, colons and brackets after which less is read, and most of all. */
const fullMarksMax = 20_000
const marksMax = 30_000
/** Longer texts are left out, in bytes. */
const textBytesMax = 256 * 1024

const [quote, colon, comma] = [0x22, 0x3a, 0x2c]
const openings: ReadonlySet<number | undefined> = new Set([0x7b, 0x5b])
const closings: ReadonlySet<number | undefined> = new Set([0x7d, 0x5d])
const nothing = new TextEncoder().encode('null')
const none = new Uint8Array()

/**
 * Reads what is not deep in JSON that is beyond the limits: `null` stands for lists and objects that are deeper, for their rest once there are many
 * values, and for texts that are very long. Reads each byte once.
 */
export class ShallowReader {
  readonly #bytes: Uint8Array
  readonly #pieces: Uint8Array[] = []
  #at = 0
  /** What follows it was not taken yet. */
  #from = 0
  #depth = 0
  #marks = 0
  #deepest = 0
  /** What is left out now: until the depth is this again, and whether it is the rest of a list or an object; `null`: nothing. */
  #hidden: { readonly until: number; readonly isRest: boolean } | null = null

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes
  }

  /** Reads about so many bytes more. `false`: all are read. */
  advance(bytes: number): boolean {
    const until = Math.min(this.#bytes.length, this.#at + bytes)
    while (this.#at < until) this.#at = this.#bytes[this.#at] === quote ? this.#skipText() : this.#step()
    return this.#at < this.#bytes.length && !this.isGivenUp
  }

  /** There are too many values even so: nothing more is read. */
  get isGivenUp(): boolean {
    return this.#marks > marksMax
  }

  /** Whether it is nested deeper than the limit. */
  get isTooDeep(): boolean {
    return this.#deepest > depthMax
  }

  /** `undefined` = it is no JSON, or was given up. */
  get value(): Json | undefined {
    if (this.isGivenUp) return undefined
    const pieces = [...this.#pieces, this.#hidden === null ? this.#bytes.subarray(this.#from) : none]
    const decoder = new TextDecoder()
    try {
      // Holds: whatever JSON.parse returns is JSON.
      return JSON.parse(pieces.map((piece) => decoder.decode(piece)).join('')) as Json
    } catch {
      return undefined
    }
  }

  #skipText(): number {
    const start = this.#at
    const end = Math.min(this.#bytes.length, endOfText(this.#bytes, start + 1) + 1)
    if (this.#hidden === null && end - start > textBytesMax) this.#leaveOut(start, end)
    return end
  }

  #step(): number {
    const at = this.#at
    const byte = this.#bytes[at]
    if (openings.has(byte)) this.#open(at)
    else if (closings.has(byte)) this.#close(at)
    else if (byte === comma || byte === colon) this.#mark(at, byte)
    return at + 1
  }

  get #depthMax(): number {
    return this.#marks > fullMarksMax ? leastDepth : keptDepth
  }

  #open(at: number): void {
    if (this.#hidden === null) {
      if (this.#depth < this.#depthMax) this.#marks += 1
      else {
        this.#take(at)
        this.#pieces.push(nothing)
        this.#hidden = { until: this.#depth, isRest: false }
      }
    }
    this.#depth += 1
    this.#deepest = Math.max(this.#deepest, this.#depth)
  }

  #close(at: number): void {
    this.#depth -= 1
    if (this.#hidden === null || this.#depth > this.#hidden.until) return
    this.#from = this.#hidden.isRest ? at : at + 1
    this.#hidden = null
  }

  #mark(at: number, byte: number): void {
    if (this.#hidden !== null) return
    this.#marks += 1
    if (byte !== comma || this.#depth <= this.#depthMax) return
    this.#take(at)
    this.#hidden = { until: this.#depth - 1, isRest: true }
  }

  /** Takes what was kept before this place. */
  #take(at: number): void {
    this.#pieces.push(this.#bytes.subarray(this.#from, at))
  }

  #leaveOut(start: number, end: number): void {
    this.#take(start)
    this.#pieces.push(nothing)
    this.#from = end
  }
}

/** Reads what is not deep in a JSON text that is at hand, such as an event of a stream. `undefined` = it is no JSON. */
export function shallowJson(text: string): Json | undefined {
  const bytes = new TextEncoder().encode(text)
  const reader = new ShallowReader(bytes)
  reader.advance(bytes.length)
  return reader.value
}
