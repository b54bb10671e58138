/** Says whether a client has disconnected, and notifies listeners. An `AbortSignal` has the same members and costs more. */
export interface Signal {
  readonly aborted: boolean
  addEventListener(type: 'abort', act: () => void): void
  removeEventListener(type: 'abort', act: () => void): void
}

export class ClientAbort implements Signal {
  #aborted = false
  #acts: Array<() => void> = []

  get aborted(): boolean {
    return this.#aborted
  }

  addEventListener(_type: 'abort', act: () => void): void {
    this.#acts.push(act)
  }

  removeEventListener(_type: 'abort', act: () => void): void {
    const at = this.#acts.indexOf(act)
    if (at !== -1) this.#acts.splice(at, 1)
  }

  /** Notifies all listeners, once. */
  report(): void {
    if (this.#aborted) return
    this.#aborted = true
    for (const act of this.#acts.splice(0)) act()
  }
}
