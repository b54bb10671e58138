/** The names by which tables of models know one: the given one, then without what resellers add to it: `anthropic/`, `ft:`, `@20250514`, `:free`, a date. */
export function lookUpNames(model: string): readonly string[] {
  const own = model.slice(model.lastIndexOf('/') + 1).replace(/^ft:/, '')
  const plain = own.replace('@', '-')
  const [short = ''] = plain.split(':', 1)
  return [model, own, plain, short, short.replace(/-\d{4}-\d{2}-\d{2}$/, '')]
}
