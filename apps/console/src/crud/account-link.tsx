import { user } from '@sluice/contract'
import { useT } from '../lib/t.ts'
import { useRead } from '../lib/use-call.ts'
import { TextLink } from '../ui/text-link.tsx'

/** The name of an account, for administrators; it leads to its row. 0 = unknown, since the account was left out of an import. */
export function AccountLink({ id }: { readonly id: number }) {
  const t = useT()
  const name = useAccountName(id)
  if (id === 0) return <span className="text-muted">{t('word.unknown')}</span>
  return (
    <TextLink to="/user" search={{ row: id }}>
      {name ?? `#${id}`}
    </TextLink>
  )
}

/** The name of an account; `undefined` while it is read, and if the account was deleted. */
export function useAccountName(id: number): string | undefined {
  return useRead(user.get, { input: { id }, isEnabled: id > 0, freshMs: 60_000, isSilent: true }).data?.username
}
