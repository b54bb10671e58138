import { oauth } from '@sluice/contract'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { explain } from '../../lib/api.ts'
import { type LoginMethod, lastLoginMethod } from '../../lib/login-method.ts'
import { isOffered, type OauthProvider } from '../../lib/oauth.ts'
import { useStatus } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall } from '../../lib/use-call.ts'
import { useOauth } from '../../lib/use-oauth.ts'
import { useSignIn } from '../../lib/use-sign-in.ts'
import { Button } from '../../ui/button.tsx'
import { ServiceIcon } from '../../ui/service-icon.tsx'
import { WechatDialog } from '../../ui/wechat-dialog.tsx'

const providers: readonly OauthProvider[] = ['github', 'lark']

/** Buttons for the logins by other services that the server offers. */
export function OtherLogins({ hasForm }: { readonly hasForm: boolean }) {
  const t = useT()
  const status = useStatus()
  const { leave, leavingFor } = useOauth()
  const offered = providers.filter((provider) => isOffered(provider, status))
  const hasWechat = status.wechat_login === true
  if (offered.length === 0 && !hasWechat) return null
  return (
    <div className="space-y-2">
      {hasForm ? <Divider>{t('login.or')}</Divider> : null}
      {offered.map((provider) => (
        <MethodButton key={provider} method={provider} isBusy={leavingFor === provider} onClick={() => leave(provider)}>
          {t(`login.by.${provider}`)}
        </MethodButton>
      ))}
      {hasWechat ? <WechatLogin /> : null}
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

function WechatLogin() {
  const t = useT()
  const navigate = useNavigate()
  const signIn = useSignIn()
  const [isOpen, setOpen] = useState(false)
  const login = useCall(oauth.wechat, {
    onDone: async (user) => {
      signIn(user, 'wechat')
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
