import { oauth } from '@sluice/contract'
import { type SubmitEvent, useRef, useState } from 'react'
import { explain } from '../../../lib/api.ts'
import { refusedField } from '../../../lib/refused-field.ts'
import { useT } from '../../../lib/t.ts'
import { showToast } from '../../../lib/toasts.ts'
import { useCall } from '../../../lib/use-call.ts'
import { Alert } from '../../../ui/alert.tsx'
import { useBotCheck } from '../../../ui/bot-check.tsx'
import { Button } from '../../../ui/button.tsx'
import { Dialog } from '../../../ui/dialog.tsx'
import { Field } from '../../../ui/field.tsx'
import { Input } from '../../../ui/input.tsx'
import { SendCodeButton } from '../../../ui/send-code-button.tsx'

interface EmailDialogProps {
  readonly isOpen: boolean
  readonly onClose: () => void
  readonly onBound: () => void
}

/** Binds an address that its owner proves by the code of a mail. */
export function EmailDialog({ isOpen, onClose, onBound }: EmailDialogProps) {
  const t = useT()
  return (
    <Dialog title={t('personal.email.title')} isOpen={isOpen} onClose={onClose}>
      <EmailForm onBound={onBound} />
    </Dialog>
  )
}

function EmailForm({ onBound }: Pick<EmailDialogProps, 'onBound'>) {
  const t = useT()
  const email = useRef<HTMLInputElement>(null)
  const code = useRef<HTMLInputElement>(null)
  const [missing, setMissing] = useState<readonly string[]>([])
  const bot = useBotCheck()
  const [sending, setSending] = useState<Error | null>(null)
  const bind = useCall(oauth.bindEmail, {
    onDone: () => {
      showToast('success', t('personal.email.bound'))
      onBound()
    },
  })
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (bind.isPending) return
    const fields = { email: email.current, code: code.current }
    const input = { email: fields.email?.value.trim() ?? '', code: fields.code?.value.trim() ?? '' }
    const empty = (['email', 'code'] as const).filter((name) => input[name] === '')
    setMissing(empty)
    const [first] = empty
    if (first === undefined) bind.mutate(input)
    else fields[first]?.focus()
  }
  const refused = refusedField(bind.error, ['email', 'code', 'verification_code'])
  const refusal = bind.error === null || refused !== null ? null : explain(bind.error)
  const faults = {
    email: missing.includes('email') ? t('personal.email.missing') : textAt(refused, 'email'),
    code: missing.includes('code') ? t('personal.email.code.missing') : (textAt(refused, 'code') ?? textAt(refused, 'verification_code')),
  }
  const unsent = refusedField(sending, ['email', 'turnstile'])
  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      {refusal === null ? null : <Alert kind="error">{refusal.text}</Alert>}
      <Field label={t('personal.email')} error={faults.email ?? textAt(unsent, 'email')}>
        {(control) => <Input {...control} ref={email} data-first type="email" autoComplete="email" />}
      </Field>
      <Field label={t('code.label')} error={faults.code}>
        {(control) => (
          <div className="flex gap-2">
            <Input {...control} ref={code} inputMode="numeric" autoComplete="one-time-code" />
            <SendCodeButton
              emailOf={() => email.current?.value ?? ''}
              bot={bot}
              waitText={t('personal.email.bot')}
              successText={t('personal.email.sent')}
              onFailed={setSending}
            />
          </div>
        )}
      </Field>
      {bot.view}
      {unsent?.name === 'turnstile' ? <Alert kind="error">{unsent.text}</Alert> : null}
      <Button type="submit" look="primary" isBusy={bind.isPending}>
        {t('personal.email.submit')}
      </Button>
    </form>
  )
}

const textAt = (refused: { readonly name: string; readonly text: string } | null, name: string) =>
  refused?.name === name ? refused.text : undefined
