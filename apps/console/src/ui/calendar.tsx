import { ChevronLeft, ChevronRight } from 'lucide-react'
import { type KeyboardEvent, useRef } from 'react'
import { flushSync } from 'react-dom'
import { useLocale, useT } from '../lib/t.ts'
import { cx } from '../lib/text.ts'
import { formatDay } from '../lib/time.ts'
import { IconButton } from './button.tsx'
import { addMonths, dayAfterKey, daysOfMonth } from './calendar-days.ts'

interface CalendarProps {
  /** The chosen day, `YYYY-MM-DD`; empty = none. */
  readonly value: string
  /** The day that has the focus, or gets it; its month is shown. */
  readonly current: Date
  readonly onMove: (day: Date) => void
  readonly onChoose: (day: Date) => void
}

/** One month. Arrows move by days and weeks, Page Up and Page Down by months; Enter chooses. */
export function Calendar({ value, current, onMove, onChoose }: CalendarProps) {
  const t = useT()
  const locale = useLocale()
  const grid = useRef<HTMLTableElement>(null)
  const days = daysOfMonth(current)
  const month = new Intl.DateTimeFormat(locale, { year: 'numeric', month: 'long' }).format(current)
  const onKeyDown = (event: KeyboardEvent) => {
    const next = dayAfterKey(current, event.key)
    if (next === undefined) return
    event.preventDefault()
    flushSync(() => onMove(next))
    grid.current?.querySelector<HTMLElement>('[tabindex="0"]')?.focus()
  }
  return (
    <div className="w-63 touch:w-80">
      <div className="mb-1 flex items-center justify-between">
        <IconButton label={t('time.month.previous')} onClick={() => onMove(addMonths(current, -1))}>
          <ChevronLeft aria-hidden className="size-4" />
        </IconButton>
        <span aria-live="polite" className="font-medium">
          {month}
        </span>
        <IconButton label={t('time.month.next')} onClick={() => onMove(addMonths(current, 1))}>
          <ChevronRight aria-hidden className="size-4" />
        </IconButton>
      </div>
      <table ref={grid} aria-label={month} onKeyDown={onKeyDown} className="w-full table-fixed border-separate border-spacing-px">
        <WeekHead days={days.slice(0, 7)} locale={locale} />
        <tbody>
          {Array.from({ length: days.length / 7 }, (_, week) => days.slice(week * 7, week * 7 + 7)).map((week) => (
            <tr key={week.map(formatDay).join()}>
              {week.map((day) => (
                <DayCell key={formatDay(day)} day={day} current={current} value={value} locale={locale} onChoose={onChoose} />
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}

function WeekHead({ days, locale }: { readonly days: readonly Date[]; readonly locale: string }) {
  const [short, long] = (['narrow', 'long'] as const).map((weekday) => new Intl.DateTimeFormat(locale, { weekday }))
  return (
    <thead>
      <tr>
        {days.map((day) => (
          <th key={formatDay(day)} scope="col" className="h-6 text-center text-xs font-medium text-muted">
            <span aria-hidden>{short?.format(day)}</span>
            <span className="sr-only">{long?.format(day)}</span>
          </th>
        ))}
      </tr>
    </thead>
  )
}

interface DayCellProps extends Omit<CalendarProps, 'onMove'> {
  readonly day: Date
  readonly locale: string
}

function DayCell({ day, current, value, locale, onChoose }: DayCellProps) {
  const text = formatDay(day)
  const isChosen = text === value
  const isToday = text === formatDay(new Date())
  return (
    <td className="p-0">
      <button
        type="button"
        aria-label={new Intl.DateTimeFormat(locale, { dateStyle: 'full' }).format(day)}
        aria-pressed={isChosen}
        aria-current={isToday ? 'date' : undefined}
        tabIndex={text === formatDay(current) ? 0 : -1}
        onClick={() => onChoose(day)}
        className={cx(
          'flex h-8 w-full items-center justify-center rounded-sm text-sm tabular transition-colors touch:h-11',
          isChosen ? 'bg-accent text-on-accent' : 'hover:bg-hover',
          !isChosen && day.getMonth() !== current.getMonth() && 'text-faint',
          !isChosen && isToday && 'font-semibold text-accent',
        )}
      >
        {day.getDate()}
      </button>
    </td>
  )
}
