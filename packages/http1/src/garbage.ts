/**
 * Counts bytes that are not used any more, and requests garbage collection after so many of them: by itself the runtime lets hundreds of
 * megabytes of buffers and texts accumulate.
 */
export class Garbage {
  readonly #everyBytes: number
  #bytes = 0

  constructor(everyBytes: number) {
    this.#everyBytes = everyBytes
  }

  add(bytes: number): void {
    this.#bytes += bytes
    if (this.#bytes < this.#everyBytes) return
    this.#bytes = 0
    setImmediate(() => Bun.gc(true))
  }
}
