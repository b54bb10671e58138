import { useNavigate, useSearch } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { builtInName, useStatus } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { Alert } from '../../ui/alert.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { LoginForm } from './login-form.tsx'
import { OtherLogins } from './other-logins.tsx'
import { VisitorPage } from './visitor-page.tsx'

/** How long `?expired` stays in the address: a later reload must not show its message again. */
const expiredMs = 2_000

export function LoginPage() {
  const t = useT()
  const { system_name, register = true, password_login = true } = useStatus()
  const isExpired = useExpired()
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
      <div className="space-y-4">
        {isExpired ? <Alert kind="warning">{t('login.expired')}</Alert> : null}
        {password_login ? <LoginForm /> : <Alert kind="info">{t('login.noPassword')}</Alert>}
        <OtherLogins hasForm={password_login} />
      </div>
    </VisitorPage>
  )
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
