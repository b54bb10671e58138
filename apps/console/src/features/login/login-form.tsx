import { account } from '@sluice/contract'
import { useMutation } from '@tanstack/react-query'
import { useLocation, useRouter } from '@tanstack/react-router'
import { type SubmitEvent, useRef, useState } from 'react'
import { call, explain } from '../../lib/api.ts'
import { withBasePath } from '../../lib/base-path.ts'
import { firstStep } from '../../lib/first-step.ts'
import { passwordToasts } from '../../lib/password-warning.ts'
import { refusedField } from '../../lib/refused-field.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useSignIn } from '../../lib/use-sign-in.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Input, PasswordInput } from '../../ui/input.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { afterLogin } from './after-login.ts'

interface LoginFormProps {
  /** The password is right, and the account requires a second factor. */
  readonly onSecondStep: (steps: string) => void
}

export function LoginForm({ onSecondStep }: LoginFormProps) {
  const t = useT()
  const form = useRef<HTMLFormElement>(null)
  const [missing, setMissing] = useState<readonly string[]>([])
  const username = useLocation({ select: ({ state }) => state.username })
  const login = useLogin(onSecondStep)
  // From the first request until it fails: while the next page loads, a further Enter must not log in again.
  const isSent = useRef(false)
  const field = (name: string) => form.current?.querySelector<HTMLInputElement>(`[name=${name}]`)
  const submit = (event: SubmitEvent<HTMLFormElement>) => {
    event.preventDefault()
    if (isSent.current) return
    const data = new FormData(event.currentTarget)
    const input = { username: String(data.get('username') ?? '').trim(), password: String(data.get('password') ?? '') }
    const empty = (['username', 'password'] as const).filter((name) => input[name] === '')
    setMissing(empty)
    const [first] = empty
    if (first !== undefined) return field(first)?.focus()
    isSent.current = true
    login.mutate(input, {
      onError: () => {
        isSent.current = false
        // The password is most likely wrong, so it is selected and the next input replaces it.
        field('password')?.select()
      },
    })
  }
  const refused = refusedField(login.error, ['username', 'password'])
  const refusal = login.error === null || refused !== null ? null : explain(login.error)
  const errorOf = (name: 'username' | 'password') => {
    if (missing.includes(name)) return t(`login.${name}.missing`)
    return refused?.name === name ? refused.text : undefined
  }
  return (
    <form ref={form} onSubmit={submit} noValidate className="space-y-4">
      {refusal === null ? null : <Alert kind="error">{refusal.text}</Alert>}
      <Field label={t('login.username')} error={errorOf('username')}>
        {(control) => <Input {...control} name="username" defaultValue={username} autoComplete="username" autoCapitalize="none" />}
      </Field>
      <Field label={t('login.password')} aside={<TextLink to="/reset">{t('login.forgot')}</TextLink>} error={errorOf('password')}>
        {(control) => <PasswordInput {...control} name="password" autoComplete="current-password" />}
      </Field>
      <Button type="submit" look="primary" className="w-full" isBusy={login.isPending || login.isSuccess}>
        {t(login.isPending || login.isSuccess ? 'login.busy' : 'login.submit')}
      </Button>
    </form>
  )
}

function useLogin(onSecondStep: LoginFormProps['onSecondStep']) {
  const t = useT()
  const signIn = useSignIn()
  const router = useRouter()
  const from = useLocation({ select: ({ state }) => state.from })
  return useMutation({
    mutationFn: async (input: { readonly username: string; readonly password: string }) => {
      const begun = await firstStep(call(account.login, input))
      if (!begun.isDone) return begun
      signIn(begun.user, 'password')
      // The account says whether the initial password is still set; the login does not depend on this call.
      const self = await call(account.self, {}).catch(() => null)
      return { isDone: true, hasDefaultPassword: self?.default_password === true } as const
    },
    onSuccess: (begun) => {
      if (!begun.isDone) return onSecondStep(begun.secondStep)
      const { hasDefaultPassword } = begun
      showToast('success', t('login.done'))
      if (hasDefaultPassword) showToast('warning', t(passwordToasts.default))
      router.history.push(withBasePath(hasDefaultPassword ? '/user/edit' : afterLogin(from)))
    },
  })
}
