import { type ComponentProps, type FormEvent, type RefObject, useState } from 'react'
import type { Filters } from '../../lib/filters.ts'
import { useSession } from '../../lib/session.ts'
import { type MessageKey, useT } from '../../lib/t.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { Input, NumberInput } from '../../ui/input.tsx'
import { fromDraft, type LogDraft, toDraft } from './log-draft.ts'
import type { LogFilters, logFilters } from './log-search.ts'

interface LogFilterFormProps {
  readonly filters: LogFilters
  readonly set: Filters<typeof logFilters>['set']
  /** Gets the focus when `f` is pressed. */
  readonly first: RefObject<HTMLInputElement | null>
  readonly onDone?: (() => void) | undefined
}

/** Every filter except type and range, which are in the list's toolbar. Enter or the button applies all of them. */
export function LogFilterForm({ filters, set, first, onDone }: LogFilterFormProps) {
  const t = useT()
  const { isAdmin } = useSession()
  const { draft, errors, type, apply } = useLogDraft({ filters, set, onDone })
  const bind = (name: keyof LogDraft) => ({ name, value: draft[name], onChange: type })
  const error = (name: keyof LogDraft) => (errors[name] === undefined ? undefined : t(errors[name]))
  return (
    <form onSubmit={apply} aria-label={t('log.filters')} noValidate className="flex flex-wrap items-start gap-3 max-sm:flex-col">
      <div className={wide}>
        <Field label={t('log.token')}>{(control) => <Input {...control} {...bind('token')} ref={first} maxLength={64} />}</Field>
      </div>
      <div className={wide}>
        <Field label={t('log.model')}>{(control) => <Input {...control} {...bind('model')} maxLength={64} />}</Field>
      </div>
      {isAdmin ? (
        <>
          <div className={wide}>
            <Field label={t('log.user')}>{(control) => <Input {...control} {...bind('user')} maxLength={64} />}</Field>
          </div>
          <div className="w-full sm:w-28">
            <Field label={t('log.channel')} error={error('channel')}>
              {(control) => <NumberInput {...control} {...bind('channel')} maxLength={15} />}
            </Field>
          </div>
        </>
      ) : null}
      <TimeFields filters={filters} draft={draft} bind={bind} error={error} />
    </form>
  )
}

interface TimeFieldsProps extends Pick<LogFilterFormProps, 'filters'> {
  readonly draft: LogDraft
  readonly bind: (name: keyof LogDraft) => Pick<ComponentProps<'input'>, 'name' | 'value' | 'onChange'>
  readonly error: (name: keyof LogDraft) => string | undefined
}

/** Start and end side by side, with the button that applies all filters. */
function TimeFields({ filters, draft, bind, error }: TimeFieldsProps) {
  const t = useT()
  return (
    <div className="flex items-start gap-3 max-sm:w-full max-sm:flex-col">
      <div className={time}>
        <Field label={t('log.start')} aside={draft.start === '' ? <StartNote filters={filters} /> : undefined} error={error('start')}>
          {(control) => <Input {...control} {...bind('start')} type="datetime-local" step={1} className="text-sm" />}
        </Field>
      </div>
      <div className={time}>
        <Field label={t('log.end')} aside={draft.end === '' ? t('log.end.none') : undefined} error={error('end')}>
          {(control) => <Input {...control} {...bind('end')} type="datetime-local" step={1} className="text-sm" />}
        </Field>
      </div>
      <div className="max-sm:w-full">
        <span aria-hidden className="mb-1 block max-sm:hidden">
          &nbsp;
        </span>
        <Button type="submit" className="max-sm:w-full">
          {t('action.apply')}
        </Button>
      </div>
    </div>
  )
}

const wide = 'w-full min-w-0 sm:min-w-36 sm:flex-1'
const time = 'w-full sm:w-62'

/** The start of the rows if no time is given. */
function StartNote({ filters }: Pick<LogFilterFormProps, 'filters'>) {
  const t = useT()
  if (filters.range === undefined) return t('log.start.none')
  return t('log.start.ago', { range: t(`log.range.${filters.range}`) })
}

interface Typed {
  readonly key: string
  readonly draft: LogDraft
  readonly errors: { readonly [Field in keyof LogDraft]?: MessageKey }
}

/** Typed texts are kept until the address gets other filters. */
function useLogDraft({ filters, set, onDone }: Omit<LogFilterFormProps, 'first'>) {
  const committed = toDraft(filters)
  const key = JSON.stringify([committed, filters.range])
  const fresh: Typed = { key, draft: committed, errors: {} }
  const [typed, setTyped] = useState<Typed>(fresh)
  const current = typed.key === key ? typed : fresh
  return {
    draft: current.draft,
    errors: current.errors,
    type: ({ target }: { readonly target: { readonly name: string; readonly value: string } }) =>
      setTyped({ key, draft: { ...current.draft, [target.name]: target.value }, errors: { ...current.errors, [target.name]: undefined } }),
    apply: (event: FormEvent<HTMLFormElement>) => {
      event.preventDefault()
      const { filters: next, errors } = fromDraft(current.draft)
      setTyped({ ...current, errors })
      if (Object.keys(errors).length > 0) return
      const isTimed = next.start !== undefined || next.end !== undefined
      set({ ...noFields, ...next, ...(isTimed && { range: undefined }) })
      onDone?.()
    },
  }
}

/** Removes emptied fields from the address. */
const noFields = { token: undefined, model: undefined, user: undefined, channel: undefined, start: undefined, end: undefined }
