/** Unique names of the characters that the vendor accepts: letters, digits, `_` and `-`, at most 64. */
export interface Naming {
  isTaken(name: string): boolean
  take(name: string): string
  /** Reserves a free name similar to the given one, with a number if two would be equal. */
  takeLike(name: string): string
}

/** Leaves room for a number. */
const lengthMax = 56

export function createNaming(names: Iterable<string> = []): Naming {
  const taken = new Set(names)
  /** The next number for each name, so that many similar names do not slow the search down. */
  const counted = new Map<string, number>()

  function take(name: string): string {
    taken.add(name)
    return name
  }

  return {
    isTaken: (name) => taken.has(name),
    take,
    takeLike(name) {
      const base = name.replace(/[^a-zA-Z0-9_-]/g, '_').slice(0, lengthMax) || 'tool'
      let number = counted.get(base) ?? 1
      let free = number === 1 ? base : `${base}_${number}`
      while (taken.has(free)) {
        number += 1
        free = `${base}_${number}`
      }
      counted.set(base, number)
      return take(free)
    },
  }
}
