import type { ReactNode } from 'react'
import { abbreviate, exactQuota, formatQuota, group } from '../../lib/quota.ts'
import { useMoney } from '../../lib/status.ts'
import { useLocale, useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { formatRelative, formatTime, formatUtc } from '../../lib/time.ts'
import { DataText } from '../data-text.tsx'
import { StatusBadge, type StatusLooks } from '../status-badge.tsx'
import type { Column } from './column.ts'

interface ColumnSpec<Row, Value> extends Pick<Column<Row>, 'id' | 'header' | 'isHiddenAtFirst' | 'isFlexible'> {
  readonly value: (row: Row) => Value
}

/** A text; long ones are cut, with the whole text in the tooltip. */
export function textColumn<Row>({
  value,
  isStrong = false,
  ...rest
}: ColumnSpec<Row, string> & { readonly isStrong?: boolean }): Column<Row> {
  const width = rest.isFlexible === true ? '' : 'max-w-(--text-cell)'
  return { ...rest, cell: (row) => <DataText text={value(row)} className={cx(width, isStrong && 'font-medium')} />, sortValue: value }
}

export function idColumn<Row extends { readonly id: number }>(header: string): Column<Row> {
  return { id: 'id', header, cell: ({ id }) => <span className="text-muted tabular">{id}</span>, sortValue: ({ id }) => id }
}

/** A count, abbreviated, with the exact number in the tooltip. */
export function numberColumn<Row>({ value, ...rest }: ColumnSpec<Row, number>): Column<Row> {
  return { ...rest, cell: (row) => <span title={group(value(row))}>{abbreviate(value(row))}</span>, sortValue: value, isNumber: true }
}

/** An amount of quota, as money if the server is set so. */
export function quotaColumn<Row>({ value, ...rest }: ColumnSpec<Row, number>): Column<Row> {
  return { ...rest, cell: (row) => <QuotaText quota={value(row)} />, sortValue: value, isNumber: true }
}

export function QuotaText({ quota }: { readonly quota: number }) {
  const money = useMoney()
  return <span title={exactQuota(quota, money)}>{formatQuota(quota, money)}</span>
}

interface TimeSpec<Row> extends ColumnSpec<Row, number> {
  /** Shown instead of 0 and -1. */
  readonly never?: string
}

/** A time in seconds since the epoch. */
export function timeColumn<Row>({ value, never, ...rest }: TimeSpec<Row>): Column<Row> {
  const isNever = (row: Row): boolean => never !== undefined && value(row) <= 0
  return {
    ...rest,
    cell: (row): ReactNode => (isNever(row) ? <span className="text-muted">{never}</span> : <TimeText seconds={value(row)} />),
    sortValue: (row) => (isNever(row) ? null : value(row)),
  }
}

export function TimeText({ seconds }: { readonly seconds: number }) {
  const locale = useLocale()
  return (
    <span title={`${formatRelative(seconds, { nowMs: Date.now(), locale })} · ${formatUtc(seconds)}`} className="text-muted">
      {formatTime(seconds)}
    </span>
  )
}

/** When something ends; -1 = never. */
export function ExpiryText({ seconds }: { readonly seconds: number }) {
  const t = useT()
  return seconds === -1 ? <span className="text-muted">{t('time.never')}</span> : <TimeText seconds={seconds} />
}

interface StatusSpec<Row> extends Pick<Column<Row>, 'header'> {
  readonly looks: StatusLooks
  /** Without it, the status of the row. */
  readonly value?: (row: Row) => number
}

export function statusColumn<Row extends { readonly status: number }>({
  header,
  looks,
  value = ({ status }) => status,
}: StatusSpec<Row>): Column<Row> {
  return {
    id: 'status',
    header,
    cell: (row) => <StatusBadge looks={looks} status={value(row)} />,
    sortValue: value,
  }
}
