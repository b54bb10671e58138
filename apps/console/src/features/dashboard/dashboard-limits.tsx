import { searchTextMax } from '@sluice/contract'
import { type FormEvent, useState } from 'react'
import type { Filters } from '../../lib/filters.ts'
import { useSession } from '../../lib/session.ts'
import { useT } from '../../lib/t.ts'
import { Button } from '../../ui/button.tsx'
import { Field } from '../../ui/field.tsx'
import { FilterBar, type FilterSlot } from '../../ui/filter-bar.tsx'
import { Input, NumberInput } from '../../ui/input.tsx'
import { type DashboardLimits, type dashboardFilters, type Group, groups, ownGroups } from './dashboard-search.ts'

interface LimitBarProps {
  readonly limits: DashboardLimits
  readonly change: Filters<typeof dashboardFilters>['set']
}

/** What all charts are limited to: a model, a token, and for administrators a channel or an account. */
export function DashboardLimitBar({ limits, change }: LimitBarProps) {
  const t = useT()
  const { isAdmin } = useSession()
  const names = isAdmin ? groups : ownGroups
  const form = (fields: readonly Group[]) => (onDone: () => void) => <LimitForm {...{ fields, limits, change, onDone }} />
  const slots = names.map(
    (id): FilterSlot => ({
      id,
      label: t(id === 'channel' ? 'dashboard.channel' : `dashboard.group.${id}`),
      value: limits[id] === undefined ? null : String(limits[id]),
      remove: () => change({ [id]: undefined }),
      form: form([id]),
    }),
  )
  const none = Object.fromEntries(names.map((name) => [name, undefined]))
  return <FilterBar slots={slots} form={form(names)} clear={Object.keys(limits).length === 0 ? null : () => change(none)} />
}

interface LimitFormProps extends LimitBarProps {
  readonly fields: readonly Group[]
  readonly onDone: () => void
}

function LimitForm({ fields, limits, change, onDone }: LimitFormProps) {
  const t = useT()
  const [draft, setDraft] = useState<Readonly<Partial<Record<Group, string>>>>({})
  const textOf = (name: Group) => draft[name] ?? String(limits[name] ?? '')
  const apply = (event: FormEvent) => {
    event.preventDefault()
    change(Object.fromEntries(fields.map((name) => [name, textOf(name).trim() || undefined])))
    onDone()
  }
  return (
    <form onSubmit={apply} noValidate className="flex flex-col gap-3">
      {fields.map((name) => {
        const Part = name === 'channel' ? NumberInput : Input
        return (
          <Field key={name} label={t(name === 'channel' ? 'dashboard.channel' : `dashboard.group.${name}`)}>
            {(control) => (
              <Part
                {...control}
                {...{ name, value: textOf(name) }}
                maxLength={name === 'channel' ? 15 : searchTextMax}
                onChange={({ target }) => setDraft({ ...draft, [name]: target.value })}
              />
            )}
          </Field>
        )
      })}
      <Button type="submit" look="primary" className="max-sm:w-full sm:self-end">
        {t('action.apply')}
      </Button>
    </form>
  )
}
