/** Most characters of group names in one cell. */
const lettersMax = 14

/** The tags whose names fit into one line, in order, but at least the first. */
export function fittingTags<Tag extends { readonly name: string }>(tags: readonly Tag[]): readonly Tag[] {
  let letters = 0
  return tags.filter(({ name }, index) => {
    const fits = index === 0 || letters + name.length <= lettersMax
    if (fits) letters += name.length
    return fits
  })
}
