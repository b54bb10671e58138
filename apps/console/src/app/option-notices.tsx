import { type DataOf, option } from '@sluice/contract'
import { useQueryClient } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { readAgain } from '../lib/reads.ts'
import { useT } from '../lib/t.ts'
import { showToast } from '../lib/toasts.ts'
import { useCall, useRead } from '../lib/use-call.ts'
import { Alert } from '../ui/alert.tsx'
import { Button } from '../ui/button.tsx'

type Waiting = DataOf<typeof option.waiting>

/** For root: what options need. */
export function OptionNotices() {
  const { data: waiting } = useRead(option.waiting, { input: {}, freshMs: 60_000 })
  if (waiting === undefined) return null
  return (
    <>
      {waiting.answers_any_host ? <AnyHost /> : null}
      {waiting.options.length === 0 ? null : <WaitingOptions waiting={waiting} />}
    </>
  )
}

function AnyHost() {
  const t = useT()
  return (
    <Alert
      kind="warning"
      title={t('hosts.any.title')}
      action={
        <Link to="/setting" search={{ tab: 'system' }} hash="ServerAddress" className="shrink-0 font-medium underline">
          {t('hosts.any.go')}
        </Link>
      }
    >
      {t('hosts.any.text')}
    </Alert>
  )
}

/** Options set by an administrator, which take effect for administrators after root has confirmed them. */
function WaitingOptions({ waiting }: { readonly waiting: Waiting }) {
  const t = useT()
  const client = useQueryClient()
  const confirm = useCall(option.confirm, { onDone: () => showToast('success', t('options.confirmed')) })
  return (
    <Alert
      kind="warning"
      title={t('options.waiting.title')}
      action={
        <Button
          isBusy={confirm.isPending}
          // Options that changed since they were shown are shown again, not confirmed.
          onClick={() => confirm.mutate({ revision: waiting.revision }, { onError: () => void readAgain(client, option.waiting) })}
        >
          {t('options.confirm')}
        </Button>
      }
    >
      <p>{t('options.waiting.text')}</p>
      <ul className="mt-1 space-y-0.5">
        {waiting.options.map(({ key, value, is_secret }) => (
          <li key={key} className="break-all">
            <code>{key}</code>: {is_secret ? t('options.secret') : value || t('options.empty')}
          </li>
        ))}
      </ul>
    </Alert>
  )
}
