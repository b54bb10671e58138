interface Labelled {
  readonly label: string
}

/** The options whose labels contain what was typed; those that begin with it come first. */
export function matchOptions<Option extends Labelled>(options: readonly Option[], query: string): readonly Option[] {
  const typed = query.trim().toLowerCase()
  const at = ({ label }: Option) => label.toLowerCase().indexOf(typed)
  const matching = options.filter((option) => at(option) >= 0)
  return [...matching.filter((option) => at(option) === 0), ...matching.filter((option) => at(option) > 0)]
}
