/** Values by two names. Looking up both costs less than a key composed of them, which would be made and hashed for every request. */
export class PairCache<Value> {
  readonly #values = new Map<string, Map<string, Value>>()
  readonly #max: number
  #size = 0

  /** @param max values beyond which all are dropped */
  constructor(max: number) {
    this.#max = max
  }

  get(first: string, second: string): Value | undefined {
    return this.#values.get(first)?.get(second)
  }

  set(first: string, second: string, value: Value): void {
    if (this.#size >= this.#max) this.clear()
    const known = this.#values.get(first)
    if (known === undefined) this.#values.set(first, new Map([[second, value]]))
    else known.set(second, value)
    this.#size += 1
  }

  clear(): void {
    this.#values.clear()
    this.#size = 0
  }
}
