import { useRouter } from '@tanstack/react-router'
import { type AccountChange, forgetRefused } from '../lib/session.ts'
import { useT } from '../lib/t.ts'
import { Alert } from '../ui/alert.tsx'
import { Button } from '../ui/button.tsx'

/** Above a page whose account another tab has logged out, or replaced by another: what was typed stays, to be copied. */
export function OtherAccount({ own, now }: AccountChange) {
  const t = useT()
  const router = useRouter()
  const load = () => {
    forgetRefused()
    location.reload()
  }
  const logIn = () => void router.navigate({ to: '/login', state: { from: router.state.location.href } })
  const [title, text, action, act] =
    now === null
      ? [t('other.none'), t('other.none.text', { own }), t('other.login'), logIn]
      : now === ''
        ? [t('other.title.unknown'), t('other.text', { own }), t('other.login'), load]
        : [t('other.title', { name: now }), t('other.text', { own }), t('other.load', { name: now }), load]
  return (
    <div role="alert" className="sticky top-14 z-20 mb-4 rounded-md bg-canvas">
      <Alert kind="warning" title={title}>
        <p className="max-w-prose">{text}</p>
        <Button size="sm" className="mt-2" onClick={act}>
          {action}
        </Button>
      </Alert>
    </div>
  )
}
