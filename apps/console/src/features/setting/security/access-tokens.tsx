import { type AccessTokenRow, accessToken } from '@sluice/contract'
import { useState } from 'react'
import { useT } from '../../../lib/t.ts'
import { formatTime } from '../../../lib/time.ts'
import { showToast } from '../../../lib/toasts.ts'
import { useCall, useRead } from '../../../lib/use-call.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog, Dialog } from '../../../ui/dialog.tsx'
import { FormSection } from '../../../ui/form.tsx'
import { ReadGate } from '../../../ui/read-gate.tsx'
import { SecretDialog } from '../secret-dialog.tsx'
import { AccessTokenForm } from './access-token-form.tsx'
import { useScopeText } from './scope-texts.ts'

interface AccessTokensProps {
  readonly ensure: (act: () => void) => void
}

/** Named tokens for programs that call the management API. */
export function AccessTokens({ ensure }: AccessTokensProps) {
  const t = useT()
  const read = useRead(accessToken.list, { input: {}, isPreloaded: true })
  const [isMaking, setMaking] = useState(false)
  const [made, setMade] = useState<string | null>(null)
  const done = (token: string) => {
    setMaking(false)
    setMade(token)
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
                  <TokenItem key={row.id} row={row} />
                ))}
              </ul>
            )}
            <Dialog title={t('security.tokens.make')} isOpen={isMaking} onClose={() => setMaking(false)}>
              <AccessTokenForm scopes={scopes} onMade={done} />
            </Dialog>
          </>
        )}
      </ReadGate>
      <SecretDialog
        secret={made}
        texts={{
          title: t('security.tokens.made'),
          once: t('security.tokens.once'),
          copy: t('security.tokens.copy'),
          kept: t('security.tokens.kept'),
        }}
        onClose={() => setMade(null)}
      />
    </FormSection>
  )
}

function TokenItem({ row }: { readonly row: AccessTokenRow }) {
  const t = useT()
  const scopeText = useScopeText()
  const { id, name, scopes, expired_time, used_time } = row
  const [isAsked, setAsked] = useState(false)
  const remove = useCall(accessToken.remove, { onDone: () => showToast('success', t('action.done')) })
  const isOver = expired_time !== -1 && expired_time * 1000 <= Date.now()
  const confirm = () => {
    setAsked(false)
    remove.mutate({ id })
  }
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5 first:pt-0 last:pb-0">
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-2 font-medium break-words">
          <span dir="auto" className="min-w-0 [overflow-wrap:anywhere]">
            {name}
          </span>
          {isOver ? <Badge tone="yellow">{t('security.tokens.over')}</Badge> : null}
        </span>
        <span className="block text-sm break-words text-muted">{scopes.map(scopeText).join(' · ')}</span>
        <span className="block text-sm break-words text-muted">
          {t('word.sentences', {
            first: expired_time === -1 ? t('security.tokens.never') : t('security.tokens.until', { time: formatTime(expired_time) }),
            second: used_time === 0 ? t('security.unused') : t('security.used', { time: formatTime(used_time) }),
          })}
        </span>
      </span>
      <Button size="sm" isBusy={remove.isPending} aria-label={t('security.remove.of', { name })} onClick={() => setAsked(true)}>
        {t('security.remove')}
      </Button>
      <ConfirmDialog
        title={t('security.tokens.remove.title', { name })}
        text={t('security.tokens.remove.text')}
        confirmLabel={t('security.remove')}
        isOpen={isAsked}
        onCancel={() => setAsked(false)}
        onConfirm={confirm}
      />
    </li>
  )
}
