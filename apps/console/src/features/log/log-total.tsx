import { Eye, EyeOff } from 'lucide-react'
import { abbreviate, exactQuota, formatQuota, group } from '../../lib/quota.ts'
import { useMoney } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { IconButton } from '../../ui/button.tsx'
import type { useLogTotal } from './use-logs.ts'

interface LogTotalProps {
  readonly total: ReturnType<typeof useLogTotal>
  readonly isShown: boolean
  readonly onShow: (isShown: boolean) => void
}

/** The total cost of all matching rows. Hidden at first: others may see the screen, and the server has to compute a sum. */
export function LogTotal({ total, isShown, onShow }: LogTotalProps) {
  const t = useT()
  const Icon = isShown ? EyeOff : Eye
  return (
    <div className="flex h-9 items-center gap-3 rounded-md border bg-surface pr-1 pl-3 touch:h-11">
      <span className="text-muted">{t('log.total')}</span>
      <span
        role="status"
        aria-busy={isShown && total.isFetching}
        className={cx('min-w-16 tabular', total.isPlaceholderData && 'opacity-60')}
      >
        {isShown ? <Amount total={total} /> : <Dots />}
      </span>
      <IconButton label={t(isShown ? 'log.total.hide' : 'log.total.show')} onClick={() => onShow(!isShown)}>
        <Icon aria-hidden className="size-4" />
      </IconButton>
    </div>
  )
}

function Dots() {
  const t = useT()
  return (
    <>
      <span aria-hidden className="tracking-widest text-faint">
        ••••••
      </span>
      <span className="sr-only">{t('log.total.hidden')}</span>
    </>
  )
}

function Amount({ total: { data, isError } }: Pick<LogTotalProps, 'total'>) {
  const t = useT()
  const money = useMoney()
  if (isError) return <span className="text-red">{t('log.total.failed')}</span>
  if (data === undefined) return null
  return (
    <>
      <span title={exactQuota(data.quota, money)} className="text-lg font-semibold">
        {formatQuota(data.quota, money)}
      </span>
      <span title={group(data.token)} className="ml-2 text-sm text-muted">
        {t('log.total.usage', { count: abbreviate(data.token) })}
      </span>
    </>
  )
}
