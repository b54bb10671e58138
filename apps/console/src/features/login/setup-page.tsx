import { account } from '@sluice/contract'
import { useMutation } from '@tanstack/react-query'
import { useLocation, useNavigate, useRouter } from '@tanstack/react-router'
import { call, explain } from '../../lib/api.ts'
import { withBasePath } from '../../lib/base-path.ts'
import { firstStep } from '../../lib/first-step.ts'
import { passwordToasts } from '../../lib/password-warning.ts'
import { builtInName, useStatus } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useSignIn } from '../../lib/use-sign-in.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button } from '../../ui/button.tsx'
import { TextLink } from '../../ui/text-link.tsx'
import { VisitorPage } from './visitor-page.tsx'

/** Where the setup link leads. Only the button sends the secret: programs that open a link to show a preview of it press none. */
export function SetupPage() {
  const t = useT()
  const { system_name } = useStatus()
  const secret = useLocation({ select: ({ hash }) => hash })
  return (
    <VisitorPage
      title={t('setup.title', { name: system_name || builtInName })}
      name={t('setup.name')}
      {...(secret !== '' && { lead: t('setup.lead') })}
      below={<TextLink to="/login">{t('reset.back')}</TextLink>}
    >
      {secret === '' ? <Alert kind="warning">{t('setup.broken')}</Alert> : <SetupButton secret={secret} />}
    </VisitorPage>
  )
}

function SetupButton({ secret }: { readonly secret: string }) {
  const t = useT()
  const setup = useSetup(secret)
  const refusal = setup.error === null ? null : explain(setup.error)
  const isSent = setup.isPending || setup.isSuccess
  return (
    <div className="space-y-4">
      {refusal === null ? null : <Alert kind="error">{refusal.text}</Alert>}
      <Button look="primary" className="w-full" isBusy={isSent} onClick={() => setup.mutate()}>
        {t(isSent ? 'login.busy' : 'setup.submit')}
      </Button>
    </div>
  )
}

function useSetup(secret: string) {
  const t = useT()
  const signIn = useSignIn()
  const router = useRouter()
  const navigate = useNavigate()
  return useMutation({
    // The page itself says why it failed.
    meta: { failure: 'silent' },
    mutationFn: () => firstStep(call(account.setup, { secret })),
    onSuccess: (begun) => {
      // The secret leaves the history of the browser.
      if (!begun.isDone) return void navigate({ to: '/login', replace: true, state: { secondStep: begun.secondStep } })
      signIn(begun.user, 'password')
      showToast('success', t('login.done'))
      showToast('warning', t(passwordToasts.setup))
      router.history.replace(withBasePath('/user/edit'))
    },
  })
}
