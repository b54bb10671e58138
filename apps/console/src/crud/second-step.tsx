import { type DataOf, passkey, secondFactor } from '@sluice/contract'
import { useMutation } from '@tanstack/react-query'
import { KeyRound } from 'lucide-react'
import { type SubmitEvent, useEffect, useRef, useState } from 'react'
import { call, explain } from '../lib/api.ts'
import { askForPasskey, canUsePasskeys } from '../lib/passkey.ts'
import { failureAtField } from '../lib/refused-field.ts'
import { useT } from '../lib/t.ts'
import { useCall } from '../lib/use-call.ts'
import { Alert } from '../ui/alert.tsx'
import { Button } from '../ui/button.tsx'
import { Field } from '../ui/field.tsx'
import { Input } from '../ui/input.tsx'

type LoginUser = DataOf<typeof secondFactor.login>

interface SecondStepProps {
  /** What the login can be completed with, such as `code,passkey`. */
  readonly steps: string
  readonly onDone: (user: LoginUser) => void
  readonly onCancel: () => void
}

/** The second factor of a login that this browser has begun. */
export function SecondStep({ steps, onDone, onCancel }: SecondStepProps) {
  const t = useT()
  const code = useRef<HTMLInputElement>(null)
  const [isMissing, setMissing] = useState(false)
  useEffect(() => code.current?.focus(), [])
  const byCode = useCall(secondFactor.login, { onDone })
  const byPasskey = usePasskeyStep(onDone)
  const isSent = byCode.isPending || byCode.isSuccess || byPasskey.isPending
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isSent) return
    const typed = code.current?.value.trim() ?? ''
    setMissing(typed === '')
    if (typed === '') code.current?.focus()
    else byCode.mutate({ code: typed }, { onError: () => code.current?.select() })
  }
  const { beside, above } = failureAtField(byCode.error)
  const refusal = byPasskey.error === null ? above : explain(byPasskey.error)?.text
  return (
    <form onSubmit={submit} noValidate className="space-y-4" aria-label={t('secondStep.title')}>
      <p className="text-muted">{t('secondStep.text')}</p>
      {refusal === undefined ? null : <Alert kind="error">{refusal}</Alert>}
      <Field label={t('secondStep.code')} hint={t('secondStep.hint')} error={isMissing ? t('secondStep.missing') : beside}>
        {(control) => <Input {...control} ref={code} data-first autoComplete="one-time-code" autoCapitalize="none" />}
      </Field>
      <div className="flex flex-wrap gap-2">
        <Button type="submit" look="primary" isBusy={byCode.isPending}>
          {t('secondStep.submit')}
        </Button>
        {steps.split(',').includes('passkey') && canUsePasskeys() ? (
          <Button isBusy={byPasskey.isPending} onClick={() => (isSent ? undefined : byPasskey.mutate())}>
            <KeyRound aria-hidden className="size-4" />
            {t('secondStep.passkey')}
          </Button>
        ) : null}
        <Button look="quiet" onClick={onCancel}>
          {t('secondStep.cancel')}
        </Button>
      </div>
    </form>
  )
}

function usePasskeyStep(onDone: (user: LoginUser) => void) {
  return useMutation({
    mutationFn: async () => {
      const credential = await askForPasskey(true)
      return credential === null ? null : await call(passkey.login, { credential })
    },
    onSuccess: (user) => (user === null ? undefined : onDone(user)),
  })
}
