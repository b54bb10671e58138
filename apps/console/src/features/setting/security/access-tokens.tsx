import { type AccessTokenRow, accessToken } from '@sluice/contract'
import { useState } from 'react'
import { PersonalTokenItem } from '../../../crud/access-token-items.tsx'
import { useT } from '../../../lib/t.ts'
import { showToast } from '../../../lib/toasts.ts'
import { useCall, useRead } from '../../../lib/use-call.ts'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { FormSection } from '../../../ui/form.tsx'
import { ReadGate } from '../../../ui/read-gate.tsx'
import { SecretDialog } from '../secret-dialog.tsx'
import { AccessTokenForm } from './access-token-form.tsx'

interface AccessTokensProps {
  readonly ensure: (act: () => void) => void
}

/** Named tokens for programs that call the management API. */
export function AccessTokens({ ensure }: AccessTokensProps) {
  const t = useT()
  const read = useRead(accessToken.list, { input: {}, isPreloaded: true })
  const [isMaking, setMaking] = useState(false)
  const [newToken, setNewToken] = useState<string | null>(null)
  const done = (token: string) => {
    setMaking(false)
    setNewToken(token)
  }
  return (
    <FormSection
      title={t('security.tokens')}
      action={<Button onClick={() => ensure(() => setMaking(true))}>{t('security.tokens.make')}</Button>}
    >
      <p className="text-muted">{t('security.tokens.text')}</p>
      <ReadGate read={read} isPart>
        {({ rows, scopes }) => (
          <>
            {rows.length === 0 ? (
              <p className="text-muted">{t('security.tokens.none')}</p>
            ) : (
              <ul className="divide-y">
                {rows.map((row) => (
                  <OwnToken key={row.id} row={row} />
                ))}
              </ul>
            )}
            <Dialog title={t('security.tokens.make')} isOpen={isMaking} onClose={() => setMaking(false)}>
              <AccessTokenForm scopes={scopes} onCreated={done} />
            </Dialog>
          </>
        )}
      </ReadGate>
      <SecretDialog
        secret={newToken}
        texts={{
          title: t('security.tokens.made'),
          once: t('security.tokens.once'),
          copy: t('security.tokens.copy'),
          kept: t('security.tokens.kept'),
        }}
        onClose={() => setNewToken(null)}
      />
    </FormSection>
  )
}

function OwnToken({ row }: { readonly row: AccessTokenRow }) {
  const t = useT()
  const remove = useCall(accessToken.remove, { onDone: () => showToast('success', t('action.done')) })
  return <PersonalTokenItem row={row} isBusy={remove.isPending} onRevoke={() => remove.mutate({ id: row.id })} />
}
