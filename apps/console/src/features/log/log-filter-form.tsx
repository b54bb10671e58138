import { durationBands, outcomes, searchTextMax } from '@sluice/contract'
import { type FormEvent, useState } from 'react'
import type { Filters } from '../../lib/filters.ts'
import { type MessageKey, useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Input, NumberInput } from '../../ui/input.tsx'
import { Select } from '../../ui/select.tsx'
import { TimeInput } from '../../ui/time-input.tsx'
import { fromDraft, type LogDraft, toDraft } from './log-draft.ts'
import { durationBandText, outcomeText } from './log-format.tsx'
import type { LogFilters, logFilters } from './log-search.ts'

export type LogField = keyof LogDraft

interface LogFilterFormProps {
  /** The shown fields; the others are left as they are. */
  readonly fields: readonly LogField[]
  readonly filters: LogFilters
  readonly set: Filters<typeof logFilters>['set']
  readonly onDone: () => void
}

/** Fields of the log's filters. Enter or the button applies them. */
export function LogFilterForm({ fields, filters, set, onDone }: LogFilterFormProps) {
  const t = useT()
  const { draft, errors, change, apply } = useLogDraft({ fields, filters, set, onDone })
  return (
    <form
      onSubmit={apply}
      noValidate
      className={cx(
        'flex flex-col gap-3',
        fields.length > 1 && 'max-sm:[&_:is(input,button)]:scroll-mb-24',
        fields.length === 1 && 'sm:flex-row sm:items-end',
      )}
    >
      {fields.map((name) => {
        const error = errors[name]
        return (
          <div key={name} className={cx(fields.length === 1 && 'min-w-56')}>
            <Field
              label={t(`log.${name}`)}
              error={error === undefined ? undefined : t(error)}
              aside={<TimeNote {...{ name, draft, filters }} />}
            >
              {(control) => <Control {...control} name={name} value={draft[name]} onChange={(text) => change(name, text)} />}
            </Field>
          </div>
        )
      })}
      {/* On a phone the button stays in sight below the fields of all filters. */}
      <div
        className={cx(
          fields.length > 1 &&
            'max-sm:sticky max-sm:-bottom-4 max-sm:-mx-4 max-sm:-mb-4 max-sm:border-t max-sm:bg-surface max-sm:p-4 sm:self-end',
        )}
      >
        <Button type="submit" look="primary" className={cx(fields.length > 1 && 'max-sm:w-full')}>
          {t('action.apply')}
        </Button>
      </div>
    </form>
  )
}

interface LogControlProps extends Omit<Parameters<typeof TimeInput>[0], 'name' | 'timeAtFirst'> {
  readonly name: LogField
}

function Control({ value, onChange, name, ...control }: LogControlProps) {
  const t = useT()
  if (name === 'outcome' || name === 'duration') {
    const options =
      name === 'outcome'
        ? outcomes.map((outcome) => ({ value: String(outcome), label: outcomeText(outcome, t) }))
        : (['', ...durationBands] as const).map((band) => ({ value: String(band), label: durationBandText(band, t) }))
    const { id, 'aria-describedby': describedBy } = control
    return <Select {...{ id, value, options, onChange }} aria-describedby={describedBy} />
  }
  if (name === 'start' || name === 'end') {
    return <TimeInput {...control} {...{ name, value, onChange }} timeAtFirst={name === 'start' ? '00:00:00' : '23:59:59'} />
  }
  const Part = name === 'channel' ? NumberInput : Input
  return (
    <Part
      {...control}
      {...{ name, value }}
      onChange={({ target }) => onChange(target.value)}
      maxLength={name === 'channel' ? 15 : searchTextMax}
    />
  )
}

interface TimeNoteProps extends Pick<LogFilterFormProps, 'filters'> {
  readonly name: LogField
  readonly draft: LogDraft
}

/** What an empty time means. */
function TimeNote({ name, draft, filters }: TimeNoteProps) {
  const t = useT()
  if (draft[name] !== '') return null
  if (name === 'end') return t('log.end.none')
  if (name !== 'start') return null
  return filters.range === undefined ? t('log.start.none') : t('log.start.ago', { range: t(`log.range.${filters.range}`) })
}

function useLogDraft({ fields, filters, set, onDone }: LogFilterFormProps) {
  const [draft, setDraft] = useState(() => toDraft(filters))
  const [errors, setErrors] = useState<{ readonly [Field in LogField]?: MessageKey }>({})
  return {
    draft,
    errors,
    change: (name: LogField, text: string) => {
      setDraft({ ...draft, [name]: text })
      setErrors({ ...errors, [name]: undefined })
    },
    apply: (event: FormEvent<HTMLFormElement>) => {
      event.preventDefault()
      const { filters: next, errors: wrong } = fromDraft(draft)
      setErrors(wrong)
      const [first] = fields.filter((name) => wrong[name] !== undefined)
      if (first !== undefined) {
        event.currentTarget.querySelector<HTMLInputElement>(`[name=${first}]`)?.focus()
        return
      }
      const isTimed = fields.includes('start') && (next.start !== undefined || next.end !== undefined)
      set({ ...Object.fromEntries(fields.map((name) => [name, next[name]])), ...(isTimed && { range: undefined }) })
      onDone()
    },
  }
}
