/** A connection whose next step waits. */
export interface WaitingConnection {
  /** May take one step. */
  turn(): void
}

/**
 * Limits how many steps all connections together take in one turn of the event loop. Beyond that connections wait in order, so that those
 * that have much to do at once do not delay the others.
 */
export class Turns {
  readonly #perTurn: number
  #left: number
  #isCounting = false
  #waiting: WaitingConnection[] = []

  constructor(perTurn: number) {
    this.#perTurn = perTurn
    this.#left = perTurn
  }

  /** `false` = `turn` is called later. */
  take(connection: WaitingConnection): boolean {
    if (this.#left > 0 && this.#waiting.length === 0) {
      this.#left -= 1
      this.#count()
      return true
    }
    this.wait(connection)
    return false
  }

  /** Calls `turn` in a later turn of the event loop. */
  wait(connection: WaitingConnection): void {
    this.#waiting.push(connection)
    this.#count()
  }

  /** Begins again with the next turn of the event loop. */
  #count(): void {
    if (this.#isCounting) return
    this.#isCounting = true
    setImmediate(() => this.#next())
  }

  #next(): void {
    this.#isCounting = false
    const ready = this.#waiting.splice(0, this.#perTurn)
    this.#left = this.#perTurn - ready.length
    if (ready.length > 0) this.#count()
    for (const connection of ready) connection.turn()
  }
}

/** The turns of one connection that begins requests one after another. */
export class OwnTurns implements WaitingConnection {
  readonly #go: () => void
  #isFresh = false
  #isWaiting = false

  /** @param go called when a refused `take` may be repeated */
  constructor(go: () => void) {
    this.#go = go
  }

  /** Bytes arrived, so the next request begins at once. */
  arrived(): void {
    this.#isFresh = true
  }

  /** `false` = wait until `go` is called. */
  take(turns: Turns): boolean {
    if (this.#isWaiting) return false
    const mayBegin = this.#isFresh || turns.take(this)
    this.#isFresh = false
    this.#isWaiting = !mayBegin
    return mayBegin
  }

  turn(): void {
    this.#isWaiting = false
    this.#isFresh = true
    this.#go()
  }
}
