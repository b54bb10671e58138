/** Limits how much one connection does before it yields to others. */
export class Turns {
  readonly #perTurn: number
  readonly #go: () => void
  #count = 0
  #isWaiting = false

  /** @param go called when a refused `take` may be repeated */
  constructor(perTurn: number, go: () => void) {
    this.#perTurn = perTurn
    this.#go = go
  }

  /** Starts counting again: other connections have been served. */
  begin(): void {
    this.#count = 0
  }

  /** `false` = wait until `go` is called. */
  take(): boolean {
    if (this.#isWaiting) return false
    this.#count += 1
    if (this.#count <= this.#perTurn) return true
    this.#isWaiting = true
    setImmediate(() => {
      this.#isWaiting = false
      this.#count = 0
      this.#go()
    })
    return false
  }
}
