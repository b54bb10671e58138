import { callOf, callScopes, contract, credentialScope, type Endpoint, separateScopes } from '../packages/contract/src/index.ts'

type Row = readonly [scope: string, opens: string]

const code = (text: string): string => `\`${text}\``
const callNames = (calls: readonly Endpoint[]): string => calls.map((call) => code(callOf(call))).join(', ')
const all: readonly Endpoint[] = Object.values(contract).flatMap((calls): readonly Endpoint[] => Object.values(calls))

/** What no other scope includes, as the rows of the contract say it. */
function separateRow(scope: (typeof separateScopes)[number]): Row {
  const own = all.filter((call) => call.scope === scope)
  const withKeys = all.filter((call) => call.keyScope === scope)
  const withParts = scope === credentialScope ? all.filter(({ credentialParts }) => credentialParts.length > 0) : []
  const parts = [
    ...(own.length === 0 ? [] : [callNames(own)]),
    ...(withKeys.length === 0 ? [] : [`with the endpoint's own scope: \`key\` in the responses of ${callNames(withKeys)}`]),
    ...withParts.map((call) => `with the endpoint's own scope: ${call.credentialParts.map(code).join(', ')} in ${code(callOf(call))}`),
  ]
  return [code(scope), parts.join('; ')]
}

const wholeRows: readonly Row[] = [
  [code('read'), 'every endpoint whose scope ends in `:read`'],
  [code('all'), `every endpoint of these scopes except those that need ${separateScopes.map(code).join(', ')}`],
]

/** The calls of one scope of one noun; `write` includes `read`. */
function nounRows(): readonly Row[] {
  const byScope = Map.groupBy([...callScopes], ([, scope]) => scope)
  return [...byScope]
    .filter(([scope]) => !separateScopes.some((separate) => separate === scope))
    .toSorted(([one], [other]) => one.localeCompare(other))
    .map(([scope, calls]) => [code(scope), callNames(calls.map(([call]) => call))])
}

const sessionRow: Row = ['none: a session only', callNames(all.filter(({ needsSession }) => needsSession))]

function table(rows: readonly Row[]): string {
  const head: readonly (readonly string[])[] = [
    ['Scope', 'Grants'],
    ['---', '---'],
  ]
  return [...head, ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n')
}

/** Every scope of personal access tokens, with the calls that it opens. */
export const scopeTable = (): string => table([...wholeRows, ...nounRows(), ...separateScopes.map(separateRow), sessionRow])

/** The scopes that decide how much harm a lost token does. */
export const sensitiveScopeTable = (): string => table([...wholeRows, ...separateScopes.map(separateRow), sessionRow])

const markers = /(<!-- scopes: [^\n]*-->\n)[\s\S]*?(<!-- end of scopes -->)/

/** The page with its table replaced by the current one. */
export function withScopeTable(page: string, current: string): string {
  if (!markers.test(page)) throw new Error('the page has no place for the table of scopes')
  return page.replace(markers, (_, begin: string, end: string) => `${begin}\n${current}\n\n${end}`)
}
