import { type SeparateScope, separateScopes } from '@sluice/contract'

/** What a token may do with one noun. */
export type ScopeChoice = 'none' | 'read' | 'write'

/** What a token may do with all nouns; `chosen` = each has a choice of its own. */
export type WholeChoice = 'chosen' | 'read' | 'all'

const isSeparate = (scope: string): boolean => separateScopes.some((separate) => separate === scope)

/** The scopes that are chosen one by one, of those that the server names. */
export const separateOf = (scopes: readonly string[]): readonly SeparateScope[] => separateScopes.filter((scope) => scopes.includes(scope))

/** The choices of each noun, from the scopes that the server names. */
export function nounsOf(scopes: readonly string[]): ReadonlyMap<string, readonly ScopeChoice[]> {
  const nouns = new Map<string, ScopeChoice[]>()
  for (const scope of scopes.filter((one) => !isSeparate(one))) {
    const [noun = '', kind] = scope.split(':')
    const known = nouns.get(noun) ?? ['none']
    nouns.set(noun, [...known, kind === 'write' ? 'write' : 'read'])
  }
  return new Map([...nouns].map(([noun, choices]) => [noun, choices.toSorted((one, other) => order.indexOf(one) - order.indexOf(other))]))
}

const order: readonly ScopeChoice[] = ['none', 'read', 'write']

interface Chosen {
  readonly whole: WholeChoice
  readonly nouns: ReadonlyMap<string, ScopeChoice>
  readonly separate: ReadonlySet<SeparateScope>
}

/** The scopes of the form, as the server takes them. */
export function chosenScopes({ whole, nouns, separate }: Chosen): readonly string[] {
  const ofNouns = [...nouns].filter(([, choice]) => choice !== 'none').map(([noun, choice]) => `${noun}:${choice}`)
  return [...(whole === 'chosen' ? ofNouns : [whole]), ...separate]
}
