import { isObject, parseJson } from '../../core/is-object.ts'

/** What has come of a call so far. */
export interface CallSoFar {
  readonly id: string
  name: string
  input: string
}

/**
 * Whether arguments that come for a call are those that it has already: an object that is whole cannot be followed by another, so clients would
 * join the two to text that is no JSON.
 */
export function repeatsInput({ input }: CallSoFar, now: string): boolean {
  return now === input && now.startsWith('{') && isObject(parseJson(now))
}

/** The calls of a response that come whole. Detects which are repeated. */
export class WholeCalls {
  readonly #known = new Set<string>()

  /**
   * Whether an equal call with this id has come before: some servers give several calls one id, or their function's name for it. A call without an id
   * is never one that came before: a model may make the same call twice.
   */
  isRepeat(id: string, name: string, input: string): boolean {
    if (id === '') return false
    const key = JSON.stringify([id, name, input])
    const isKnown = this.#known.has(key)
    this.#known.add(key)
    return isKnown
  }
}
