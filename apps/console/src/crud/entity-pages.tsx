import type { Endpoint } from '@sluice/contract'
import { useParams, useSearch } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import { type ReactNode, useRef } from 'react'
import type { FieldValues } from 'react-hook-form'
import type { ZodMiniType } from 'zod/mini'
import { type Preload, prefetch } from '../lib/preload.ts'
import { readOptions } from '../lib/reads.ts'
import { showRefusal } from '../lib/refused-field.ts'
import { takeSaved, useSubmitted } from '../lib/saved-values.ts'
import { isAdmin, useSession } from '../lib/session.ts'
import { useT } from '../lib/t.ts'
import { showToast } from '../lib/toasts.ts'
import { useCall, useRead } from '../lib/use-call.ts'
import { useOpenRow } from '../lib/use-open-row.ts'
import { ButtonLink } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { Page } from '../ui/page.tsx'
import { ReadGate } from '../ui/read-gate.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { EditForm } from './edit-form.tsx'
import { EntityForm, useEntityForm } from './entity-form.tsx'
import type { EntitySpec, WithId } from './entity-spec.ts'
import { findCreated } from './find-created.ts'

interface RowForm {
  readonly get: Endpoint
  readonly isForAdmins?: boolean
}

/** Starts the call for the row that fills the form of an address: the edited row, or the one that is copied. */
export function preloadRow({ get, isForAdmins = false }: RowForm): Preload {
  return (client, search, { id = String(search['from'] ?? '') }) => {
    if (id !== '' && (!isForAdmins || isAdmin())) prefetch(client, readOptions(get, { id }))
  }
}

/**
 * The page of a new row. Like the edit page, it asks before unsaved entries are lost, and keeps what was typed if the server refuses it.
 */
export function EntityAddPage<Row extends WithId, Values extends FieldValues, Input extends object, Created>(
  spec: EntitySpec<Row, Values, Input, Created>,
) {
  const t = useT()
  const { texts, toCopy } = spec
  const from = String(useSearch({ strict: false }).from ?? '')
  return (
    <Page
      title={t(texts.addTitle)}
      parent={{ to: spec.listPath, label: t(texts.list) }}
      lead={texts.addLead === undefined ? undefined : t(texts.addLead)}
      isNarrow
    >
      <AdminGate isForAdmins={spec.isForAdmins === true}>
        {toCopy === undefined || from === '' ? (
          <AddForm spec={spec} values={spec.newValues} />
        ) : (
          <CopyOf key={from} spec={spec} id={from}>
            {(row) => <AddForm spec={spec} values={toCopy(row)} />}
          </CopyOf>
        )}
      </AdminGate>
    </Page>
  )
}

interface CopyOfProps<Row> {
  readonly spec: { readonly get: Endpoint<ZodMiniType, ZodMiniType<Row>> }
  readonly id: string
  readonly children: (row: Row) => ReactNode
}

function CopyOf<Row>({ spec, id, children }: CopyOfProps<Row>) {
  const read = useRead(spec.get, { input: { id }, isPreloaded: true })
  return (
    <ReadGate read={read} isFresh>
      {children}
    </ReadGate>
  )
}

interface AddFormProps<Row, Values extends FieldValues, Input extends object, Created> {
  readonly spec: EntitySpec<Row, Values, Input, Created>
  /** What the form begins with. */
  readonly values: Values
}

function AddForm<Row extends WithId, Values extends FieldValues, Input extends object, Created>({
  spec,
  values,
}: AddFormProps<Row, Values, Input, Created>) {
  const t = useT()
  const { texts, newValues, Created } = spec
  const form = useEntityForm(spec, null, values)
  const done = useOpenRow<{ readonly created: Created; readonly input: Input }>()
  const submitted = useSubmitted<Values>()
  const create = useCall(spec.create, {
    onDone: (created, input) => {
      showToast('success', t(texts.added))
      const isAsSent = takeSaved(form, { submitted: submitted.get(input) ?? form.getValues(), stored: newValues })
      // Holds: the form's inputs are what this page sends.
      if (Created !== undefined) done.open({ created, input: input as Input })
      // Somebody who types on stays in that field.
      else if (isAsSent) form.setFocus(spec.firstField)
    },
  })
  const last = useRef({ name: '', atMs: 0 })
  const send = (input: Input, values: Values) => {
    submitted.set(input, values)
    last.current = { name: String(values[spec.firstField]).trim(), atMs: performance.now() }
    create.mutate(input, { onError: (failure) => showRefusal(form, failure) })
  }
  return (
    <>
      <EntityForm
        {...spec}
        form={form}
        baseline={null}
        isNew
        isBusy={create.isPending}
        failure={create.error}
        onSend={send}
        onCheck={() => findCreated(spec, { ...last.current, failure: create.error })}
        staysAfterSave={Created !== undefined}
      />
      {done.row === null || Created === undefined ? null : <Created {...done.row} isOpen={done.isOpen} onClose={done.close} />}
    </>
  )
}

/** The page of a row: its form is filled from a row that was read when the page opened, and from the saved row after each save. */
export function EntityEditPage<Row extends WithId, Values extends FieldValues, Input extends object, Created>(
  spec: EntitySpec<Row, Values, Input, Created>,
) {
  const t = useT()
  const { id = '' } = useParams({ strict: false })
  const read = useRead(spec.get, { input: { id }, isPreloaded: true })
  return (
    <Page
      title={t(spec.texts.editTitle)}
      parent={{ to: spec.listPath, label: t(spec.texts.list) }}
      lead={read.data !== undefined ? spec.nameOf(read.data) : read.isPending ? <LeadSkeleton /> : undefined}
      isNarrow
    >
      <AdminGate isForAdmins={spec.isForAdmins === true}>
        <ReadGate key={id} read={read} isFresh refusedAction={<ButtonLink to={spec.listPath}>{t('form.list')}</ButtonLink>}>
          {(row) => <EditForm key={row.id} spec={spec} row={row} routeId={id} />}
        </ReadGate>
      </AdminGate>
    </Page>
  )
}

/** Keeps the line of the row's name, so that the form does not move down when it comes. */
function LeadSkeleton() {
  return (
    <span className="flex h-5 items-center">
      <Skeleton className="h-3.5 w-32" />
    </span>
  )
}

/** Explains a page for administrators to others. The server refuses their calls either way. */
function AdminGate({ isForAdmins, children }: { readonly isForAdmins: boolean; readonly children: ReactNode }) {
  const t = useT()
  const { isAdmin } = useSession()
  if (!isForAdmins || isAdmin) return children
  return (
    <div className="rounded-md border bg-surface">
      <EmptyState icon={<Lock />} title={t('list.forbidden')} text={t('list.forbidden.text')} />
    </div>
  )
}
