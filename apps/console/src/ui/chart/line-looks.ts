/** The colour of a line: classes for a drawing and for a dot beside its name. */
export interface LineLook {
  readonly fill: string
  readonly dot: string
}

/** Neighbours differ most. Red is left to failures, and grey to everything else. */
const looks: readonly LineLook[] = [
  { fill: 'fill-blue', dot: 'bg-blue' },
  { fill: 'fill-orange', dot: 'bg-orange' },
  { fill: 'fill-teal', dot: 'bg-teal' },
  { fill: 'fill-pink', dot: 'bg-pink' },
  { fill: 'fill-olive', dot: 'bg-olive' },
  { fill: 'fill-purple', dot: 'bg-purple' },
  { fill: 'fill-brown', dot: 'bg-brown' },
  { fill: 'fill-green', dot: 'bg-green' },
  { fill: 'fill-yellow', dot: 'bg-yellow' },
  { fill: 'fill-violet', dot: 'bg-violet' },
]

export const otherLook: LineLook = { fill: 'fill-grey opacity-50', dot: 'bg-grey opacity-50' }

function hashOf(name: string): number {
  let hash = 0
  for (const letter of name) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) % 1_000_003
  return hash
}

/**
 * A colour for each name: always the one that follows from the name, unless an earlier name of the list has it. Names without a free
 * colour share one.
 */
export function looksOf(names: readonly string[]): ReadonlyMap<string, LineLook> {
  const taken = new Set<number>()
  const chosen = new Map<string, LineLook>()
  for (const name of names) {
    const first = hashOf(name) % looks.length
    const free = looks.map((_, step) => (first + step) % looks.length).find((index) => !taken.has(index)) ?? first
    taken.add(free)
    chosen.set(name, looks[free] ?? otherLook)
  }
  return chosen
}
