import { account, modelKinds, route } from '@sluice/contract'
import { Waypoints } from 'lucide-react'
import { type FormEvent, useState } from 'react'
import { type Filters, readFilters, useFilters } from '../../lib/filters.ts'
import { type Preload, prefetch } from '../../lib/preload.ts'
import { readOptions } from '../../lib/reads.ts'
import { refusedField } from '../../lib/refused-field.ts'
import { isAdmin } from '../../lib/session.ts'
import { useT } from '../../lib/t.ts'
import { useRead } from '../../lib/use-call.ts'
import { startGroups, useGroups } from '../../lib/use-groups.ts'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { BesideFields, Field } from '../../ui/field.tsx'
import { Input } from '../../ui/input.tsx'
import { Page } from '../../ui/page.tsx'
import { ReadGate } from '../../ui/read-gate.tsx'
import { Select } from '../../ui/select.tsx'
import { SuggestedInput } from '../../ui/suggested-input.tsx'
import { Candidates } from './candidates.tsx'
import { type RouteSearch, routeFilters } from './route-search.ts'

const questionOf = ({ model = '', username = '', groups = '', kind }: RouteSearch) => ({
  model,
  username,
  groups,
  kind: kind ?? ('' as const),
})

const usualKind = { kind: '' } as const

/** How long the models of the account are not fetched again. */
const freshMs = 60_000

export const preload: Preload = (client, search) => {
  if (!isAdmin()) return
  const question = questionOf(readFilters(routeFilters, search))
  if (question.model !== '') prefetch(client, readOptions(route.explain, question))
  prefetch(client, readOptions(account.availableModels, usualKind, { freshMs }))
  startGroups(client)
}

/** Which channels would serve a request now, in which order, and why the others are left out. */
export function RoutePage() {
  const t = useT()
  const { values: search, set } = useFilters(routeFilters)
  const { model = '' } = search
  const read = useRead(route.explain, { input: questionOf(search), isEnabled: model !== '', isPreloaded: true, isSilent: true })
  const refused = refusedField(read.error, ['model', 'username', 'groups', 'kind'])
  return (
    <Page title={t('route.title')} parent={{ to: '/channel', label: t('nav.channel') }} lead={t('route.lead')}>
      <Question
        key={JSON.stringify(search)}
        {...{ search, refused }}
        change={set}
        isBusy={read.isFetching}
        onAgain={() => void read.refetch()}
      />
      {refused !== null ? null : model === '' ? (
        <div className="rounded-md border bg-surface">
          <EmptyState icon={<Waypoints />} title={t('route.empty')} text={t('route.empty.text')} />
        </div>
      ) : (
        <ReadGate read={read} isWide>
          {(report) => <Candidates report={report} />}
        </ReadGate>
      )}
    </Page>
  )
}

interface QuestionProps {
  readonly search: RouteSearch
  /** Why the last question was refused. */
  readonly refused: { readonly name: string; readonly text: string } | null
  readonly change: Filters<typeof routeFilters>['set']
  readonly isBusy: boolean
  /** Asks the same once more: the response may be another one now. */
  readonly onAgain: () => void
}

const none: readonly string[] = []

type Typed = { readonly [Name in keyof RouteSearch]: RouteSearch[Name] | undefined }

function Question({ search, refused, change, isBusy, onAgain }: QuestionProps) {
  const t = useT()
  const { data: models = none } = useRead(account.availableModels, { input: usualKind, freshMs, isSilent: true })
  const groups = useGroups()
  const [values, setValues] = useState<Typed>(search)
  const set = (next: Typed) => setValues({ ...values, ...next })
  const errorOf = (name: string) => (refused?.name === name ? refused.text : undefined)
  const submit = (event: FormEvent) => {
    event.preventDefault()
    const { model, username, kind } = values
    const next = { model, username, kind, groups: username ? undefined : values.groups }
    const isSame = (['model', 'username', 'kind', 'groups'] as const).every((name) => (search[name] ?? '') === (next[name] ?? ''))
    if (isSame) onAgain()
    else change(next)
  }
  return (
    <form
      onSubmit={submit}
      className="mb-4 grid items-start gap-3 rounded-md border bg-surface p-4 sm:grid-cols-2 lg:grid-cols-[2fr_1fr_1fr_1fr_auto]"
    >
      <Field label={t('route.model')} error={errorOf('model')}>
        {(control) => (
          <SuggestedInput
            {...control}
            suggestions={models}
            value={values.model ?? ''}
            onChange={({ target }) => set({ model: target.value })}
          />
        )}
      </Field>
      <Field label={t('route.username')} error={errorOf('username')}>
        {(control) => <Input {...control} value={values.username ?? ''} onChange={({ target }) => set({ username: target.value })} />}
      </Field>
      <Field label={t('route.group')} error={errorOf('groups')}>
        {(control) => (
          <Select
            {...control}
            value={values.username ? '' : (values.groups ?? 'default')}
            options={[
              ...(values.username ? [{ value: '', label: t('route.group.account') }] : []),
              ...groups.map((name) => ({ value: name, label: name })),
            ]}
            onChange={(name) => set({ groups: name })}
          />
        )}
      </Field>
      <Field label={t('route.kind')} error={errorOf('kind')}>
        {(control) => (
          <Select
            {...control}
            value={values.kind ?? ''}
            options={[
              { value: '' as const, label: t('route.kind.usual') },
              ...modelKinds.map((value) => ({ value, label: t(`model.kind.${value}`) })),
            ]}
            onChange={(kind) => set({ kind: kind === '' ? undefined : kind })}
          />
        )}
      </Field>
      <BesideFields>
        <Button type="submit" look="primary" isBusy={isBusy} disabled={(values.model ?? '').trim() === ''}>
          {t('route.ask')}
        </Button>
      </BesideFields>
    </form>
  )
}
