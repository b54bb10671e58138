import { type TokenRow, tokenLimitNames } from '@sluice/contract'
import { useMemo } from 'react'
import { type Translate, useT } from '../../lib/t.ts'
import type { Column } from '../../ui/table/column.ts'
import { statusColumn, textColumn, timeColumn } from '../../ui/table/column-builders.tsx'
import { QuotaCell } from '../../ui/table/quota-cell.tsx'
import { ExpiryCell, KeyCell, RemainCell, UsedCell } from './token-cells.tsx'
import { tokenLooks } from './token-looks.ts'

/** Sorts unlimited values after all others. */
const endless = Number.MAX_SAFE_INTEGER

interface TokenColumns {
  readonly onCopyKey: (row: TokenRow) => void
  /** Sends the amount with the one that the row showed, so that the server applies the difference. */
  readonly onQuota: (row: TokenRow, quota: number) => Promise<unknown>
}

export function useTokenColumns({ onCopyKey, onQuota }: TokenColumns): readonly Column<TokenRow>[] {
  const t = useT()
  return useMemo(
    () => [
      textColumn({ id: 'name', header: t('token.name'), value: (row) => row.name, isStrong: true, isFlexible: true }),
      statusColumn({ header: t('token.status'), looks: tokenLooks }),
      { id: 'key', header: t('token.key'), cell: (row) => <KeyCell row={row} onCopy={onCopyKey} /> },
      { id: 'used', header: t('token.used'), cell: (row) => <UsedCell row={row} />, sortValue: (row) => row.used_quota, isNumber: true },
      {
        id: 'remain',
        header: t('token.remain'),
        cell: (row) =>
          row.unlimited_quota ? (
            <RemainCell row={row} />
          ) : (
            <QuotaCell label={t('token.remain.of', { name: row.name })} quota={row.remain_quota} onSave={(quota) => onQuota(row, quota)} />
          ),
        sortValue: (row) => (row.unlimited_quota ? endless : row.remain_quota),
        isNumber: true,
      },
      timeColumn({ id: 'created', header: t('token.created'), value: (row) => row.created_time }),
      timeColumn({ id: 'accessed', header: t('token.accessed'), value: (row) => row.accessed_time, isHiddenAtFirst: true }),
      {
        id: 'expires',
        header: t('token.expires'),
        cell: (row) => <ExpiryCell row={row} />,
        sortValue: (row) => (row.expired_time === -1 ? endless : row.expired_time),
      },
      {
        id: 'limits',
        header: t('token.section.rate'),
        cell: (row) => <span className="text-muted">{limitsText(row, t)}</span>,
        isHiddenAtFirst: true,
      },
    ],
    [t, onCopyKey, onQuota],
  )
}

/** The limits in short form, separated. */
function limitsText(row: TokenRow, t: Translate): string {
  const limited = tokenLimitNames.filter((name) => row[name] > 0)
  return limited.length === 0
    ? t('token.limits.none')
    : limited.map((name) => t(`token.limits.${name}.short`, { limit: row[name] })).join(' · ')
}
