/** How much one connection does before others get their turn. */
export class Turns {
  readonly #perTurn: number
  readonly #go: () => void
  #count = 0
  #isWaiting = false

  /** @param go called when a turn was waited for */
  constructor(perTurn: number, go: () => void) {
    this.#perTurn = perTurn
    this.#go = go
  }

  /** Others have had their turn. */
  begin(): void {
    this.#count = 0
  }

  /** `false`: not now. It is told when. */
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
