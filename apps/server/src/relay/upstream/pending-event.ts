import type { BudgetShare, ByteBudget } from '@sluice/http1/byte-budget'

/** Incomplete events up to this length are not counted. */
const countedBytes = 1024 * 1024

interface PendingOptions {
  /** Memory of all responses that are kept until they are complete. */
  readonly responses: ByteBudget
  /** The stream must not be read for now. */
  readonly hold: () => void
  /** It may be read again. */
  readonly release: () => void
  /** The event is too slow while others wait for memory. */
  readonly refuse: () => void
}

/** The incomplete event of a stream, which may be an image of tens of megabytes, counted in the memory of all responses. */
export class PendingEvent {
  readonly #options: PendingOptions
  #share: BudgetShare | null = null
  #isHeld = false

  constructor(options: PendingOptions) {
    this.#options = options
  }

  get isHeld(): boolean {
    return this.#isHeld
  }

  /** @param bytes what the reader of the stream holds of the event */
  grow(bytes: number): void {
    if (bytes <= countedBytes) {
      if (this.#share !== null) this.end()
      return
    }
    const { responses, hold, refuse } = this.#options
    this.#share ??= responses.share(refuse)
    const turn = this.#share.grow(bytes, null)
    if (turn === null) return
    this.#isHeld = true
    hold()
    void turn.then(() => this.#release())
  }

  /** The event is complete, or the stream is not read any more. */
  end(): void {
    this.#share?.keep(0)
    this.#share = null
    this.#release()
  }

  #release(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#options.release()
  }
}
