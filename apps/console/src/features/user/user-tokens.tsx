import { type UserRow, user } from '@sluice/contract'
import { useId } from 'react'
import { PersonalTokenItem, SystemTokenItem } from '../../crud/access-token-items.tsx'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall, useRead } from '../../lib/use-call.ts'
import { ReadGate } from '../../ui/read-gate.tsx'

/** The access tokens of an account, which an administrator of a higher role can revoke. */
export function UserTokens({ row: { id } }: { readonly row: UserRow }) {
  const t = useT()
  const titleId = useId()
  const read = useRead(user.accessTokens, { input: { id } })
  const remove = useCall(user.removeAccessToken, { onDone: () => showToast('success', t('action.done')) })
  const isBusy = (token: number | 'system') => remove.isPending && remove.variables.token === token
  return (
    <section aria-labelledby={titleId}>
      <h3 id={titleId} className="mb-1 text-xs font-medium text-muted">
        {t('accessTokens.title')}
      </h3>
      <ReadGate read={read} isPart>
        {({ rows, system }) =>
          rows.length === 0 && system === null ? (
            <p className="text-muted">{t('accessTokens.none')}</p>
          ) : (
            <ul className="divide-y rounded-sm border px-3 py-2.5">
              {system === null ? null : (
                <SystemTokenItem system={system} isBusy={isBusy('system')} onRevoke={() => remove.mutate({ id, token: 'system' })} />
              )}
              {rows.map((row) => (
                <PersonalTokenItem key={row.id} row={row} isBusy={isBusy(row.id)} onRevoke={() => remove.mutate({ id, token: row.id })} />
              ))}
            </ul>
          )
        }
      </ReadGate>
    </section>
  )
}
