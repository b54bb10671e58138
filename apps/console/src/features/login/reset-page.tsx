import { verification } from '@sluice/contract'
import { type SubmitEvent, useRef, useState } from 'react'
import { explain } from '../../lib/api.ts'
import { refusedField } from '../../lib/refused-field.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall } from '../../lib/use-call.ts'
import { resendSeconds, useCountdown } from '../../lib/use-countdown.ts'
import { Alert } from '../../ui/alert.tsx'
import { useBotCheck } from '../../ui/bot-check.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Input } from '../../ui/input.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { VisitorPage } from './visitor-page.tsx'

export function ResetPage() {
  const t = useT()
  return (
    <VisitorPage title={t('reset.title')} lead={t('reset.lead')} below={<TextLink to="/login">{t('reset.back')}</TextLink>}>
      <ResetForm />
    </VisitorPage>
  )
}

type Fault = 'reset.email.missing' | 'bot.wait'

function ResetForm() {
  const t = useT()
  const field = useRef<HTMLInputElement>(null)
  const [fault, setFault] = useState<Fault | null>(null)
  const bot = useBotCheck()
  const { left, start } = useCountdown()
  const request = useCall(verification.requestReset, { onDone: () => showToast('success', t('reset.sent')) })
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (request.isPending || left > 0) return
    const email = field.current?.value.trim() ?? ''
    setFault(email === '' ? 'reset.email.missing' : bot.isReady ? null : 'bot.wait')
    if (email === '') return field.current?.focus()
    if (!bot.isReady) return showToast('info', t('bot.wait'))
    request.mutate({ email, turnstile: bot.token })
    bot.renew()
    start(resendSeconds)
  }
  const refused = refusedField(request.error, ['email', 'turnstile'])
  const refusal = request.error === null || refused !== null ? null : explain(request.error)
  const emailError = fault === 'reset.email.missing' ? t(fault) : refused?.name === 'email' ? refused.text : undefined
  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      {refusal === null ? null : <Alert kind="error">{refusal.text}</Alert>}
      {request.isSuccess ? <Alert kind="info">{t('reset.sent.text')}</Alert> : null}
      <Field label={t('register.email')} error={emailError}>
        {(control) => <Input {...control} ref={field} name="email" type="email" autoComplete="email" />}
      </Field>
      {bot.view}
      {refused?.name === 'turnstile' ? <Alert kind="error">{refused.text}</Alert> : null}
      {fault === 'bot.wait' && !bot.isReady ? <Alert kind="info">{t('bot.wait')}</Alert> : null}
      <Button type="submit" look="primary" className="w-full tabular" isBusy={request.isPending} disabled={left > 0}>
        {left > 0 ? t('reset.again', { count: left }) : t('reset.submit')}
      </Button>
    </form>
  )
}
