import { type LogRow, log } from '@sluice/contract'
import { useQueryClient } from '@tanstack/react-query'
import { ScrollText } from 'lucide-react'
import { useRef, useState } from 'react'
import type { Preload } from '../../lib/preload.ts'
import { abbreviate } from '../../lib/quota.ts'
import { refetch } from '../../lib/reads.ts'
import { useSession } from '../../lib/session.ts'
import { type Translate, useT } from '../../lib/t.ts'
import { formatTime } from '../../lib/time.ts'
import { preloadOf, useList } from '../../lib/use-list.ts'
import { useRowSheet } from '../../lib/use-row-sheet.ts'
import { ButtonLink } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { detailsAction, type RowAction } from '../../ui/table/actions.ts'
import type { Card } from '../../ui/table/column.ts'
import { DataTable } from '../../ui/table/data-table.tsx'
import { LiveToggle, WaitingRows } from './live-controls.tsx'
import { LogChart } from './log-chart.tsx'
import { QuotaCell, TypeBadge } from './log-format.tsx'
import { LogSheet } from './log-sheet.tsx'
import { LogToolbar } from './log-toolbar.tsx'
import { LogTotal } from './log-total.tsx'
import { useHold } from './use-hold.ts'
import { useLiveLog } from './use-live-log.ts'
import { useLogColumns } from './use-log-columns.tsx'
import { seriesEndpoint, startSeries } from './use-log-series.ts'
import { filtersIn, listOf, useLogFilters, useLogTotal } from './use-logs.ts'

const preloadList = preloadOf(listOf)

export const preload: Preload = (client, search, params) => {
  preloadList(client, search, params)
  startSeries(client, filtersIn(search))
}

export function LogPage() {
  const t = useT()
  const client = useQueryClient()
  const { isAdmin } = useSession()
  const { values: filters, set, clear } = useLogFilters()
  const [isTotalShown, setTotalVisible] = useState(false)
  const total = useLogTotal(filters, isTotalShown)
  const list = useList(listOf(filters))
  const sheet = useRowSheet<LogRow>(list, isAdmin ? log.read : log.readSelf)
  const region = useRef<HTMLDivElement>(null)
  const isHeld = useHold(region)
  const live = useLiveLog({ list, filters, isHeld: isHeld || sheet.isOpen })
  const isFirstRun = list.rows.length === 0 && !list.isLoading && list.error === null && clear === null
  const refresh = () => {
    list.refresh()
    void refetch(client, seriesEndpoint(isAdmin))
    if (isTotalShown) void total.refetch()
  }
  return (
    <Page
      title={t('log.title')}
      lead={t(isAdmin ? 'log.lead' : 'log.lead.own')}
      action={<LogTotal total={total} isShown={isTotalShown} onShow={setTotalVisible} />}
    >
      <div ref={region}>
        <DataTable
          list={{ ...list, refresh }}
          label={t('log.title')}
          columns={useLogColumns()}
          card={logCard}
          rowActions={useDetails(sheet.open)}
          onOpen={sheet.open}
          toolbar={<LogToolbar filters={filters} set={set} clear={clear} live={<LiveToggle live={live} />} isLive={live.isOn} />}
          beforeRows={
            <>
              {isFirstRun ? null : <LogChart filters={filters} set={set} isLive={live.isOn} />}
              <WaitingRows live={live} />
            </>
          }
          isLive={live.isOn}
          {...(clear !== null && { clearFilters: clear })}
          empty={<NoLogs />}
          keepsToolbar
        />
      </div>
      <LogSheet sheet={sheet} />
    </Page>
  )
}

/** The button that opens a row; a click on the row does the same. */
function useDetails(open: (row: LogRow) => void): (row: LogRow) => readonly RowAction[] {
  const t = useT()
  return (row) => [{ ...detailsAction(t('action.details'), () => open(row)), isInline: true }]
}

const logCard = (t: Translate): Card<LogRow> => ({
  title: (row) => formatTime(row.created_at),
  badge: (row) => <TypeBadge row={row} />,
  facts: (row) =>
    [
      { label: t('log.column.model'), value: row.model_name, isThere: row.model_name !== '' },
      { label: t('log.column.quota'), value: <QuotaCell quota={row.quota} />, isThere: row.quota !== 0 },
      { label: t('log.column.token'), value: row.token_name, isThere: row.token_name !== '' },
      { label: t('log.sheet.usage'), value: t('log.card.usage', usageOf(row)), isThere: row.prompt_tokens + row.completion_tokens !== 0 },
      { label: t('log.column.detail'), value: row.content, isThere: row.model_name === '' && row.content !== '' },
    ].filter(({ isThere }) => isThere),
})

function usageOf({ prompt_tokens, completion_tokens }: LogRow) {
  return { prompt: abbreviate(prompt_tokens), completion: abbreviate(completion_tokens) }
}

function NoLogs() {
  const t = useT()
  return (
    <EmptyState
      icon={<ScrollText />}
      title={t('log.empty')}
      text={t('log.empty.text')}
      action={<ButtonLink to="/token">{t('log.empty.go')}</ButtonLink>}
    />
  )
}
