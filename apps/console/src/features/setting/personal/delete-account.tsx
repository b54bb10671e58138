import { account } from '@sluice/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type SubmitEvent, useRef, useState } from 'react'
import { call } from '../../../lib/api.ts'
import { failureAtField } from '../../../lib/refused-field.ts'
import { signOut, useSession } from '../../../lib/session.ts'
import { useT } from '../../../lib/t.ts'
import { showToast } from '../../../lib/toasts.ts'
import { useCall } from '../../../lib/use-call.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { FormSection } from '../../../ui/form.tsx'
import { Input } from '../../../ui/input.tsx'

interface DeleteAccountProps {
  readonly username: string
  readonly ensure: (act: () => void) => void
}

export function DeleteAccount({ username, ensure }: DeleteAccountProps) {
  const t = useT()
  const { isRoot } = useSession()
  const [isOpen, setOpen] = useState(false)
  return (
    <FormSection
      title={t('personal.delete')}
      action={
        <Button look="danger" disabled={isRoot} onClick={() => ensure(() => setOpen(true))}>
          {t('personal.delete')}
        </Button>
      }
    >
      <p className="text-muted">{t(isRoot ? 'personal.delete.root' : 'personal.delete.text')}</p>
      <Dialog title={t('personal.delete.title', { name: username })} isOpen={isOpen} onClose={() => setOpen(false)}>
        <DeleteForm username={username} onCancel={() => setOpen(false)} />
      </Dialog>
    </FormSection>
  )
}

interface DeleteFormProps {
  readonly username: string
  readonly onCancel: () => void
}

/** The name must be typed, so that nobody deletes an account by one click. */
function DeleteForm({ username, onCancel }: DeleteFormProps) {
  const t = useT()
  const field = useRef<HTMLInputElement>(null)
  const [isWrong, setWrong] = useState(false)
  const remove = useDelete()
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (remove.isPending) return
    const isRight = field.current?.value === username
    setWrong(!isRight)
    if (isRight) remove.mutate({})
    else field.current?.focus()
  }
  const { beside, above } = failureAtField(remove.error)
  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      <p className="text-muted">{t('personal.delete.warning')}</p>
      {above === undefined ? null : <Alert kind="error">{above}</Alert>}
      <Field label={t('personal.delete.label', { name: username })} error={isWrong ? t('personal.delete.mismatch') : beside}>
        {(control) => <Input {...control} ref={field} data-first autoCapitalize="none" />}
      </Field>
      <div className="flex flex-row-reverse justify-start gap-2">
        <Button type="submit" look="danger" isBusy={remove.isPending}>
          {t('personal.delete')}
        </Button>
        <Button onClick={onCancel}>{t('action.cancel')}</Button>
      </div>
    </form>
  )
}

function useDelete() {
  const t = useT()
  const client = useQueryClient()
  const navigate = useNavigate()
  return useCall(account.removeSelf, {
    onDone: async () => {
      // The session ended with the account; whatever this returns, nobody is logged in any more.
      await call(account.logout, {}).catch(() => null)
      signOut()
      client.clear()
      showToast('success', t('personal.deleted'))
      await navigate({ to: '/login' })
    },
  })
}
