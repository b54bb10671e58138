/** What a token may do with one noun. */
export type ScopeChoice = 'none' | 'read' | 'write'

/** What a token may do with all nouns; `chosen` = each has a choice of its own. */
export type WholeChoice = 'chosen' | 'read' | 'all'

/** The choices of each noun, from the scopes that the server names. */
export function nounsOf(scopes: readonly string[]): ReadonlyMap<string, readonly ScopeChoice[]> {
  const nouns = new Map<string, ScopeChoice[]>()
  for (const scope of scopes) {
    const [noun = '', kind] = scope.split(':')
    const known = nouns.get(noun) ?? ['none']
    nouns.set(noun, [...known, kind === 'write' ? 'write' : 'read'])
  }
  return new Map([...nouns].map(([noun, choices]) => [noun, choices.toSorted((one, other) => order.indexOf(one) - order.indexOf(other))]))
}

const order: readonly ScopeChoice[] = ['none', 'read', 'write']

/** The scopes of the form, as the server takes them. */
export function chosenScopes(whole: WholeChoice, chosen: ReadonlyMap<string, ScopeChoice>): readonly string[] {
  if (whole !== 'chosen') return [whole]
  return [...chosen].filter(([, choice]) => choice !== 'none').map(([noun, choice]) => `${noun}:${choice}`)
}
