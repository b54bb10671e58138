/** A file and the files that it imports. */
export type ImportGraph = ReadonlyMap<string, readonly string[]>

/** Groups of files that import one another, directly or through others; each sorted by name. */
export function circlesOf(graph: ImportGraph): ReadonlyArray<readonly string[]> {
  const rest = withoutEnds(graph)
  const reachable = new Map([...rest.keys()].map((file) => [file, reachableFrom(file, rest)]))
  const circles: string[][] = []
  const seen = new Set<string>()
  for (const [file, others] of reachable) {
    if (seen.has(file) || !others.has(file)) continue
    const circle = [...others].filter((other) => reachable.get(other)?.has(file) === true).sort()
    for (const member of circle) seen.add(member)
    circles.push(circle)
  }
  return circles
}

/** Removes files that import nothing, then files that imported only these, and so on. What is left leads into a circle. */
function withoutEnds(graph: ImportGraph): ImportGraph {
  let rest = graph
  for (;;) {
    const { size } = rest
    const current = rest
    rest = new Map(
      [...current]
        .map(([file, imports]) => [file, imports.filter((other) => current.has(other))] as const)
        .filter(([, { length }]) => length > 0),
    )
    if (rest.size === size) return rest
  }
}

/** Every file that a file imports, directly or through others. It contains the file itself if that is part of a circle. */
function reachableFrom(start: string, graph: ImportGraph): ReadonlySet<string> {
  const reached = new Set<string>()
  const open = [...(graph.get(start) ?? [])]
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file)) continue
    reached.add(file)
    open.push(...(graph.get(file) ?? []))
  }
  return reached
}
