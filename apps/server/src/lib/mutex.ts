/** Lets one holder in at a time, in the order of asking. */
export interface Mutex {
  acquire(): Promise<Release>
}
export type Release = () => void

export function createMutex(): Mutex {
  let isHeld = false
  const waiting: Array<(release: Release) => void> = []

  function release(): void {
    const next = waiting.shift()
    if (next === undefined) isHeld = false
    else next(once(release))
  }

  return {
    acquire() {
      if (isHeld) return new Promise((resolve) => waiting.push(resolve))
      isHeld = true
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
