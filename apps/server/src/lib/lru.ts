/** A map that forgets what was used longest ago once it holds `max` entries. */
export interface Lru<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
  delete(key: Key): void
  clear(): void
}

export function createLru<Key, Value>(max: number): Lru<Key, Value> {
  const entries = new Map<Key, Value>()
  return {
    get(key) {
      const value = entries.get(key)
      if (value === undefined) return undefined
      // Only a nearly full map needs the order; below that a look-up stays one hash probe.
      if (entries.size > max / 2) {
        entries.delete(key)
        entries.set(key, value)
      }
      return value
    },
    set(key, value) {
      entries.delete(key)
      if (entries.size >= max) {
        const oldest = entries.keys().next()
        if (!oldest.done) entries.delete(oldest.value)
      }
      entries.set(key, value)
    },
    delete(key) {
      entries.delete(key)
    },
    clear() {
      entries.clear()
    },
  }
}
