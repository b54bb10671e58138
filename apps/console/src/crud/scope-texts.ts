import { type SeparateScope, separateScopes } from '@sluice/contract'
import { type MessageKey, useT } from '../lib/t.ts'

/** Names of the nouns of scopes. A noun without a name is shown as it is on the wire. */
const nounNames: Readonly<Record<string, MessageKey>> = {
  account: 'scope.account',
  user: 'scope.user',
  token: 'scope.token',
  channel: 'scope.channel',
  redemption: 'scope.redemption',
  task: 'scope.task',
  ledger: 'scope.ledger',
  log: 'scope.log',
  option: 'scope.option',
  catalogue: 'scope.catalogue',
  model: 'scope.model',
  route: 'scope.route',
  notification: 'scope.notification',
}

/** What each separate scope allows. */
export const separateTexts: Readonly<Record<SeparateScope, { readonly label: MessageKey; readonly hint: MessageKey }>> = {
  'token:keys': { label: 'scope.token.keys', hint: 'scope.token.keys.hint' },
  'redemption:keys': { label: 'scope.redemption.keys', hint: 'scope.redemption.keys.hint' },
  'user:credentials': { label: 'scope.user.credentials', hint: 'scope.user.credentials.hint' },
}

/** The name of a noun. */
export function useNounName(): (noun: string) => string {
  const t = useT()
  return (noun) => {
    const key = nounNames[noun]
    return key === undefined ? noun : t(key)
  }
}

/** What a scope allows, such as "Tokens: read and change". */
export function useScopeText(): (scope: string) => string {
  const t = useT()
  const nounName = useNounName()
  return (scope) => {
    if (scope === 'read' || scope === 'all') return t(`scope.whole.${scope}`)
    const separate = separateScopes.find((one) => one === scope)
    if (separate !== undefined) return t(separateTexts[separate].label)
    const [noun = '', kind] = scope.split(':')
    return t(kind === 'write' ? 'scope.writes' : 'scope.reads', { noun: nounName(noun) })
  }
}
