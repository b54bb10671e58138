import { verification } from '@sluice/contract'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { Copy } from 'lucide-react'
import { useState } from 'react'
import { RevokeSwitch } from '../../crud/use-revoke-choice.tsx'
import { explain } from '../../lib/api.ts'
import { refusedField } from '../../lib/refused-field.ts'
import { useT } from '../../lib/t.ts'
import { useCall } from '../../lib/use-call.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { useCopyOrShow } from '../../ui/copy-or-show.tsx'
import { Field } from '../../ui/field.tsx'
import { Input, PasswordInput } from '../../ui/input.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { VisitorPage } from './visitor-page.tsx'

/** Where the link of a reset mail leads. */
export function NewPasswordPage() {
  const t = useT()
  const search = useSearch({ from: '/user/reset' })
  const email = String(search.email ?? '')
  const token = String(search.token ?? '')
  const isWhole = email !== '' && token !== ''
  return (
    <VisitorPage title={t('newPassword.title')} below={<TextLink to="/login">{t('reset.back')}</TextLink>}>
      {isWhole ? <Confirm email={email} token={token} /> : <BrokenLink />}
    </VisitorPage>
  )
}

function BrokenLink() {
  const t = useT()
  return (
    <div className="space-y-4">
      <Alert kind="warning">{t('newPassword.broken')}</Alert>
      <ButtonLink to="/reset" className="w-full">
        {t('newPassword.again')}
      </ButtonLink>
    </div>
  )
}

interface ConfirmProps {
  readonly email: string
  readonly token: string
}

function Confirm({ email, token }: ConfirmProps) {
  const t = useT()
  const { copy, dialog } = useCopyOrShow()
  // Set at the click: a second click, before the page renders again, must not send a second call.
  const [isSent, setSubmitted] = useState(false)
  const [revokesTokens, setRevokesTokens] = useState(true)
  const copyPassword = (text: string) => copy({ text, name: t('newPassword.label'), done: t('newPassword.copied') })
  const reset = useCall(verification.reset, { onDone: copyPassword })
  const confirm = () => {
    setSubmitted(true)
    reset.mutate({ email, token, revoke_access_tokens: revokesTokens }, { onError: () => setSubmitted(false) })
  }
  // The form shows only the address of the link that it came from.
  const refused = refusedField(reset.error, ['email', 'token'])
  const refusal = reset.error === null || refused !== null ? null : explain(reset.error)
  return (
    <div className="space-y-4">
      {refusal === null ? null : <Alert kind="error">{refusal.text}</Alert>}
      <Field label={t('register.email')} error={refused?.text}>
        {(control) => <Input {...control} value={email} readOnly autoComplete="username" />}
      </Field>
      {refused === null ? null : <TextLink to="/reset">{t('newPassword.again')}</TextLink>}
      {reset.data === undefined ? (
        <>
          <p className="text-muted">{t('newPassword.lead')}</p>
          <RevokeSwitch isOn={revokesTokens} onChange={setRevokesTokens} />
          <Button look="primary" className="w-full" isBusy={reset.isPending} disabled={isSent} onClick={confirm}>
            {t('newPassword.confirm')}
          </Button>
        </>
      ) : (
        <NewPassword password={reset.data} email={email} onCopy={() => void copyPassword(reset.data)} />
      )}
      {dialog}
    </div>
  )
}

interface NewPasswordProps {
  readonly password: string
  readonly email: string
  readonly onCopy: () => void
}

function NewPassword({ password, email, onCopy }: NewPasswordProps) {
  const t = useT()
  const navigate = useNavigate()
  return (
    <>
      <Alert kind="info" title={t('newPassword.done')}>
        {t('newPassword.done.text')}
      </Alert>
      <Field label={t('newPassword.label')}>
        {(control) => (
          <div className="flex gap-2">
            <div className="min-w-0 flex-1">
              <PasswordInput {...control} value={password} readOnly autoComplete="off" className="font-mono" />
            </div>
            <Button onClick={onCopy}>
              <Copy aria-hidden className="size-4" />
              {t('action.copy')}
            </Button>
          </div>
        )}
      </Field>
      <Button look="primary" className="w-full" onClick={() => void navigate({ to: '/login', state: { username: email } })}>
        {t('login.submit')}
      </Button>
    </>
  )
}
