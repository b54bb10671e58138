import { secondFactor } from '@sluice/contract'
import { useQuery } from '@tanstack/react-query'
import { type SubmitEvent, useRef, useState } from 'react'
import { call } from '../../../lib/api.ts'
import { onceOptions } from '../../../lib/reads.ts'
import { failureAtField } from '../../../lib/refused-field.ts'
import { useT } from '../../../lib/t.ts'
import { useCall } from '../../../lib/use-call.ts'
import { Alert } from '../../../ui/alert.tsx'
import { Button } from '../../../ui/button.tsx'
import { CopyField } from '../../../ui/copy-field.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { QrCode } from '../../../ui/qr-code.tsx'
import { ReadGate } from '../../../ui/read-gate.tsx'

interface AppDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  /** Gets the recovery codes. */
  readonly onConfirmed: (codes: readonly string[]) => void
}

/** Sets up an authenticator app: an image to scan, or the secret to type, and a code that confirms it. */
export function AppDialog({ isOpen, onClose, onConfirmed }: AppDialogProps) {
  const t = useT()
  return (
    <Dialog title={t('security.app.title')} isOpen={isOpen} onClose={onClose}>
      <SetUp onConfirmed={onConfirmed} />
    </Dialog>
  )
}

function SetUp({ onConfirmed }: Pick<AppDialogProps, 'onConfirmed'>) {
  const t = useT()
  // A query, not an effect: each call makes a new secret, and a dialog must show the last one.
  const begun = useQuery({
    ...onceOptions(secondFactor.beginApp, {}, () => call(secondFactor.beginApp, {})),
    gcTime: 0,
    retry: false,
    meta: { failure: 'silent' },
  })
  return (
    <ReadGate read={begun} isPart>
      {({ secret, uri }) => (
        <div className="space-y-4">
          <p className="text-muted">{t('security.app.scan')}</p>
          <div className="flex justify-center">
            <QrCode text={uri} label={t('security.app.picture')} />
          </div>
          <p className="text-muted">{t('security.app.type')}</p>
          <CopyField text={secret.replace(/(.{4})(?=.)/g, '$1 ')} label={t('security.app.copy')} />
          <ConfirmForm onConfirmed={onConfirmed} />
        </div>
      )}
    </ReadGate>
  )
}

function ConfirmForm({ onConfirmed }: Pick<AppDialogProps, 'onConfirmed'>) {
  const t = useT()
  const code = useRef<HTMLInputElement>(null)
  const [isMissing, setMissing] = useState(false)
  const confirm = useCall(secondFactor.confirmApp, { onDone: ({ recovery_codes }) => onConfirmed(recovery_codes) })
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    const typed = code.current?.value.trim() ?? ''
    setMissing(typed === '')
    if (typed === '') code.current?.focus()
    else confirm.mutate({ code: typed }, { onError: () => code.current?.select() })
  }
  const { beside, above } = failureAtField(confirm.error)
  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      {above === undefined ? null : <Alert kind="error">{above}</Alert>}
      <Field label={t('security.app.code')} error={isMissing ? t('security.app.code.missing') : beside}>
        {(control) => <Input {...control} ref={code} data-first inputMode="numeric" autoComplete="one-time-code" />}
      </Field>
      <Button type="submit" look="primary" isBusy={confirm.isPending}>
        {t('security.app.confirm')}
      </Button>
    </form>
  )
}
