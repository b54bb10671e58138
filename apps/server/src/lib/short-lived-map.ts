/**
 * Values by key, for those that come and go with each request. It is no `Map` for the reason given at `UnorderedSet`; the properties of an object are
 * kept in a table that is renewed in place.
 */
export class ShortLivedMap<Value> {
  readonly #values: Record<string, Value> = Object.create(null)
  #size = 0

  get size(): number {
    return this.#size
  }

  get(key: string): Value | undefined {
    return this.#values[key]
  }

  set(key: string, value: Value): void {
    if (!(key in this.#values)) this.#size += 1
    this.#values[key] = value
  }

  /** @returns whether there was a value */
  delete(key: string): boolean {
    if (!(key in this.#values)) return false
    this.#size -= 1
    delete this.#values[key]
    return true
  }

  /** A copy of the keys, in the order in which they were set first. */
  keys(): readonly string[] {
    return Object.keys(this.#values)
  }

  /** A copy of the entries, in the order in which their keys were set first. */
  entries(): ReadonlyArray<readonly [string, Value]> {
    return Object.entries(this.#values)
  }
}
