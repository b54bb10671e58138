/** ECMAScript proposal "JSON.parse source text access" (read 2026-11-29): the engine has it, the library of TypeScript not yet. */
interface RawJson {
  rawJSON(text: string): object
}

// Holds: a test writes numbers with it.
const rawJson = JSON as unknown as RawJson

/**
 * A number that would be another text if it were written again: an id beyond 2^53, `1.0`, `-0`, `1E3`, more digits than a double has. It is
 * passed on as it came. It has no members, and compares as the nearest double does.
 */
export class ExactNumber {
  readonly #text: string

  constructor(text: string) {
    this.#text = text
  }

  toJSON(): unknown {
    return rawJson.rawJSON(this.#text)
  }

  valueOf(): number {
    return Number(this.#text)
  }

  toString(): string {
    return this.#text
  }
}

/** The nearest double of an exact number; other values stay. */
export function plainNumber<Value>(value: Value): Value | number {
  return value instanceof ExactNumber ? value.valueOf() : value
}
