import { ledger } from '@sluice/contract'
import { Link } from '@tanstack/react-router'
import { useT } from '../lib/t.ts'
import { useRead } from '../lib/use-call.ts'
import { Alert } from '../ui/alert.tsx'

/** For root: how many charges wait for a decision. */
export function SetAsideNotice() {
  const t = useT()
  const { data: { set_aside: count } = { set_aside: 0 } } = useRead(ledger.check, { input: {}, freshMs: 60_000, isSilent: true })
  if (count === 0) return null
  return (
    <Alert
      kind="warning"
      title={t('aside.notice', { count })}
      action={
        <Link to="/log/set-aside" search={{ state: 'open' }} className="shrink-0 font-medium underline">
          {t('aside.notice.go')}
        </Link>
      }
    >
      {t('aside.notice.text')}
    </Alert>
  )
}
