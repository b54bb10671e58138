/** Items that are lent to one borrower at a time. */
export interface Loans<Item> {
  /** The item that was given back last, or the next one that is. @throws the signal's reason */
  borrow(signal: AbortSignal): Promise<Item>
  giveBack(item: Item): void
}

export function createLoans<Item>(items: readonly Item[]): Loans<Item> {
  const free = [...items].reverse()
  const waiting = new Set<(item: Item) => void>()

  return {
    async borrow(signal) {
      signal.throwIfAborted()
      const item = free.pop()
      if (item !== undefined) return item
      const { promise, resolve, reject } = Promise.withResolvers<Item>()
      const onAbort = (): void => {
        waiting.delete(resolve)
        reject(signal.reason)
      }
      waiting.add(resolve)
      signal.addEventListener('abort', onAbort, { once: true })
      return await promise.finally(() => signal.removeEventListener('abort', onAbort))
    },
    giveBack(item) {
      const [next] = waiting
      if (next === undefined) return void free.push(item)
      waiting.delete(next)
      next(item)
    },
  }
}
