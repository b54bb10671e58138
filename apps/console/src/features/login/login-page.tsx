import { account } from '@sluice/contract'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useLocation, useNavigate, useRouter, useSearch } from '@tanstack/react-router'
import { type FormEvent, useEffect, useRef, useState } from 'react'
import { call, explain } from '../../lib/api.ts'
import { signIn } from '../../lib/session.ts'
import { builtInName, useStatus } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Input, PasswordInput } from '../../ui/input.tsx'
import { useDocumentTitle } from '../../ui/page.tsx'
import { afterLogin } from './after-login.ts'

/** How long `?expired` stays in the address: a later reload must not show its message again. */
const expiredMs = 2_000

export function LoginPage() {
  const t = useT()
  const { system_name } = useStatus()
  const title = t('login.title', { name: system_name || builtInName })
  const isExpired = useExpired()
  useDocumentTitle(t('user.login'))
  return (
    <div className="mx-auto w-full max-w-[360px] flex-1 pt-[min(12vh,96px)]">
      <div className="rounded-md border bg-surface p-6">
        <img src="/logo.png" alt="" width={40} height={40} className="mb-4 size-10 rounded-md" />
        <h1 tabIndex={-1} className="mb-5 text-xl font-semibold break-words">
          {title}
        </h1>
        {isExpired ? (
          <div className="mb-4">
            <Alert kind="warning">{t('login.expired')}</Alert>
          </div>
        ) : null}
        <LoginForm />
      </div>
    </div>
  )
}

/** Whether the server ended the last session. */
function useExpired(): boolean {
  const navigate = useNavigate()
  const { expired = false } = useSearch({ from: '/login' })
  const [wasExpired] = useState(expired)
  useEffect(() => {
    if (!expired) return
    const timer = setTimeout(() => void navigate({ to: '/login', search: {}, replace: true, state: true }), expiredMs)
    return () => clearTimeout(timer)
  }, [expired, navigate])
  return wasExpired || expired
}

function LoginForm() {
  const t = useT()
  const form = useRef<HTMLFormElement>(null)
  const [missing, setMissing] = useState<readonly string[]>([])
  const login = useLogin()
  const field = (name: string) => form.current?.querySelector<HTMLInputElement>(`[name=${name}]`)
  const submit = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (login.isPending) return
    const data = new FormData(event.currentTarget)
    const input = { username: String(data.get('username') ?? '').trim(), password: String(data.get('password') ?? '') }
    const empty = (['username', 'password'] as const).filter((name) => input[name] === '')
    setMissing(empty)
    const [first] = empty
    // The password is most likely wrong, so it is selected and the next input replaces it.
    if (first === undefined) login.mutate(input, { onError: () => field('password')?.select() })
    else field(first)?.focus()
  }
  const refusal = login.error === null ? null : explain(login.error)
  return (
    <form ref={form} onSubmit={submit} noValidate className="space-y-4">
      {refusal === null ? null : <Alert kind="error">{refusal.text}</Alert>}
      <Field label={t('login.username')} error={missing.includes('username') ? t('login.username.missing') : undefined}>
        {(control) => <Input {...control} name="username" autoComplete="username" autoCapitalize="none" />}
      </Field>
      <Field label={t('login.password')} error={missing.includes('password') ? t('login.password.missing') : undefined}>
        {(control) => <PasswordInput {...control} name="password" autoComplete="current-password" />}
      </Field>
      <Button type="submit" look="primary" className="w-full" isBusy={login.isPending}>
        {t(login.isPending ? 'login.busy' : 'login.submit')}
      </Button>
    </form>
  )
}

function useLogin() {
  const t = useT()
  const client = useQueryClient()
  const router = useRouter()
  const from = useLocation({ select: ({ state }) => state.from })
  return useMutation({
    mutationFn: async (input: { readonly username: string; readonly password: string }) => {
      const user = await call(account.login, input)
      signIn(user)
      client.removeQueries({ predicate: ({ queryKey }) => queryKey[0] !== 'status' })
      // The account tells whether the initial password is still set; the login does not depend on this call.
      const self = await call(account.self, {}).catch(() => null)
      return self?.default_password === true
    },
    onSuccess: (hasDefaultPassword) => {
      showToast('success', t('login.done'))
      if (hasDefaultPassword) showToast('warning', t('login.default'))
      router.history.push(hasDefaultPassword ? '/user/edit' : afterLogin(from))
    },
  })
}
