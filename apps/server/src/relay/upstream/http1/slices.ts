import { Garbage } from '@sluice/http1/garbage'
import { Turns, type WaitingConnection } from '@sluice/http1/turns'

/** Bytes that are parsed before other connections get their turn: a vendor may send tens of thousands of events in one read. */
const sliceBytes = 32 * 1024
/** Slices of long reads that all connections parse in one turn of the event loop. */
const slicesPerTurn = 4
/** Bytes of long reads after which garbage collection is requested. */
const collectedBytes = 4 * 1024 * 1024

/** What all connections share. */
export interface LongReads {
  readonly turns: Turns
  readonly garbage: Garbage
}

export function createLongReads(): LongReads {
  return { turns: new Turns(slicesPerTurn), garbage: new Garbage(collectedBytes) }
}

export interface SliceSink {
  slice(bytes: Buffer): void
  /** Bytes wait, so the socket must not be read. */
  blocked(): void
  /** The bytes that waited were passed on. */
  emptied(): void
}

/** Passes the bytes of a connection on. Those of long reads go on in slices, in turn with other connections. */
export class Slices implements WaitingConnection {
  readonly #reads: LongReads
  readonly #sink: SliceSink
  #unread: Buffer | null = null
  #isReading = false
  #isInTurn = false
  #isPaused = false

  constructor(reads: LongReads, sink: SliceSink) {
    this.#reads = reads
    this.#sink = sink
  }

  get isEmpty(): boolean {
    return this.#unread === null
  }

  get isPaused(): boolean {
    return this.#isPaused
  }

  push(bytes: Buffer): void {
    if (this.#unread !== null) this.#unread = Buffer.concat([this.#unread, bytes])
    else if (bytes.length <= sliceBytes) this.#sink.slice(bytes)
    else {
      this.#unread = bytes
      this.#reads.garbage.add(bytes.length)
      this.#sink.blocked()
      this.#read()
    }
  }

  pause(): void {
    this.#isPaused = true
  }

  resume(): void {
    this.#isPaused = false
    this.readOn()
  }

  /** Passes on what waits, in a later turn. */
  readOn(): void {
    if (this.#unread === null || this.#isReading || this.#isInTurn || this.#isPaused) return
    this.#isInTurn = true
    this.#reads.turns.wait(this)
  }

  drop(): void {
    this.#unread = null
  }

  turn(): void {
    this.#isInTurn = false
    if (!this.#isPaused) this.#read()
  }

  #read(): void {
    this.#isReading = true
    while (this.#unread !== null) {
      const slice = this.#unread.subarray(0, sliceBytes)
      this.#unread = slice.length === this.#unread.length ? null : this.#unread.subarray(sliceBytes)
      this.#sink.slice(slice)
      if (this.#unread !== null && (this.#isPaused || !this.#takeTurn())) break
    }
    this.#isReading = false
    if (this.#unread === null) this.#sink.emptied()
  }

  #takeTurn(): boolean {
    this.#isInTurn = !this.#reads.turns.take(this)
    return !this.#isInTurn
  }
}
