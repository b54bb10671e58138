/** How many letters of group names stand in one cell. */
const lettersMax = 14

/** The first tags whose names fit into one line; one stands there in any case. */
export function fittingTags<Tag extends { readonly name: string }>(tags: readonly Tag[]): readonly Tag[] {
  const end = tags.findIndex((_, index) => index > 0 && lettersOf(tags.slice(0, index + 1)) > lettersMax)
  return end < 0 ? tags : tags.slice(0, end)
}

function lettersOf(tags: readonly { readonly name: string }[]): number {
  return tags.reduce((sum, { name }) => sum + name.length, 0)
}
