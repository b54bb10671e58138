/** What an `UnorderedSet` writes into its items. */
export interface UnorderedSetItem {
  /** Index in the bag; -1: in none. Only the bag writes it. */
  place: number
}

/** `place` of what is in no bag. */
export const nowhere = -1

/**
 * Items in no order, for those that come and go all the time, such as running requests. A `Set` or `Map` is the wrong place for them: it
 * is renewed after so many deletions, and its former table refers to the present one. Once such a table has outlived a collection of young
 * objects, it keeps all later tables, and what they held, until the next full collection. Measured in decisions/2026-11-28-short-lived.md.
 */
export class UnorderedSet<Item extends UnorderedSetItem> {
  readonly #items: Item[] = []

  get size(): number {
    return this.#items.length
  }

  /** @param item of this bag or of none */
  has({ place }: Item): boolean {
    return place !== nowhere
  }

  /** @param item of no bag */
  add(item: Item): void {
    item.place = this.#items.length
    this.#items.push(item)
  }

  /** @param item of this bag or of none. @returns whether it was in the bag */
  delete(item: Item): boolean {
    const { place } = item
    if (place === nowhere) return false
    item.place = nowhere
    const last = this.#items.pop()
    if (last !== undefined && last !== item) {
      last.place = place
      this.#items[place] = last
    }
    return true
  }

  /** A copy, so items may come and go while it is read. */
  all(): readonly Item[] {
    return [...this.#items]
  }

  /** @returns the items for which the condition holds, a copy as well */
  filter(condition: (item: Item) => boolean): readonly Item[] {
    return this.#items.filter(condition)
  }
}
