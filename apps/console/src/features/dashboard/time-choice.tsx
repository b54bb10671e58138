import { CalendarDays } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import type { Filters } from '../../lib/filters.ts'
import { useT } from '../../lib/t.ts'
import { parseTime } from '../../lib/time.ts'
import { useIsPhone } from '../../lib/use-media.ts'
import { dayAfter, formatInZone, inZone, ownZone } from '../../lib/zone-time.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Popover } from '../../ui/popover.tsx'
import { SearchSelect } from '../../ui/search-select.tsx'
import { TimeInput } from '../../ui/time-input.tsx'
import type { dashboardFilters } from './dashboard-search.ts'
import type { DashboardSpan } from './dashboard-span.ts'

interface TimeChoiceProps {
  readonly span: DashboardSpan
  /** No zone is chosen: it is the browser's. */
  readonly isOwn: boolean
  readonly change: Filters<typeof dashboardFilters>['set']
}

/** Any time that is typed or chosen from a calendar, and the zone in which days begin. */
export function TimeChoice({ span, isOwn, change }: TimeChoiceProps) {
  const t = useT()
  const isPhone = useIsPhone()
  const [isOpen, setOpen] = useState(false)
  const phoneTrigger = (
    <Button size="sm" aria-label={t('dashboard.dates')}>
      <CalendarDays aria-hidden className="size-4" />
    </Button>
  )
  return (
    <>
      <Popover
        title={t('dashboard.dates')}
        trigger={isPhone ? phoneTrigger : <Button size="sm">{t('dashboard.dates')}</Button>}
        isOpen={isOpen}
        setOpen={setOpen}
        className="w-72 p-3"
      >
        <Dates {...{ span, change }} onDone={() => setOpen(false)} />
      </Popover>
      <SearchSelect
        size="bar"
        label={t('dashboard.zone')}
        value={isOwn ? '' : span.zone}
        options={zoneOptions(t('dashboard.zone.own', { zone: ownZone() }))}
        onChange={(next) => change({ zone: next === '' ? undefined : next })}
      />
    </>
  )
}

/** Without a zone, then UTC, then all that the browser knows. */
function zoneOptions(own: string) {
  const zones = Intl.supportedValuesOf('timeZone').filter((name) => name !== 'UTC')
  return [{ value: '', label: own }, ...['UTC', ...zones].map((name) => ({ value: name, label: name }))]
}

interface DatesProps extends Pick<TimeChoiceProps, 'span' | 'change'> {
  readonly onDone: () => void
}

const names = ['start', 'end'] as const
type Name = (typeof names)[number]

function Dates({ span, change, onDone }: DatesProps) {
  const t = useT()
  const { zone } = span
  const [typed, setTyped] = useState(() => ({ start: formatInZone(span.from, zone), end: formatInZone(span.to - 1, zone) }))
  const [wrong, setWrong] = useState<Name | null>(null)
  const apply = (event: FormEvent) => {
    event.preventDefault()
    const [start, end] = [momentOf(typed.start, zone, false), momentOf(typed.end, zone, true)]
    if (start === null || end === null || end <= start) return setWrong(start === null ? 'start' : 'end')
    change({ start, end, range: undefined, by: undefined })
    onDone()
  }
  return (
    <form onSubmit={apply} noValidate className="flex flex-col gap-3">
      {names.map((name) => (
        <Field
          key={name}
          label={t(`dashboard.dates.${name}`)}
          error={wrong === name ? t(`dashboard.dates.${name}.wrong`) : undefined}
          hint={name === 'end' ? t('dashboard.dates.zone', { zone }) : undefined}
        >
          {(control) => (
            <TimeInput
              {...control}
              name={name}
              value={typed[name]}
              onChange={(text) => setTyped({ ...typed, [name]: text })}
              timeAtFirst={name === 'start' ? '00:00:00' : '23:59:59'}
            />
          )}
        </Field>
      ))}
      <Button type="submit" look="primary">
        {t('action.apply')}
      </Button>
    </form>
  )
}

/** The moment of a typed time, an end behind its last second; `null` = it is none. A day without a time is meant as a whole. */
function momentOf(typed: string, zone: string, isEnd: boolean): number | null {
  const moment = parseTime(typed)
  if (moment === null) return null
  const [, date = '', time = ''] = /^(\d{4}-\d{1,2}-\d{1,2})(?:[T ](.+))?$/.exec(typed.trim()) ?? []
  const day = date
    .split('-')
    .map((part) => part.padStart(2, '0'))
    .join('-')
  if (time === '') return inZone(`${isEnd ? dayAfter(day, 1) : day} 00:00:00`, zone)
  const [hours = '', minutes = '', seconds = '00'] = time.split(':')
  return inZone(`${day} ${hours.padStart(2, '0')}:${minutes}:${seconds.slice(0, 2)}`, zone) + (isEnd ? 1 : 0)
}
