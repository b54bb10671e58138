import { type SessionRow, session } from '@sluice/contract'
import { Monitor } from 'lucide-react'
import { useState } from 'react'
import { useT } from '../../../lib/t.ts'
import { formatTime } from '../../../lib/time.ts'
import { showToast } from '../../../lib/toasts.ts'
import { useCall, useRead } from '../../../lib/use-call.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog } from '../../../ui/dialog.tsx'
import { FormSection } from '../../../ui/form.tsx'
import { ReadGate } from '../../../ui/read-gate.tsx'
import { deviceOf } from './user-agent.ts'

/** Where the account is logged in. */
export function Sessions() {
  const t = useT()
  const read = useRead(session.list, { input: {}, isPreloaded: true })
  const hasOthers = (read.data ?? []).some(({ is_current }) => !is_current)
  return (
    <FormSection title={t('security.sessions')} action={hasOthers ? <EndOthers /> : undefined}>
      <p className="text-muted">{t('security.sessions.text')}</p>
      <ReadGate read={read} isPart>
        {(rows) => (
          <ul className="divide-y">
            {rows.map((row) => (
              <SessionItem key={row.id} row={row} />
            ))}
          </ul>
        )}
      </ReadGate>
    </FormSection>
  )
}

/** A time stays on one line: a line may end between its day and its hour otherwise. */
const unbroken = (time: string) => time.replace(' ', '\u00a0')

function SessionItem({ row }: { readonly row: SessionRow }) {
  const t = useT()
  const { id, is_current, user_agent, address, created_at, seen_at } = row
  const device = deviceOf(user_agent) || t('security.sessions.unknown')
  const end = useCall(session.remove, { onDone: () => showToast('success', t('security.sessions.ended')) })
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5 first:pt-0 last:pb-0">
      <Monitor aria-hidden className="size-4 text-muted" />
      <span className="min-w-0 flex-1">
        <span className="flex flex-wrap items-center gap-2 font-medium" title={user_agent}>
          <span className="min-w-0 [overflow-wrap:anywhere]">{device}</span>
          {is_current ? <Badge tone="green">{t('security.sessions.current')}</Badge> : null}
        </span>
        <span className="block text-sm break-words text-muted">
          {t('word.sentences', {
            first: t('security.sessions.facts', { address, time: unbroken(formatTime(created_at)) }),
            second: t('security.used', { time: unbroken(formatTime(seen_at)) }),
          })}
        </span>
      </span>
      {is_current ? null : (
        <Button
          size="sm"
          isBusy={end.isPending}
          aria-label={t('security.sessions.end.of', { device, address })}
          onClick={() => end.mutate({ id })}
        >
          {t('security.sessions.end')}
        </Button>
      )}
    </li>
  )
}

function EndOthers() {
  const t = useT()
  const [isAsked, setConfirming] = useState(false)
  const end = useCall(session.removeOthers, {
    onDone: (count) => showToast('success', t('security.sessions.others.done', { count })),
  })
  const confirm = () => {
    setConfirming(false)
    end.mutate({})
  }
  return (
    <>
      <Button isBusy={end.isPending} onClick={() => setConfirming(true)}>
        {t('security.sessions.others')}
      </Button>
      <ConfirmDialog
        title={t('security.sessions.others.title')}
        text={t('security.sessions.others.text')}
        confirmLabel={t('security.sessions.others')}
        isOpen={isAsked}
        onCancel={() => setConfirming(false)}
        onConfirm={confirm}
      />
    </>
  )
}
