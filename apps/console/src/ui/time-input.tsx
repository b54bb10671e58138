import { CalendarDays } from 'lucide-react'
import { type Ref, useRef, useState } from 'react'
import { useT } from '../lib/t.ts'
import { formatDay, formatTime, parseTime } from '../lib/time.ts'
import { Button } from './button.tsx'
import { Calendar } from './calendar.tsx'
import { type ControlProps, Field } from './field.tsx'
import { Input } from './input.tsx'
import { Popover } from './popover.tsx'

interface TimeInputProps extends ControlProps {
  /** The local time as typed: `YYYY-MM-DD HH:mm:ss`. Empty = none. */
  readonly value: string
  readonly onChange: (text: string) => void
  readonly name?: string
  readonly onBlur?: () => void
  /** The field itself, for the focus of a form. */
  readonly ref?: Ref<HTMLInputElement>
  readonly placeholder?: string
  /** The time of a day that is chosen while there is none: the end of a span begins with `23:59:59`. */
  readonly timeAtFirst?: string
}

/** A local time, typed or chosen from a calendar, in the language of the console. */
export function TimeInput({ value, onChange, placeholder = 'YYYY-MM-DD HH:mm:ss', timeAtFirst = '00:00:00', ...control }: TimeInputProps) {
  const t = useT()
  const field = useRef<HTMLDivElement>(null)
  const [isOpen, setOpen] = useState(false)
  const trigger = (
    <button
      type="button"
      aria-label={t('time.choose')}
      className="absolute inset-y-0 right-0 flex w-8 items-center justify-center rounded-sm text-muted hover:text-text touch:w-11"
    >
      <CalendarDays aria-hidden className="size-4" />
    </button>
  )
  return (
    <div ref={field} className="relative">
      <Input
        {...control}
        value={value}
        onChange={({ target }) => onChange(target.value)}
        placeholder={placeholder}
        maxLength={19}
        className="pr-9 tabular touch:pr-12"
      />
      <Popover title={t('time.choose')} trigger={trigger} anchor={field} isOpen={isOpen} setOpen={setOpen} className="p-3">
        <TimeChoice value={value} onChange={onChange} timeAtFirst={timeAtFirst} onDone={() => setOpen(false)} />
      </Popover>
    </div>
  )
}

interface TimeChoiceProps extends Pick<TimeInputProps, 'value' | 'onChange'> {
  readonly timeAtFirst: string
  readonly onDone: () => void
}

/** The day and the time of day are set separately; each change is in the field at once. */
function TimeChoice({ value, onChange, timeAtFirst, onDone }: TimeChoiceProps) {
  const t = useT()
  const seconds = parseTime(value)
  const [day = '', time = ''] = seconds === null ? [] : formatTime(seconds).split(' ')
  const [typedTime, setTypedTime] = useState(time === '' ? timeAtFirst : time)
  const [current, setCurrent] = useState(() => new Date(seconds === null ? Date.now() : seconds * 1000))
  const setTime = (text: string) => {
    setTypedTime(text)
    if (day !== '' && parseTime(`${day} ${text}`) !== null) onChange(`${day} ${text}`)
  }
  const setNow = () => {
    const now = new Date()
    const text = formatTime(Math.floor(now.getTime() / 1000))
    setCurrent(now)
    setTypedTime(text.slice(11))
    onChange(text)
  }
  const choose = (chosen: Date) => {
    setCurrent(chosen)
    onChange(`${formatDay(chosen)} ${isWrong ? timeAtFirst : typedTime}`)
  }
  const isWrong = parseTime(`2000-01-01 ${typedTime}`) === null
  return (
    <>
      <Calendar value={day} current={current} onMove={setCurrent} onChoose={choose} />
      <div className="mt-2 border-t pt-2">
        <Field label={t('time.ofDay')} error={isWrong ? t('time.ofDay.wrong') : undefined}>
          {(part) => (
            <Input
              {...part}
              value={typedTime}
              onChange={({ target }) => setTime(target.value)}
              placeholder="HH:mm:ss"
              maxLength={8}
              className="tabular"
            />
          )}
        </Field>
        <div className="mt-3 flex gap-2">
          <Button size="sm" onClick={setNow}>
            {t('time.now')}
          </Button>
          <Button size="sm" onClick={() => onChange('')}>
            {t('action.clear')}
          </Button>
          <Button size="sm" look="primary" className="ml-auto" onClick={onDone}>
            {t('time.done')}
          </Button>
        </div>
      </div>
    </>
  )
}
