/** The colour of a line: classes for a drawing and for a dot beside its name. */
export interface LineLook {
  readonly fill: string
  readonly dot: string
}

/** Red is left to failures, and grey to everything else. */
const looks: readonly LineLook[] = [
  { fill: 'fill-chart-1', dot: 'bg-chart-1' },
  { fill: 'fill-chart-2', dot: 'bg-chart-2' },
  { fill: 'fill-chart-3', dot: 'bg-chart-3' },
  { fill: 'fill-chart-4', dot: 'bg-chart-4' },
  { fill: 'fill-chart-5', dot: 'bg-chart-5' },
  { fill: 'fill-chart-6', dot: 'bg-chart-6' },
  { fill: 'fill-chart-7', dot: 'bg-chart-7' },
  { fill: 'fill-chart-8', dot: 'bg-chart-8' },
  { fill: 'fill-chart-9', dot: 'bg-chart-9' },
  { fill: 'fill-chart-10', dot: 'bg-chart-10' },
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
