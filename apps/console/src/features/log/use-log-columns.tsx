import type { AdminLogRow, LogRow } from '@sluice/contract'
import { useMemo } from 'react'
import { useSession } from '../../lib/session.ts'
import { type Translate, useT } from '../../lib/t.ts'
import { DataText } from '../../ui/data-text.tsx'
import { ShortUsername } from '../../ui/short-username.tsx'
import { statusText } from '../../ui/status-badge.tsx'
import type { Column } from '../../ui/table/column.ts'
import { CountCell, EndBadge, formatDuration, QuotaCell, TimeCell, TypeBadge } from './log-format.tsx'
import { endLooks, logKindOf, logLooks } from './log-looks.ts'

/** The columns of the specification, then further columns of a request, which are hidden at first. */
export function useLogColumns(): readonly Column<LogRow>[] {
  const t = useT()
  const { isAdmin } = useSession()
  return useMemo(
    () => [
      ...whenAndWho(t).filter(({ isForAdmins }) => isAdmin || !isForAdmins),
      ...what(t),
      ...amounts(t),
      detail(t),
      ...(isAdmin ? [cost(t)] : []),
      ...course(t),
    ],
    [t, isAdmin],
  )
}

type Words = (row: LogRow) => string

/** A column that shows a text, sorts by it and exports it; empty texts are sorted last. */
function textColumn(id: string, header: string, value: Words): Column<LogRow> {
  return { id, header, cell: value, sortValue: (row) => value(row) || null }
}

function countColumn(id: string, header: string, value: (row: LogRow) => number): Column<LogRow> {
  return {
    id,
    header,
    cell: (row) => <CountCell count={value(row)} />,
    sortValue: (row) => value(row) || null,
    isNumber: true,
  }
}

function whenAndWho(t: Translate): readonly (Column<LogRow> & { readonly isForAdmins?: boolean })[] {
  return [
    {
      id: 'time',
      header: t('log.column.time'),
      cell: (row) => <TimeCell seconds={row.created_at} />,
      sortValue: (row) => row.created_at,
    },
    {
      id: 'channel',
      header: t('log.column.channel'),
      cell: (row) => row.channel || null,
      sortValue: (row) => row.channel || null,
      isNumber: true,
      isForAdmins: true,
    },
    {
      ...textColumn('user', t('log.column.user'), (row) => row.username),
      cell: (row) => <ShortUsername name={row.username} />,
      isForAdmins: true,
    },
    {
      ...textColumn('token', t('log.column.token'), (row) => row.token_name),
      cell: (row) => <DataText text={row.token_name} className="max-w-32" />,
    },
  ]
}

function what(t: Translate): readonly Column<LogRow>[] {
  return [
    {
      ...textColumn('type', t('log.column.type'), (row) => statusText(logLooks, logKindOf(row), t)),
      cell: (row) => <TypeBadge row={row} />,
    },
    {
      ...textColumn('model', t('log.column.model'), (row) => row.model_name),
      cell: (row) => <DataText text={row.model_name} className="max-w-48" />,
    },
  ]
}

function amounts(t: Translate): readonly Column<LogRow>[] {
  return [
    countColumn('prompt', t('log.column.prompt'), (row) => row.prompt_tokens),
    countColumn('completion', t('log.column.completion'), (row) => row.completion_tokens),
    { ...countColumn('quota', t('log.column.quota'), (row) => row.quota), cell: (row) => <QuotaCell quota={row.quota} /> },
  ]
}

function detail(t: Translate): Column<LogRow> {
  return {
    ...textColumn('detail', t('log.column.detail'), (row) => row.content),
    cell: (row) => <DataText text={row.content} className="text-muted" />,
    isFlexible: true,
  }
}

/** What the vendor charges; blank where that is not known. */
function cost(t: Translate): Column<LogRow & Partial<Pick<AdminLogRow, 'cost'>>> {
  return {
    id: 'cost',
    header: t('log.column.cost'),
    cell: (row) => (row.cost == null ? null : <QuotaCell quota={row.cost} />),
    sortValue: (row) => row.cost ?? null,
    isNumber: true,
    isHiddenAtFirst: true,
  }
}

function course(t: Translate): readonly Column<LogRow>[] {
  const columns: readonly Column<LogRow>[] = [
    countColumn('cached', t('log.column.cached'), (row) => row.cached_tokens),
    durationColumn('elapsed', t, (row) => row.elapsed_time),
    durationColumn('first_byte', t, (row) => row.first_byte_time),
    {
      ...textColumn('end', t('log.column.end'), (row) => statusText(endLooks, row.end_reason, t)),
      cell: (row) => <EndBadge reason={row.end_reason} />,
    },
    {
      ...textColumn('request', t('log.column.request'), (row) => row.request_id),
      cell: (row) => <span className="font-mono text-xs">{row.request_id}</span>,
    },
  ]
  return columns.map((column) => ({ ...column, isHiddenAtFirst: true }))
}

function durationColumn(id: 'elapsed' | 'first_byte', t: Translate, value: (row: LogRow) => number): Column<LogRow> {
  const header = t(id === 'elapsed' ? 'log.column.elapsed' : 'log.column.firstByte')
  return { ...countColumn(id, header, value), cell: (row) => formatDuration(value(row), t) }
}
