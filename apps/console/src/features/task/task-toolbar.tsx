import { searchTextMax, taskKinds, taskStates } from '@sluice/contract'
import { type FormEvent, useState } from 'react'
import type { Filters } from '../../lib/filters.ts'
import { useSession } from '../../lib/session.ts'
import { useT } from '../../lib/t.ts'
import { cx } from '../../lib/text.ts'
import { formatTime } from '../../lib/time.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { FilterBar, type FilterSlot } from '../../ui/filter-bar.tsx'
import { Input, NumberInput } from '../../ui/input.tsx'
import { Select } from '../../ui/select.tsx'
import { TimeInput } from '../../ui/time-input.tsx'
import { fromDraft, type TaskField, toDraft } from './task-draft.ts'
import type { taskFilters } from './task-search.ts'

interface TaskToolbarProps {
  readonly filters: Filters<typeof taskFilters>
}

/** The state, one click away, and the other filters as chips. */
export function TaskToolbar({ filters: { values, set, clear } }: TaskToolbarProps) {
  const t = useT()
  const { isAdmin } = useSession()
  const form = (fields: readonly TaskField[]) => (onDone: () => void) => <TaskFilterForm {...{ fields, values, set, onDone }} />
  const slot = (id: TaskField): FilterSlot => {
    const { start, end, kind } = values
    const times = { start: start && formatTime(start), end: end && formatTime(end) }
    const texts: Readonly<Record<string, string | number | undefined>> = { ...values, ...times, kind: kind && t(`task.kind.${kind}`) }
    const text = texts[id]
    return {
      ...{ id, label: t(`task.filter.${id}`), remove: () => set({ [id]: undefined }), form: form([id]) },
      value: text === undefined ? null : String(text),
    }
  }
  const fields: readonly TaskField[] = ['kind', 'model', 'id', ...(isAdmin ? (['user', 'channel'] as const) : []), 'start', 'end']
  return (
    <>
      <Select
        size="sm"
        label={t('task.state')}
        hidesLabelOnPhones={values.state !== undefined}
        value={values.state ?? ''}
        options={[
          { value: '', label: t('list.filters.all') },
          ...taskStates.map((value) => ({ value: String(value), label: t(`task.state.${value}`) })),
        ]}
        onChange={(state) => set({ state: state || undefined })}
      />
      <FilterBar slots={fields.map(slot)} form={form(fields)} clear={clear} />
    </>
  )
}

interface TaskFilterFormProps extends Pick<Filters<typeof taskFilters>, 'values' | 'set'> {
  /** The shown fields; the others are left as they are. */
  readonly fields: readonly TaskField[]
  readonly onDone: () => void
}

/** Enter or the button applies the fields. */
function TaskFilterForm({ fields, values, set, onDone }: TaskFilterFormProps) {
  const t = useT()
  const [draft, setDraft] = useState(() => toDraft(values))
  const [isTried, setTried] = useState(false)
  const { filters, errors } = fromDraft(draft)
  const isOne = fields.length === 1
  const apply = (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault()
    setTried(true)
    const [wrong] = fields.filter((name) => errors[name] !== undefined)
    if (wrong !== undefined) return event.currentTarget.querySelector<HTMLInputElement>(`[name=${wrong}]`)?.focus()
    set(Object.fromEntries(fields.map((name) => [name, filters[name]])))
    onDone()
  }
  return (
    <form onSubmit={apply} noValidate className={cx('flex flex-col gap-3', isOne && 'sm:flex-row sm:items-end')}>
      {fields.map((name) => {
        const error = isTried ? errors[name] : undefined
        const change = (value: string) => setDraft({ ...draft, [name]: value })
        return (
          <div key={name} className={cx(isOne && 'min-w-56')}>
            <Field label={t(`task.filter.${name}`)} error={error === undefined ? undefined : t(error)}>
              {(control) => <TaskFilterControl {...control} name={name} value={draft[name]} onChange={change} />}
            </Field>
          </div>
        )
      })}
      <Button type="submit" look="primary" className={cx(!isOne && 'max-sm:w-full sm:self-end')}>
        {t('action.apply')}
      </Button>
    </form>
  )
}

interface ControlProps extends Omit<Parameters<typeof TimeInput>[0], 'name' | 'timeAtFirst' | 'ref'> {
  readonly name: TaskField
}

function TaskFilterControl({ name, value, onChange, ...control }: ControlProps) {
  const t = useT()
  if (name === 'kind') {
    const kinds = taskKinds.map((kind) => ({ value: String(kind), label: t(`task.kind.${kind}`) }))
    return <Select {...control} value={value} options={[{ value: '', label: t('list.filters.all') }, ...kinds]} onChange={onChange} />
  }
  if (name === 'start' || name === 'end')
    return <TimeInput {...control} {...{ name, value, onChange }} timeAtFirst={name === 'start' ? '00:00:00' : '23:59:59'} />
  const Part = name === 'channel' ? NumberInput : Input
  return <Part {...control} {...{ name, value }} maxLength={searchTextMax} onChange={({ target }) => onChange(target.value)} />
}
