/** Lets in one holder at a time, or a given number of them, in the order of `acquire` calls. */
export interface Mutex {
  acquire(): Promise<Release>
}
export type Release = () => void

export function createMutex(holdersMax = 1): Mutex {
  let holders = 0
  const waiting: Array<(release: Release) => void> = []

  function release(): void {
    const next = waiting.shift()
    if (next === undefined) holders -= 1
    else next(once(release))
  }

  return {
    acquire() {
      if (holders >= holdersMax) return new Promise((resolve) => waiting.push(resolve))
      holders += 1
      return Promise.resolve(once(release))
    },
  }
}

function once(act: () => void): () => void {
  let isDone = false
  return () => {
    if (isDone) return
    isDone = true
    act()
  }
}
