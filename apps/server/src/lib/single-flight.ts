/** Lets concurrent callers with the same key share one result. */
export interface SingleFlight<Value> {
  /** Starts the work, or waits for the work that already runs for the key. */
  run(key: string, work: () => Promise<Value>): Promise<Value>
  /** Later callers do not share the work that runs now. */
  forget(): void
}

export function createSingleFlight<Value>(): SingleFlight<Value> {
  const running = new Map<string, Promise<Value>>()
  return {
    run(key, work) {
      const known = running.get(key)
      if (known !== undefined) return known
      const started = work().finally(() => {
        if (running.get(key) === started) running.delete(key)
      })
      running.set(key, started)
      return started
    },
    forget: () => running.clear(),
  }
}
