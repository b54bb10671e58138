/** Lets everybody who asks for the same thing at the same time wait for one answer. */
export interface SingleFlight<Value> {
  /** Starts the work, or waits for the one that runs for the key. */
  run(key: string, work: () => Promise<Value>): Promise<Value>
  /** What runs now is nobody's answer who asks from now on. */
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
