import { notification, type RuleRow } from '@sluice/contract'
import { useState } from 'react'
import { useT } from '../../../lib/t.ts'
import { showToast } from '../../../lib/toasts.ts'
import { useCall, useRead } from '../../../lib/use-call.ts'
import { Badge } from '../../../ui/badge.tsx'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog, Dialog } from '../../../ui/dialog.tsx'
import { FormSection } from '../../../ui/form.tsx'
import { ReadGate } from '../../../ui/read-gate.tsx'
import { UnreadableBadge } from '../../../ui/unreadable-badge.tsx'
import { SecretDialog } from '../secret-dialog.tsx'
import { RuleForm } from './rule-form.tsx'
import { useTargetText, useWhenText } from './rule-texts.ts'

export function Rules() {
  const t = useT()
  const read = useRead(notification.list, { input: {}, isPreloaded: true })
  const [isMaking, setMaking] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
  const done = (newSecret: string) => {
    setMaking(false)
    if (newSecret === '') showToast('success', t('notify.made'))
    else setSecret(newSecret)
  }
  return (
    <FormSection title={t('notify.rules')} action={<Button onClick={() => setMaking(true)}>{t('notify.make')}</Button>}>
      <p className="text-muted">{t('notify.rules.text')}</p>
      <ReadGate read={read} isPart>
        {(rows) =>
          rows.length === 0 ? (
            <p className="text-muted">{t('notify.rules.none')}</p>
          ) : (
            <ul className="divide-y">
              {rows.map((row) => (
                <RuleItem key={row.id} row={row} onSecret={setSecret} />
              ))}
            </ul>
          )
        }
      </ReadGate>
      <Dialog title={t('notify.make')} isOpen={isMaking} onClose={() => setMaking(false)}>
        <RuleForm rule={null} onDone={done} />
      </Dialog>
      <SecretDialog
        secret={secret}
        texts={{ title: t('notify.secret'), once: t('notify.secret.once'), copy: t('notify.secret.copy'), kept: t('notify.secret.kept') }}
        onClose={() => setSecret(null)}
      />
    </FormSection>
  )
}

interface RuleItemProps {
  readonly row: RuleRow
  /** A new secret, in place of one that could not be read. */
  readonly onSecret: (secret: string) => void
}

function RuleItem({ row, onSecret }: RuleItemProps) {
  const t = useT()
  const whenText = useWhenText()
  const targetText = useTargetText()
  const { id, name, is_on, is_breached } = row
  const [openDialog, setOpenDialog] = useState<'edit' | 'remove' | null>(null)
  const close = () => setOpenDialog(null)
  const changed = (secret: string) => {
    close()
    if (secret !== '') onSecret(secret)
  }
  const remove = useCall(notification.remove, { onDone: () => showToast('success', t('action.done')) })
  const test = useCall(notification.test, {
    onDone: ({ state, error }) =>
      state === 'sent' ? showToast('success', t('notify.test.sent')) : showToast('error', t('notify.test.failed', { reason: error })),
  })
  const confirm = () => {
    close()
    remove.mutate({ id })
  }
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5 first:pt-0 last:pb-0">
      <span className="min-w-60 flex-1">
        <span className="flex flex-wrap items-center gap-2 font-medium">
          <span dir="auto" className="min-w-0 [overflow-wrap:anywhere]">
            {name}
          </span>
          {is_on ? null : <Badge tone="grey">{t('notify.off')}</Badge>}
          {is_breached ? <Badge tone="yellow">{t('notify.breached')}</Badge> : null}
        </span>
        <span className="block text-sm text-muted [overflow-wrap:anywhere]">{whenText(row)}</span>
        {row.unreadable.includes('url') ? null : (
          <span className="block text-sm text-muted [overflow-wrap:anywhere]">{targetText(row)}</span>
        )}
        <UnreadableBadge row={row} />
      </span>
      <span className="flex flex-wrap gap-2">
        <Button size="sm" isBusy={test.isPending} aria-label={t('notify.test.of', { name })} onClick={() => test.mutate({ id })}>
          {t('notify.test')}
        </Button>
        <Button size="sm" aria-label={t('notify.edit.of', { name })} onClick={() => setOpenDialog('edit')}>
          {t('action.edit')}
        </Button>
        <Button size="sm" isBusy={remove.isPending} aria-label={t('notify.remove.of', { name })} onClick={() => setOpenDialog('remove')}>
          {t('action.delete')}
        </Button>
      </span>
      <Dialog title={t('notify.edit')} isOpen={openDialog === 'edit'} onClose={close}>
        <RuleForm rule={row} onDone={changed} />
      </Dialog>
      <ConfirmDialog
        title={t('notify.remove.title', { name })}
        text={t('notify.remove.text')}
        confirmLabel={t('action.delete')}
        isOpen={openDialog === 'remove'}
        onCancel={close}
        onConfirm={confirm}
      />
    </li>
  )
}
