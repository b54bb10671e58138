import { account, type SelfRow } from '@sluice/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from '@tanstack/react-router'
import { type ReactNode, type SubmitEvent, useRef, useState } from 'react'
import { call, toastError } from '../lib/api.ts'
import { withBasePath } from '../lib/base-path.ts'
import { firstStep } from '../lib/first-step.ts'
import { failureAtField } from '../lib/refused-field.ts'
import { signIn, signOut } from '../lib/session.ts'
import { useStatus } from '../lib/status.ts'
import { useT } from '../lib/t.ts'
import { useCall } from '../lib/use-call.ts'
import { Alert } from '../ui/alert.tsx'
import { Button } from '../ui/button.tsx'
import { Dialog } from '../ui/dialog.tsx'
import { Field } from '../ui/field.tsx'
import { PasswordInput } from '../ui/input.tsx'
import { SecondStep } from './second-step.tsx'

interface FreshLogin {
  /** Does something that needs a recent login, after a new one if the present login is too old. */
  readonly ensure: (act: () => void) => void
  /** To be shown by the page. */
  readonly dialog: ReactNode
}

interface LoginQuestion {
  readonly act: () => void
  readonly self: SelfRow
  readonly isOpen: boolean
}

/**
 * The server changes credentials and shows keys only in the first ten minutes after a login.
 * @param page the address to come back to after a login elsewhere
 */
export function useFreshLogin(page: string): FreshLogin {
  const t = useT()
  const { password_login = true } = useStatus()
  // The question stays while the dialog closes.
  const [question, setQuestion] = useState<LoginQuestion | null>(null)
  const close = () => setQuestion((last) => last && { ...last, isOpen: false })
  const ensure = async (act: () => void): Promise<void> => {
    try {
      const self = await call(account.self, {})
      if (self.recent_login) act()
      else setQuestion({ act, self, isOpen: true })
    } catch (error) {
      toastError(error)
    }
  }
  const confirmed = () => {
    close()
    question?.act()
  }
  return {
    ensure: (act) => void ensure(act),
    dialog: (
      <Dialog title={t('freshLogin.title')} isOpen={question?.isOpen ?? false} onClose={close}>
        {question === null ? null : question.self.has_password && password_login ? (
          <PasswordForm username={question.self.username} onDone={confirmed} />
        ) : (
          <LogInAgain page={page} />
        )}
      </Dialog>
    ),
  }
}

interface PasswordFormProps {
  readonly username: string
  readonly onDone: () => void
}

/** A login in place: the page and what is open on it stay. */
function PasswordForm({ username, onDone }: PasswordFormProps) {
  const t = useT()
  const field = useRef<HTMLInputElement>(null)
  const [secondStep, setSecondStep] = useState('')
  const [isMissing, setMissing] = useState(false)
  const done = (user: unknown) => {
    signIn(user)
    onDone()
  }
  const login = useMutation({
    mutationFn: (input: { readonly username: string; readonly password: string }) => firstStep(call(account.login, input)),
    onSuccess: (begun) => (begun.isDone ? done(begun.user) : setSecondStep(begun.secondStep)),
  })
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (login.isPending) return
    const password = field.current?.value ?? ''
    setMissing(password === '')
    if (password === '') field.current?.focus()
    else login.mutate({ username, password }, { onError: () => field.current?.select() })
  }
  if (secondStep !== '') return <SecondStep steps={secondStep} onDone={done} onCancel={() => setSecondStep('')} />
  const { beside, above } = failureAtField(login.error)
  return (
    <form onSubmit={submit} noValidate className="space-y-4">
      <p className="text-muted">{t('freshLogin.text')}</p>
      {above === undefined ? null : <Alert kind="error">{above}</Alert>}
      {/* For password managers, which store passwords by the name of the account. */}
      <input type="text" name="username" autoComplete="username" value={username} readOnly hidden />
      <Field label={t('freshLogin.password')} error={isMissing ? t('freshLogin.missing') : beside}>
        {(control) => <PasswordInput {...control} ref={field} data-first name="password" autoComplete="current-password" />}
      </Field>
      <Button type="submit" look="primary" isBusy={login.isPending}>
        {t('freshLogin.submit')}
      </Button>
    </form>
  )
}

/** For accounts without a password, or servers without logins by password. */
function LogInAgain({ page }: { readonly page: string }) {
  const t = useT()
  const client = useQueryClient()
  const router = useRouter()
  const logout = useCall(account.logout, {
    onDone: () => {
      signOut()
      client.clear()
      router.history.push(withBasePath('/login'), { from: page })
    },
  })
  return (
    <div className="space-y-4">
      <p className="text-muted">{t('freshLogin.again')}</p>
      <Button look="primary" data-first isBusy={logout.isPending} onClick={() => logout.mutate({})}>
        {t('freshLogin.login')}
      </Button>
    </div>
  )
}
