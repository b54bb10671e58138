interface Labelled {
  readonly label: string
}

/** The options whose labels contain what was typed; those that begin with it come first. */
export function foundOptions<Option extends Labelled>(options: readonly Option[], query: string): readonly Option[] {
  const typed = query.trim().toLowerCase()
  const at = ({ label }: Option) => label.toLowerCase().indexOf(typed)
  const found = options.filter((option) => at(option) >= 0)
  return [...found.filter((option) => at(option) === 0), ...found.filter((option) => at(option) > 0)]
}
