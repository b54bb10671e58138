/** The items of a comma-separated list, without spaces around them and without empty ones. */
export function itemsOf(list: string): readonly string[] {
  const items = list.split(',').map((item) => item.trim())
  return items.filter((item) => item !== '')
}
