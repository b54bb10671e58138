import { useLocation, useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { SecondStep } from '../../crud/second-step.tsx'
import { withBasePath } from '../../lib/base-path.ts'
import { builtInName, useStatus } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useSignIn } from '../../lib/use-sign-in.ts'
import { Alert } from '../../ui/alert.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { afterLogin } from './after-login.ts'
import { LoginForm } from './login-form.tsx'
import { OtherLogins } from './other-logins.tsx'
import { VisitorPage } from './visitor-page.tsx'

/** How long `?expired` stays in the address: a later reload must not show its message again. */
const expiredMs = 2_000

export function LoginPage() {
  const t = useT()
  const { system_name, register = true, password_login = true } = useStatus()
  const isExpired = useExpired()
  const begun = useLocation({ select: ({ state }) => state.secondStep })
  const [secondStep, setSecondStep] = useState(begun ?? '')
  const registerLink = (
    <>
      {t('login.noAccount')} <TextLink to="/register">{t('login.register')}</TextLink>
    </>
  )
  return (
    <VisitorPage
      title={t('login.title', { name: system_name || builtInName })}
      name={t('user.login')}
      {...(register && { below: registerLink })}
    >
      {secondStep === '' ? (
        <div className="space-y-4">
          {isExpired ? <Alert kind="warning">{t('login.expired')}</Alert> : null}
          {password_login ? <LoginForm onSecondStep={setSecondStep} /> : <Alert kind="info">{t('login.noPassword')}</Alert>}
          <OtherLogins hasForm={password_login} onSecondStep={setSecondStep} />
        </div>
      ) : (
        <SecondStepOfLogin steps={secondStep} onCancel={() => setSecondStep('')} />
      )}
    </VisitorPage>
  )
}

/** In place of the form, once the first step is done. */
function SecondStepOfLogin({ steps, onCancel }: { readonly steps: string; readonly onCancel: () => void }) {
  const t = useT()
  const signIn = useSignIn()
  const router = useRouter()
  const from = useLocation({ select: ({ state }) => state.from })
  const done = (user: unknown) => {
    signIn(user, 'password')
    showToast('success', t('login.done'))
    router.history.push(withBasePath(afterLogin(from)))
  }
  return <SecondStep steps={steps} onDone={done} onCancel={onCancel} />
}

/** Whether the server ended the last session. */
function useExpired(): boolean {
  const navigate = useNavigate()
  const { expired = false } = useSearch({ from: '/login' })
  const [wasExpired, setWasExpired] = useState(expired)
  if (expired && !wasExpired) setWasExpired(true)
  useEffect(() => {
    if (!expired) return
    const timer = setTimeout(() => void navigate({ to: '/login', search: {}, replace: true, state: true }), expiredMs)
    return () => clearTimeout(timer)
  }, [expired, navigate])
  return wasExpired
}
