/**
 * Requests a garbage collection after every so many pieces of work, at the first end of one at which a pause harms nobody. By itself the runtime
 * collects only when there is as much garbage as memory in use.
 *
 * @returns called at the end of each piece
 */
export function countGarbage(every: number, collect: () => void = collectSoon): (mayPause: boolean) => void {
  let count = 0
  return (mayPause) => {
    count += 1
    if (count < every || !mayPause) return
    count = 0
    collect()
  }
}

/** It takes some twenty milliseconds. */
const collectSoon = (): void => void setImmediate(() => Bun.gc(true))
