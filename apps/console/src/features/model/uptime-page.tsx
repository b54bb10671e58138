import { type DataOf, type ModelState, type ModelStatusRow, model } from '@sluice/contract'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { Activity, EyeOff } from 'lucide-react'
import { useState } from 'react'
import { isRefused } from '../../lib/api.ts'
import { durationText } from '../../lib/duration-text.ts'
import { useFilters } from '../../lib/filters.ts'
import { type Preload, prefetch } from '../../lib/preload.ts'
import { readOptions } from '../../lib/reads.ts'
import { useSession } from '../../lib/session.ts'
import { statusQuery, useStatus } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import { formatTime, formatUtc } from '../../lib/time.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button, buttonClass } from '../../ui/button.tsx'
import { DataList } from '../../ui/data-text.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { ReadGate } from '../../ui/read-gate.tsx'
import { Segments } from '../../ui/segments.tsx'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { SearchField } from '../../ui/table/search-box.tsx'
import { useSearchBox } from '../../ui/table/use-search-box.ts'
import { Incidents } from './incidents.tsx'
import { modelLooks } from './model-looks.ts'
import { Legend, shareText, UptimeBars } from './uptime-bars.tsx'
import { UptimeBones } from './uptime-bones.tsx'
import { uptimeFilters } from './uptime-search.ts'

type Status = DataOf<typeof model.status>
type Span = 'days' | 'hours'

/** The server responds anew once a minute. */
const freshMs = 60_000

export const preload: Preload = (client) => {
  if (client.getQueryData(statusQuery.queryKey)?.status_page === true) prefetch(client, readOptions(model.status, {}, { freshMs }))
}

/** Whether the models work, and how well they did. Open to everybody, if an option allows it. */
export function UptimePage() {
  const t = useT()
  const { status_page: isOn = true } = useStatus()
  // The frame loads the status. Until it has, nobody knows whether the server would refuse this read.
  const { isPending } = useQuery({ ...statusQuery, enabled: false })
  const read = useQuery({ ...readOptions(model.status, {}, { freshMs }), refetchInterval: freshMs, enabled: isOn && !isPending })
  return (
    <Page title={t('uptime.title')} lead={t('uptime.lead')}>
      {!isOn || isRefused(read.error) ? (
        <SwitchedOff />
      ) : (
        <ReadGate read={read} isWide skeleton={<UptimeBones />}>
          {(status) => (status.models.length === 0 ? <NoModels /> : <Uptime status={status} refresh={() => void read.refetch()} />)}
        </ReadGate>
      )}
    </Page>
  )
}

/** The server responds to nobody while an option is off, and its status says so. */
function SwitchedOff() {
  const t = useT()
  const { isAdmin } = useSession()
  return (
    <div className="rounded-md border bg-surface">
      <EmptyState
        icon={<EyeOff />}
        title={t('uptime.off')}
        text={t(isAdmin ? 'uptime.off.admin' : 'uptime.off.text')}
        action={
          isAdmin ? (
            <Link to="/setting" search={{ tab: 'operations' }} hash="StatusPageEnabled" className={buttonClass({ look: 'primary' })}>
              {t('uptime.off.go')}
            </Link>
          ) : undefined
        }
      />
    </div>
  )
}

function NoModels() {
  const t = useT()
  return (
    <div className="rounded-md border bg-surface">
      <EmptyState icon={<Activity />} title={t('uptime.none')} text={t('uptime.none.text')} />
    </div>
  )
}

/** Fewer models are found without a search. */
const searchedMin = 8

/** Models that are shown at first, and added with each press of the button below. */
const pageRows = 50

function Uptime({ status, refresh }: { readonly status: Status; readonly refresh: () => void }) {
  const t = useT()
  const { values: filters, set: change } = useFilters(uptimeFilters)
  const [visibleCount, setVisibleCount] = useState(pageRows)
  const box = useSearchBox({ keyword: filters.q ?? '', setKeyword: (q) => change({ q }), refresh })
  const span: Span = filters.span ?? 'days'
  const words = (filters.q ?? '').toLowerCase().split(/\s+/)
  const matching = status.models.filter(({ name }) => words.every((word) => name.toLowerCase().includes(word)))
  return (
    <div className="space-y-3">
      <Overall models={status.models} />
      <div className="flex flex-wrap items-center justify-between gap-2">
        {status.models.length < searchedMin && filters.q === undefined ? null : (
          <div className="flex w-full sm:w-72">
            <SearchField box={box} label={t('model.search')} />
          </div>
        )}
        <p role="status" className="text-sm text-muted">
          {t('model.count', { count: matching.length })}
        </p>
        <div className="sm:ml-auto">
          <Segments
            label={t('uptime.span')}
            value={span}
            options={(['days', 'hours'] as const).map((value) => ({ value, label: t(`uptime.span.${value}`) }))}
            onChange={(value) => change({ span: value === 'days' ? undefined : value })}
          />
        </div>
      </div>
      <div className="rounded-md border bg-surface">
        {matching.length === 0 ? (
          <EmptyState title={t('model.nothing')} action={<Button onClick={() => change({ q: '' })}>{t('list.filters.clear')}</Button>} />
        ) : (
          <ul aria-label={t('uptime.title')} className="divide-y">
            {matching.slice(0, visibleCount).map((row) => (
              <Row key={row.name} row={row} span={span} status={status} />
            ))}
          </ul>
        )}
      </div>
      {matching.length > visibleCount ? (
        <div className="flex justify-center">
          <Button onClick={() => setVisibleCount(visibleCount + pageRows)}>{t('model.more')}</Button>
        </div>
      ) : null}
      <Legend />
      <Incidents status={status} names={matching.map(({ name }) => name)} />
    </div>
  )
}

const alertOf = { degraded: 'warning', down: 'error' } as const

/** The first thing that a reader wants to know. */
function Overall({ models }: Pick<Status, 'models'>) {
  const t = useT()
  const troubles = (['down', 'degraded'] as const).map((state) => ({ state, names: namesOf(models, state) }))
  if (troubles.every(({ names }) => names.length === 0)) return <Alert kind="success" title={t('uptime.allUp')} />
  return troubles.map(({ state, names }) =>
    names.length === 0 ? null : (
      <Alert key={state} kind={alertOf[state]} title={t(`uptime.${state}`, { count: names.length, total: models.length })}>
        <Names names={names} />
      </Alert>
    ),
  )
}

const namesOf = (models: readonly ModelStatusRow[], state: ModelState): readonly string[] =>
  models.flatMap((row) => (row.state === state ? [row.name] : []))

/** Names that are read at a glance. */
const namesMax = 10

function Names({ names }: { readonly names: readonly string[] }) {
  const t = useT()
  return (
    <>
      <span className="font-mono text-sm break-all">
        <DataList names={names.slice(0, namesMax)} />
      </span>
      {names.length > namesMax ? ` ${t('uptime.further', { count: names.length - namesMax })}` : null}
    </>
  )
}

interface RowProps {
  readonly row: ModelStatusRow
  readonly span: Span
  readonly status: Pick<Status, 'day' | 'hour'>
}

const slotSeconds = { days: 86_400, hours: 3_600 } as const

function Row({ row, span, status }: RowProps) {
  const t = useT()
  const shares = row[span]
  const last = span === 'days' ? status.day : status.hour
  const timeText = (index: number): string => {
    const start = last - (shares.length - 1 - index) * slotSeconds[span]
    return span === 'days' ? formatUtc(start).slice(0, 10) : formatTime(start).slice(0, 16)
  }
  return (
    <li className="space-y-2 px-4 py-3">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <span className="min-w-0 font-mono text-sm font-medium break-all">{row.name}</span>
        <StatusBadge looks={modelLooks} status={row.state} />
        <span className="flex w-full flex-wrap gap-x-3 text-sm text-muted tabular sm:ml-auto sm:w-auto">
          {row.first_byte === null ? null : (
            <span title={t('uptime.firstByte.hint')}>{t('uptime.firstByte', { time: durationText(row.first_byte, t) })}</span>
          )}
          <span>{shareText(row.totals[span], t)}</span>
        </span>
      </div>
      <UptimeBars
        label={t('uptime.bars', { name: row.name, span: t(`uptime.span.${span}`), share: shareText(row.totals[span], t) })}
        shares={shares}
        timeText={timeText}
      />
      <div aria-hidden className="flex justify-between text-xs text-muted">
        <span>{t(`uptime.from.${span}`)}</span>
        <span>{t(`uptime.to.${span}`)}</span>
      </div>
    </li>
  )
}
