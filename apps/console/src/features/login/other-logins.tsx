import { type InputOf, oauth, passkey } from '@sluice/contract'
import { useMutation } from '@tanstack/react-query'
import { useLocation, useNavigate, useRouter } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { call, explain } from '../../lib/api.ts'
import { withBasePath } from '../../lib/base-path.ts'
import { firstStep } from '../../lib/first-step.ts'
import { type LoginMethod, lastLoginMethod } from '../../lib/login-method.ts'
import { isOffered, type OauthProvider, oidcNameOf } from '../../lib/oauth.ts'
import { askForPasskey, canUsePasskeys } from '../../lib/passkey.ts'
import { useStatus } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useOauth } from '../../lib/use-oauth.ts'
import { useSignIn } from '../../lib/use-sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { ServiceIcon } from '../../ui/service-icon.tsx'
import { WechatDialog } from '../../ui/wechat-dialog.tsx'
import { afterLogin } from './after-login.ts'

const providers: readonly OauthProvider[] = ['github', 'google', 'oidc', 'lark']

/** Buttons for the logins by other services that the server offers. */
interface OtherLoginsProps {
  readonly hasForm: boolean
  /** The service knows the person, and the account requires a second factor. */
  readonly onSecondStep: (steps: string) => void
}

export function OtherLogins({ hasForm, onSecondStep }: OtherLoginsProps) {
  const t = useT()
  const status = useStatus()
  const { leave, leavingFor } = useOauth()
  const offered = providers.filter((provider) => isOffered(provider, status))
  const hasWechat = status.wechat_login === true
  const hasPasskey = canUsePasskeys()
  if (offered.length === 0 && !hasWechat && !hasPasskey) return null
  return (
    <div className="space-y-2">
      {hasForm ? <Divider>{t('login.or')}</Divider> : null}
      {hasPasskey ? <PasskeyLogin /> : null}
      {offered.map((provider) => (
        <MethodButton key={provider} method={provider} isBusy={leavingFor === provider} onClick={() => leave(provider)}>
          {t(`login.by.${provider}`, { name: oidcNameOf(status) })}
        </MethodButton>
      ))}
      {hasWechat ? <WechatLogin onSecondStep={onSecondStep} /> : null}
    </div>
  )
}

function Divider({ children }: { readonly children: ReactNode }) {
  return (
    <p className="flex items-center gap-3 pb-2 text-sm text-muted before:h-px before:flex-1 before:bg-line after:h-px after:flex-1 after:bg-line">
      {children}
    </p>
  )
}

interface MethodButtonProps {
  readonly method: Exclude<LoginMethod, 'password'>
  readonly isBusy?: boolean
  readonly onClick: () => void
  readonly children: ReactNode
}

function MethodButton({ method, isBusy = false, onClick, children }: MethodButtonProps) {
  const t = useT()
  const [last] = useState(lastLoginMethod)
  return (
    <Button isBusy={isBusy} onClick={onClick} className="w-full">
      {isBusy ? null : <ServiceIcon service={method} />}
      {children}
      {last === method ? <span className="font-normal text-muted">· {t('login.last')}</span> : null}
    </Button>
  )
}

/** Without a name: the passkey identifies its owner. */
function PasskeyLogin() {
  const t = useT()
  const router = useRouter()
  const signIn = useSignIn()
  const from = useLocation({ select: ({ state }) => state.from })
  const login = useMutation({
    mutationFn: async () => {
      const credential = await askForPasskey(false)
      return credential === null ? null : await call(passkey.login, { credential })
    },
    onSuccess: (user) => {
      if (user === null) return
      signIn(user, 'passkey')
      showToast('success', t('login.done'))
      router.history.push(withBasePath(afterLogin(from)))
    },
  })
  return (
    <MethodButton method="passkey" isBusy={login.isPending} onClick={() => (login.isPending ? undefined : login.mutate())}>
      {t('login.by.passkey')}
    </MethodButton>
  )
}

function WechatLogin({ onSecondStep }: Pick<OtherLoginsProps, 'onSecondStep'>) {
  const t = useT()
  const navigate = useNavigate()
  const signIn = useSignIn()
  const [isOpen, setOpen] = useState(false)
  const login = useMutation({
    mutationFn: (input: InputOf<typeof oauth.wechat>) => firstStep(call(oauth.wechat, input)),
    onSuccess: async (begun) => {
      if (!begun.isDone) return onSecondStep(begun.secondStep)
      signIn(begun.user, 'wechat')
      showToast('success', t('login.done'))
      await navigate({ to: '/' })
    },
  })
  const close = () => {
    setOpen(false)
    login.reset()
  }
  return (
    <>
      <MethodButton method="wechat" onClick={() => setOpen(true)}>
        {t('login.by.wechat')}
      </MethodButton>
      <WechatDialog
        title={t('login.by.wechat')}
        submitLabel={t(login.isPending ? 'login.busy' : 'login.submit')}
        isOpen={isOpen}
        onClose={close}
        isBusy={login.isPending}
        refusal={login.error === null ? null : (explain(login.error)?.text ?? null)}
        onCode={({ code, turnstile }) => login.mutate({ code, ...(turnstile !== '' && { turnstile }) })}
      />
    </>
  )
}
