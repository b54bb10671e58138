/** The parts of a key `a|b|c`, without spaces around them. The last one keeps every further `|`, because a JSON text may have some. */
export function splitKey(key: string, count: number): readonly string[] {
  const parts: string[] = []
  let start = 0
  for (let end = key.indexOf('|'); end !== -1 && parts.length < count - 1; end = key.indexOf('|', start)) {
    parts.push(key.slice(start, end))
    start = end + 1
  }
  return [...parts, key.slice(start)].map((part) => part.trim())
}

/** Whether a key has exactly this many parts, none of them empty. */
export function hasParts(key: string, count: number): boolean {
  const parts = key.split('|').map((part) => part.trim())
  return parts.length === count && parts.every((part) => part !== '')
}
