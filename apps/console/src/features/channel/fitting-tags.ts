/** How many letters of group names stand in one cell. */
const lettersMax = 14

/** The tags whose names fit into one line, in their order; the first stands there in any case. */
export function fittingTags<Tag extends { readonly name: string }>(tags: readonly Tag[]): readonly Tag[] {
  let letters = 0
  return tags.filter(({ name }, index) => {
    const fits = index === 0 || letters + name.length <= lettersMax
    if (fits) letters += name.length
    return fits
  })
}
