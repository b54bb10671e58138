import { type TokenRow, tokenLimitNames } from '@sluice/contract'
import { useMemo } from 'react'
import { type Translate, useT } from '../../lib/t.ts'
import { formatTime } from '../../lib/time.ts'
import type { Column } from '../../ui/table/column.ts'
import { ExpiryCell, KeyCell, RemainCell, TimeCell, UsedCell } from './token-cells.tsx'
import { statusLook, TokenStatusBadge } from './token-status.tsx'

/** Sorts unlimited values after all others. */
const endless = Number.MAX_SAFE_INTEGER

export function useTokenColumns(onCopyKey: (row: TokenRow) => void): readonly Column<TokenRow>[] {
  const t = useT()
  return useMemo(
    () => [
      {
        id: 'name',
        header: t('token.name'),
        cell: (row) => (
          <span className="block max-w-44 truncate font-medium" title={row.name}>
            {row.name}
          </span>
        ),
        sortValue: (row) => row.name,
      },
      {
        id: 'status',
        header: t('token.status'),
        cell: (row) => <TokenStatusBadge status={row.status} />,
        sortValue: (row) => row.status,
        csv: (row) => t(statusLook(row.status).text),
      },
      { id: 'key', header: t('token.key'), cell: (row) => <KeyCell row={row} onCopy={onCopyKey} /> },
      { id: 'used', header: t('token.used'), cell: (row) => <UsedCell row={row} />, sortValue: (row) => row.used_quota, isNumber: true },
      {
        id: 'remain',
        header: t('token.remain'),
        cell: (row) => <RemainCell row={row} />,
        sortValue: (row) => (row.unlimited_quota ? endless : row.remain_quota),
        csv: (row) => (row.unlimited_quota ? t('word.unlimited') : row.remain_quota),
        isNumber: true,
      },
      {
        id: 'created',
        header: t('token.created'),
        cell: (row) => <TimeCell seconds={row.created_time} />,
        sortValue: (row) => row.created_time,
        csv: (row) => formatTime(row.created_time),
      },
      {
        id: 'accessed',
        header: t('token.accessed'),
        cell: (row) => <TimeCell seconds={row.accessed_time} />,
        sortValue: (row) => row.accessed_time,
        csv: (row) => formatTime(row.accessed_time),
        isHiddenAtFirst: true,
      },
      {
        id: 'expires',
        header: t('token.expires'),
        cell: (row) => <ExpiryCell row={row} />,
        sortValue: (row) => (row.expired_time === -1 ? endless : row.expired_time),
        csv: (row) => (row.expired_time === -1 ? t('time.never') : formatTime(row.expired_time)),
      },
      {
        id: 'limits',
        header: t('token.section.rate'),
        cell: (row) => <span className="text-muted">{limitsText(row, t)}</span>,
        csv: (row) => limitsText(row, t),
        isHiddenAtFirst: true,
      },
    ],
    [t, onCopyKey],
  )
}

/** The limits in short form, separated. */
function limitsText(row: TokenRow, t: Translate): string {
  const limited = tokenLimitNames.filter((name) => row[name] > 0)
  return limited.length === 0
    ? t('token.limits.none')
    : limited.map((name) => t(`token.limits.${name}.short`, { limit: row[name] })).join(' · ')
}
