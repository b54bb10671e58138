/** Most lines that are shown of one text. */
export const diffLinesMax = 40

/** The part in which two texts differ, without the lines that both begin and end with. */
export function textDiff(before: string, after: string): { readonly before: readonly string[]; readonly after: readonly string[] } {
  const [old, next] = [before.split('\n'), after.split('\n')]
  let head = 0
  while (head < Math.min(old.length, next.length) && old[head] === next[head]) head++
  let tail = 0
  while (tail < Math.min(old.length, next.length) - head && old.at(-1 - tail) === next.at(-1 - tail)) tail++
  return { before: old.slice(head, old.length - tail), after: next.slice(head, next.length - tail) }
}
