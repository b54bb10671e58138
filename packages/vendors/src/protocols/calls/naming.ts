/** Unique names of the characters that all vendors accept: letters, digits, `_` and `-`. */
export interface Naming {
  isTaken(name: string): boolean
  take(name: string): string
  /** Reserves a free name similar to the given one, with a number if two would be equal. */
  takeLike(name: string): string
}

/** Of a name that is too long, this much of the beginning is kept, and more of the end, which is more distinctive. */
const beginningMax = 12

/** The name with accepted characters only, and at most `lengthMax` characters long. */
export function cleanName(name: string, lengthMax: number): string {
  const short = name.length <= lengthMax ? name : `${name.slice(0, beginningMax)}_${name.slice(1 + beginningMax - lengthMax)}`
  return short.replace(/[^a-zA-Z0-9_-]/g, '_')
}

/** @param lengthMax without a number, which has room behind it */
export function createNaming(names: Iterable<string>, lengthMax: number): Naming {
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
      const base = cleanName(name, lengthMax) || 'tool'
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
