import { LRUCache } from 'lru-cache'

/** A map that evicts the least recently used entry once it holds `max` entries. */
export interface Lru<Key, Value> {
  get(key: Key): Value | undefined
  set(key: Key, value: Value): void
  delete(key: Key): void
  clear(): void
}

/** @param disposed called with each value that leaves the map, replaced values included */
export function createLru<Key extends string | number, Value extends object | number | true>(
  max: number,
  disposed?: (value: Value) => void,
): Lru<Key, Value> {
  // `maxSize` allocates no memory in advance, `max` would.
  return new LRUCache<Key, Value>({ maxSize: max, sizeCalculation: () => 1, ...(disposed === undefined ? {} : { dispose: disposed }) })
}
