/** The parts of a key `a|b|c`, without spaces around them. The last one keeps every further `|`, because a JSON text may have some. */
export function splitKey(key: string, count: number): readonly string[] {
  const parts = key.split('|')
  const rest = parts.slice(count - 1).join('|')
  return [...parts.slice(0, count - 1), ...(parts.length < count ? [] : [rest])].map((part) => part.trim())
}

/** Whether a key has exactly this many parts, none of them empty. */
export function hasParts(key: string, count: number): boolean {
  const parts = key.split('|').map((part) => part.trim())
  return parts.length === count && parts.every((part) => part !== '')
}
