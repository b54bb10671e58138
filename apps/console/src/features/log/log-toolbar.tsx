import { logType } from '@sluice/contract'
import { ListFilter, X } from 'lucide-react'
import { useRef, useState } from 'react'
import type { Filters } from '../../lib/filters.ts'
import { useKey } from '../../lib/shortcuts.ts'
import { useT } from '../../lib/t.ts'
import { useIsPhone } from '../../lib/use-media.ts'
import { Button } from '../../ui/button.tsx'
import { Segments } from '../../ui/segments.tsx'
import { Select } from '../../ui/select.tsx'
import { Sheet } from '../../ui/sheet.tsx'
import { LogFilterForm } from './log-filter-form.tsx'
import { type LogFilters, type logFilters, rangeNames } from './log-search.ts'

interface FilterProps {
  readonly filters: LogFilters
  readonly set: Filters<typeof logFilters>['set']
}

const typeNumbers = Object.values(logType)

interface LogToolbarProps extends FilterProps {
  /** `null` = no filter is set. */
  readonly clear: (() => void) | null
}

/** Range and type: one click each. */
export function LogToolbar({ filters, set, clear }: LogToolbarProps) {
  const t = useT()
  const hasTimes = filters.start !== undefined || filters.end !== undefined
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
        value={filters.type ?? logType.all}
        options={typeNumbers.map((value) => ({ value, label: t(`log.type.${value}`) }))}
        onChange={(type) => set({ type: type === logType.all ? undefined : type })}
      />
      {clear === null ? null : (
        <Button size="sm" look="quiet" onClick={clear}>
          <X aria-hidden className="size-4" />
          {t('list.filters.clear')}
        </Button>
      )}
    </>
  )
}

/** The filter fields above the list, or in a sheet on phones. */
export function LogFilterFields({ filters, set }: FilterProps) {
  const t = useT()
  const isPhone = useIsPhone()
  const first = useRef<HTMLInputElement>(null)
  const [isOpen, setOpen] = useState(false)
  useKey('f', () => (isPhone ? setOpen(true) : first.current?.select()))
  if (!isPhone) {
    return (
      <div className="mb-3 rounded-md border bg-surface p-3">
        <LogFilterForm filters={filters} set={set} first={first} />
      </div>
    )
  }
  const count = [filters.token, filters.model, filters.user, filters.channel, filters.start, filters.end].filter(Boolean).length
  return (
    <>
      <Button onClick={() => setOpen(true)} className="mb-3 w-full">
        <ListFilter aria-hidden className="size-4 text-muted" />
        {count === 0 ? t('log.filters') : t('log.filters.set', { count })}
      </Button>
      <Sheet title={t('log.filters')} side="bottom" isOpen={isOpen} onClose={() => setOpen(false)}>
        <LogFilterForm filters={filters} set={set} first={first} onDone={() => setOpen(false)} />
      </Sheet>
    </>
  )
}
