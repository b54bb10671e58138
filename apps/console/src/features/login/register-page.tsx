import { useSearch } from '@tanstack/react-router'
import { useEffect } from 'react'
import { builtInName, useStatus } from '../../lib/status.ts'
import { storage } from '../../lib/storage.ts'
import { useT } from '../../lib/t.ts'
import { Alert } from '../../ui/alert.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { RegisterForm } from './register-form.tsx'
import { VisitorPage } from './visitor-page.tsx'

export function RegisterPage() {
  const t = useT()
  const { system_name, register = true } = useStatus()
  const { aff } = useSearch({ from: '/register' })
  const code = String(aff ?? '')
  useEffect(() => {
    if (code !== '') storage.writeText('aff', code)
  }, [code])
  return (
    <VisitorPage
      title={t('register.title', { name: system_name || builtInName })}
      name={t('user.register')}
      below={
        <>
          {t('register.hasAccount')} <TextLink to="/login">{t('user.login')}</TextLink>
        </>
      }
    >
      {register ? <RegisterForm /> : <Alert kind="info">{t('register.closed')}</Alert>}
    </VisitorPage>
  )
}
