/**
 * Whether two names stand for one model: vendors respond with a date or a snapshot behind the name, without the maker before it, and with its
 * parts in another order (`anthropic/claude-4.5-sonnet-20250929` for `anthropic/claude-sonnet-4.5`).
 */
export function isSameModel(one: string, other: string): boolean {
  return one === other || partsOf(one) === partsOf(other)
}

/** Longer names are cut. */
const nameMax = 256

function partsOf(name: string): string {
  const own = name.slice(0, nameMax).toLowerCase()
  const parts = own
    .slice(own.lastIndexOf('/') + 1)
    .replace(/-20\d\d-\d\d-\d\d$/, '')
    .split(/[-._@]/)
  return parts
    .filter((part) => !/^20\d{6}$/.test(part) && part !== 'latest' && part !== '')
    .toSorted()
    .join('-')
}
