import { logType } from '@sluice/contract'
import type { ReactNode } from 'react'
import type { Filters } from '../../lib/filters.ts'
import { useSession } from '../../lib/session.ts'
import { type Translate, useT } from '../../lib/t.ts'
import { formatTime } from '../../lib/time.ts'
import { FilterBar, type FilterSlot } from '../../ui/filter-bar.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Select } from '../../ui/select.tsx'
import { type LogField, LogFilterForm } from './log-filter-form.tsx'
import { durationBandText, outcomeText } from './log-format.tsx'
import { type LogFilters, type logFilters, rangeNames } from './log-search.ts'

interface LogToolbarProps {
  readonly filters: LogFilters
  readonly set: Filters<typeof logFilters>['set']
  /** `null` = no filter is set. */
  readonly clear: (() => void) | null
  /** Before the chips, so that it stays where it is. */
  readonly live: ReactNode
  /** The watching has a second button. */
  readonly isLive: boolean
}

const typeNumbers = Object.values(logType)

/** Range and type, one click each, and the other filters as chips. */
export function LogToolbar({ filters, set, clear, live, isLive }: LogToolbarProps) {
  const t = useT()
  const { isAdmin } = useSession()
  const hasTimes = filters.start !== undefined || filters.end !== undefined
  const form = (fields: readonly LogField[]) => (onDone: () => void) => <LogFilterForm {...{ fields, filters, set, onDone }} />
  const text = (id: 'token' | 'model' | 'request' | 'error' | 'user' | 'channel'): FilterSlot => ({
    id,
    label: t(`log.${id}`),
    value: filters[id] === undefined ? null : String(filters[id]),
    remove: () => set({ [id]: undefined }),
    form: form([id]),
  })
  const time: FilterSlot = {
    id: 'time',
    label: t('log.time'),
    value: timesText(filters, t),
    remove: () => set({ start: undefined, end: undefined }),
    form: form(['start', 'end']),
  }
  const outcome: FilterSlot = {
    id: 'outcome',
    label: t('log.outcome'),
    value: filters.outcome === undefined ? null : outcomeText(filters.outcome, t),
    remove: () => set({ outcome: undefined }),
    form: form(['outcome']),
  }
  const duration: FilterSlot = {
    id: 'duration',
    label: t('log.duration'),
    value: filters.duration === undefined ? null : durationBandText(filters.duration, t),
    remove: () => set({ duration: undefined }),
    form: form(['duration']),
  }
  const names = ['token', 'model', ...(isAdmin ? (['user', 'channel'] as const) : []), 'request'] as const
  return (
    <>
      <Segments
        label={t('log.range')}
        value={filters.range ?? (hasTimes ? null : 'all')}
        options={(['all', ...rangeNames] as const).map((value) => ({ value, label: t(`log.range.${value}`) }))}
        onChange={(value) => set({ range: value === 'all' ? undefined : value, start: undefined, end: undefined })}
      />
      <Select
        size="sm"
        label={t('log.type')}
        // A chosen type says by itself what it is; the row of a phone has no room for more.
        hidesLabelOnPhones={filters.type !== undefined || isLive}
        value={filters.type ?? logType.all}
        options={typeNumbers.map((value) => ({ value, label: t(`log.type.${value}`) }))}
        onChange={(type) => set({ type: type === logType.all ? undefined : type })}
      />
      {live}
      <FilterBar
        slots={[...names.map(text), outcome, text('error'), duration, time]}
        form={form([...names, 'outcome', 'error', 'duration', 'start', 'end'])}
        clear={clear}
      />
    </>
  )
}

/** The chosen times; `null` = none. */
function timesText({ start, end }: LogFilters, t: Translate): string | null {
  if (start === undefined) return end === undefined ? null : t('log.time.until', { end: formatTime(end) })
  return end === undefined
    ? t('log.time.since', { start: formatTime(start) })
    : t('log.time.between', { start: formatTime(start), end: formatTime(end) })
}
