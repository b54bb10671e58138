import { CircleAlert, CircleCheck, CircleDashed, CircleHelp, type LucideIcon } from 'lucide-react'
import { exactQuota, formatQuota } from '../../lib/quota.ts'
import { useMoney } from '../../lib/status.ts'
import { type Translate, useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import type { CodeResult, CodeRow } from './redeem-codes.ts'

const looks: Readonly<Record<CodeResult['kind'], { readonly icon: LucideIcon; readonly color: string }>> = {
  added: { icon: CircleCheck, color: 'text-green' },
  refused: { icon: CircleAlert, color: 'text-red' },
  unknown: { icon: CircleHelp, color: 'text-yellow' },
  waiting: { icon: CircleDashed, color: 'text-muted' },
}

/** What became of each code. */
export function CodeResults({ rows, isBusy }: { readonly rows: readonly CodeRow[]; readonly isBusy: boolean }) {
  const t = useT()
  const money = useMoney()
  return (
    <ul aria-label={t('topup.results')} aria-live="polite" className="divide-y border-t empty:border-t-0">
      {rows.map(({ code, result }) => {
        const { icon: Icon, color } = looks[result.kind]
        return (
          <li key={code} className="flex items-start gap-2.5 px-4 py-2 text-sm">
            <Icon aria-hidden className={cx('mt-0.5 size-4 shrink-0', color)} />
            <code title={code} className="max-w-1/2 shrink-0 truncate font-mono">
              {code}
            </code>
            <span
              title={result.kind === 'added' ? exactQuota(result.quota, money) : undefined}
              className={cx('ml-auto min-w-0 text-right break-words tabular', result.kind === 'added' ? 'text-green' : 'text-muted')}
            >
              {result.kind === 'added' ? `+${formatQuota(result.quota, money)}` : textOf(result, { isBusy, t })}
            </span>
          </li>
        )
      })}
    </ul>
  )
}

function textOf(
  result: Exclude<CodeResult, { kind: 'added' }>,
  { isBusy, t }: { readonly isBusy: boolean; readonly t: Translate },
): string {
  if (result.kind !== 'waiting') return result.text
  return t(isBusy ? 'topup.waiting' : 'topup.notSent')
}
