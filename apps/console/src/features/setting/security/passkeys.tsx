import { type PasskeyRow, passkey } from '@sluice/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { type SubmitEvent, useRef, useState } from 'react'
import { useRevokeChoice } from '../../../crud/use-revoke-choice.tsx'
import { call } from '../../../lib/api.ts'
import { canUsePasskeys, makePasskey } from '../../../lib/passkey.ts'
import { markChanged } from '../../../lib/reads.ts'
import { failureAtField } from '../../../lib/refused-field.ts'
import { useT } from '../../../lib/t.ts'
import { formatTime } from '../../../lib/time.ts'
import { showToast } from '../../../lib/toasts.ts'
import { useCall, useRead } from '../../../lib/use-call.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { ConfirmDialog, Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { FormSection } from '../../../ui/form.tsx'
import { Input } from '../../../ui/input.tsx'
import { ReadGate } from '../../../ui/read-gate.tsx'

interface PasskeysProps {
  readonly ensure: (act: () => void) => void
}

/** Passkeys log in without a password, and serve as a second factor. */
export function Passkeys({ ensure }: PasskeysProps) {
  const t = useT()
  const read = useRead(passkey.list, { input: {}, isPreloaded: true })
  const [isNaming, setNaming] = useState(false)
  const isKnown = canUsePasskeys()
  return (
    <FormSection
      title={t('security.passkeys')}
      action={isKnown ? <Button onClick={() => ensure(() => setNaming(true))}>{t('security.passkeys.add')}</Button> : undefined}
    >
      <p className="text-muted">{t('security.passkeys.text')}</p>
      {isKnown ? null : <Alert kind="info">{t('security.passkeys.unknown')}</Alert>}
      <ReadGate read={read} isPart>
        {(rows) =>
          rows.length === 0 ? (
            <p className="text-muted">{t('security.passkeys.none')}</p>
          ) : (
            <ul className="divide-y">
              {rows.map((row) => (
                <PasskeyItem key={row.id} row={row} ensure={ensure} />
              ))}
            </ul>
          )
        }
      </ReadGate>
      <AddDialog isOpen={isNaming} onClose={() => setNaming(false)} />
    </FormSection>
  )
}

function PasskeyItem({ row, ensure }: PasskeysProps & { readonly row: PasskeyRow }) {
  const t = useT()
  const { id, name, host, created_time, used_time } = row
  const [openDialog, setOpenDialog] = useState<'name' | 'remove' | null>(null)
  const revoke = useRevokeChoice()
  const remove = useCall(passkey.remove, { onDone: () => showToast('success', t('action.done')) })
  const rename = useCall(passkey.rename, { onDone: () => setOpenDialog(null) })
  const close = () => setOpenDialog(null)
  const confirm = () => {
    close()
    const choice = revoke.read()
    ensure(() => remove.mutate({ id, ...choice }))
  }
  return (
    <li className="flex flex-wrap items-center gap-x-3 gap-y-2 py-2.5 first:pt-0 last:pb-0">
      <KeyRound aria-hidden className="size-4 text-muted" />
      <span className="min-w-0 flex-1">
        <span className="block font-medium [overflow-wrap:anywhere]">{name}</span>
        <span className="block text-sm text-muted">
          {t('word.sentences', {
            first: t('security.passkeys.facts', { host, time: formatTime(created_time) }),
            second: used_time === 0 ? t('security.unused') : t('security.used', { time: formatTime(used_time) }),
          })}
        </span>
      </span>
      <span className="flex gap-2">
        <Button size="sm" aria-label={t('security.rename.of', { name })} onClick={() => setOpenDialog('name')}>
          {t('security.rename')}
        </Button>
        <Button size="sm" isBusy={remove.isPending} aria-label={t('security.remove.of', { name })} onClick={() => setOpenDialog('remove')}>
          {t('security.remove')}
        </Button>
      </span>
      <Dialog title={t('security.rename.of', { name })} isOpen={openDialog === 'name'} onClose={close}>
        <NameForm
          initial={name}
          label={t('action.save')}
          isBusy={rename.isPending}
          failure={rename.error}
          onName={(next) => rename.mutate({ id, name: next })}
        />
      </Dialog>
      <ConfirmDialog
        title={t('security.passkeys.remove.title', { name })}
        text={t('security.passkeys.remove.text')}
        extra={revoke.field}
        confirmLabel={t('security.remove')}
        isOpen={openDialog === 'remove'}
        onCancel={close}
        onConfirm={confirm}
      />
    </li>
  )
}

interface AddDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
}

function AddDialog({ isOpen, onClose }: AddDialogProps) {
  const t = useT()
  const client = useQueryClient()
  const add = useMutation({
    mutationFn: async (name: string) => {
      const credential = await makePasskey()
      if (credential === null) return false
      await call(passkey.create, { name, credential })
      markChanged(client, passkey.create)
      return true
    },
    onSuccess: (isAdded) => {
      if (!isAdded) return
      showToast('success', t('security.passkeys.added'))
      onClose()
    },
  })
  return (
    <Dialog title={t('security.passkeys.add')} isOpen={isOpen} onClose={onClose}>
      <p className="mb-4 text-muted">{t('security.passkeys.how')}</p>
      <NameForm
        initial=""
        label={t('security.passkeys.create')}
        isBusy={add.isPending}
        failure={add.error}
        onName={(name) => add.mutate(name)}
      />
    </Dialog>
  )
}

interface NameFormProps {
  readonly initial: string
  readonly label: string
  readonly isBusy: boolean
  /** Why the last try failed. */
  readonly failure: Error | null
  readonly onName: (name: string) => void
}

function NameForm({ initial, label, isBusy, failure, onName }: NameFormProps) {
  const t = useT()
  const field = useRef<HTMLInputElement>(null)
  const [isMissing, setMissing] = useState(false)
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const name = field.current?.value.trim() ?? ''
    setMissing(name === '')
    if (name === '') field.current?.focus()
    else if (!isBusy) onName(name)
  }
  const { beside, above } = failureAtField(failure)
  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      {above === undefined ? null : <Alert kind="error">{above}</Alert>}
      <Field label={t('security.name')} hint={t('security.passkeys.name.hint')} error={isMissing ? t('security.name.missing') : beside}>
        {(control) => <Input {...control} ref={field} data-first defaultValue={initial} maxLength={64} />}
      </Field>
      <Button type="submit" look="primary" isBusy={isBusy}>
        {label}
      </Button>
    </form>
  )
}
