import type { Endpoint, InputOf } from '@sluice/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useParams, useSearch } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import { type ComponentType, type ReactNode, useState } from 'react'
import { type FieldPath, type FieldValues, FormProvider, type Resolver, type UseFormReturn, useForm } from 'react-hook-form'
import type { ZodMiniType } from 'zod/mini'
import { changedElsewhere, toastError } from '../lib/api.ts'
import { readKey, readOptions } from '../lib/reads.ts'
import { showRefusal } from '../lib/refused-field.ts'
import { submitter, takeSaved, useSent } from '../lib/saved-values.ts'
import { useSession } from '../lib/session.ts'
import { type MessageKey, useT } from '../lib/t.ts'
import { showToast } from '../lib/toasts.ts'
import { useCall, useRead } from '../lib/use-call.ts'
import { useOpenRow } from '../lib/use-open-row.ts'
import { Button, ButtonLink } from '../ui/button.tsx'
import { EmptyState } from '../ui/empty-state.tsx'
import { FormActions } from '../ui/form.tsx'
import { GuardedForm } from '../ui/guarded-form.tsx'
import { Page } from '../ui/page.tsx'
import type { PagePath } from '../ui/page-path.ts'
import { ReadGate } from '../ui/read-gate.tsx'
import { Skeleton } from '../ui/skeleton.tsx'
import { ConflictPanel, type FieldTexts, showConflicts } from './conflict-panel.tsx'
import { ShownRow } from './shown-row.ts'

/** What a noun says about its forms. `Shown` is the row that fills a form, `Values` what is typed, `Input` what the calls receive. */
export interface EntitySpec<Shown, Values extends FieldValues, Input extends object, Created> {
  /** The list, where "cancel" leads. */
  readonly listPath: PagePath
  readonly texts: {
    /** The name of the list. */
    readonly list: MessageKey
    readonly addTitle: MessageKey
    readonly addLead?: MessageKey
    readonly add: MessageKey
    readonly added: MessageKey
    readonly editTitle: MessageKey
    readonly edited: MessageKey
  }
  readonly get: Endpoint<ZodMiniType, ZodMiniType<Shown>>
  readonly create: Endpoint<ZodMiniType, ZodMiniType<Created>>
  /** Answers with the stored row, or with nothing; then it is read again. */
  readonly update: Endpoint<ZodMiniType, ZodMiniType<Shown | null>>
  readonly newValues: Values
  /** The values of a copy of a row; with it, the parameter `from` of the add page's address names a row to copy. */
  readonly toCopy?: (shown: Shown) => Values
  readonly toValues: (shown: Shown) => Values
  /** Checks the values and makes the input. `null` = a new row. */
  readonly resolverFor: (shown: Shown | null) => Resolver<Values, unknown, Input>
  /** The input of `update`: the id and the changed fields. Without it, the whole input and the id. */
  readonly toUpdate?: (shown: Shown, input: Input) => object
  /** Fields of which a save says what the form showed: the server refuses it where somebody else has changed one meanwhile. */
  readonly compared?: { readonly names: readonly (keyof Shown & string)[]; readonly texts: FieldTexts }
  /** Beside the title of an edit page: which row it is. */
  readonly nameOf: (shown: Shown) => ReactNode
  readonly firstField: FieldPath<Values>
  readonly Fields: ComponentType<{ readonly isNew: boolean }>
  /** Further buttons beside "save", and what they report. */
  readonly Actions?: ComponentType
  /** Shown after a creation, for what can only be seen then. */
  readonly Created?: ComponentType<CreatedProps<Created, Input>>
  readonly isForAdmins?: boolean
}

export interface CreatedProps<Created, Input> {
  readonly created: Created
  readonly input: Input
  readonly isOpen: boolean
  readonly onClose: () => void
}

interface WithId {
  readonly id: number
}

/** Types a noun's forms by its members. */
export function entityForms<Shown extends WithId, Values extends FieldValues, Input extends object, Created>(
  spec: EntitySpec<Shown, Values, Input, Created>,
): EntitySpec<Shown, Values, Input, Created> {
  return spec
}

/**
 * The page of a new row. Like the edit page, it asks before unsaved entries are lost, and keeps what was typed if the server refuses it.
 */
export function EntityAddPage<Shown extends WithId, Values extends FieldValues, Input extends object, Created>(
  spec: EntitySpec<Shown, Values, Input, Created>,
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

interface CopyOfProps<Shown> {
  readonly spec: { readonly get: Endpoint<ZodMiniType, ZodMiniType<Shown>> }
  readonly id: string
  readonly children: (row: Shown) => ReactNode
}

function CopyOf<Shown>({ spec, id, children }: CopyOfProps<Shown>) {
  const read = useRead(spec.get, { input: { id } })
  return (
    <ReadGate read={read} isFresh>
      {children}
    </ReadGate>
  )
}

interface AddFormProps<Shown, Values extends FieldValues, Input extends object, Created> {
  readonly spec: EntitySpec<Shown, Values, Input, Created>
  /** What the form begins with. */
  readonly values: Values
}

function AddForm<Shown extends WithId, Values extends FieldValues, Input extends object, Created>({
  spec,
  values,
}: AddFormProps<Shown, Values, Input, Created>) {
  const t = useT()
  const { texts, newValues, Created } = spec
  const form = useEntityForm(spec, null, values)
  const done = useOpenRow<{ readonly created: Created; readonly input: Input }>()
  const sent = useSent<Values>()
  const create = useCall(spec.create, {
    onDone: (created, input) => {
      showToast('success', t(texts.added))
      const isAsSent = takeSaved(form, { sent: sent.get(input) ?? form.getValues(), stored: newValues })
      // Holds: the form's inputs are what this page sends.
      if (Created !== undefined) done.open({ created, input: input as Input })
      // Somebody who types on stays in that field.
      else if (isAsSent) form.setFocus(spec.firstField)
    },
  })
  const send = (input: Input, values: Values) => {
    sent.set(input, values)
    create.mutate(input, { onError: (failure) => showRefusal(form, failure) })
  }
  return (
    <>
      <EntityForm
        {...spec}
        form={form}
        shown={null}
        isNew
        isBusy={create.isPending}
        failure={create.error}
        onSend={send}
        staysAfterSave={Created !== undefined}
      />
      {done.row === null || Created === undefined ? null : <Created {...done.row} isOpen={done.isOpen} onClose={done.close} />}
    </>
  )
}

/** The page of a row: its form is filled from a row that was read when the page opened, and from the saved row after each save. */
export function EntityEditPage<Shown extends WithId, Values extends FieldValues, Input extends object, Created>(
  spec: EntitySpec<Shown, Values, Input, Created>,
) {
  const t = useT()
  const { id = '' } = useParams({ strict: false })
  const read = useRead(spec.get, { input: { id } })
  return (
    <Page
      title={t(spec.texts.editTitle)}
      parent={{ to: spec.listPath, label: t(spec.texts.list) }}
      lead={read.data !== undefined ? spec.nameOf(read.data) : read.isPending ? <LeadSkeleton /> : undefined}
      isNarrow
    >
      <AdminGate isForAdmins={spec.isForAdmins === true}>
        <ReadGate read={read} isFresh>
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

interface EditFormProps<Shown, Values extends FieldValues, Input extends object, Created> {
  readonly spec: EntitySpec<Shown, Values, Input, Created>
  readonly row: Shown
  readonly routeId: string
}

function EditForm<Shown extends WithId, Values extends FieldValues, Input extends object, Created>({
  spec,
  row,
  routeId,
}: EditFormProps<Shown, Values, Input, Created>) {
  const t = useT()
  const client = useQueryClient()
  // The row that filled the fields. It may be read again while the form is open, and then differs from the fields.
  const [shown, setShown] = useState(row)
  const form = useEntityForm(spec, shown, spec.toValues(shown))
  const sent = useSent<Values>()
  const update = useCall(spec.update, {
    onDone: async (answer, input) => {
      showToast('success', t(spec.texts.edited))
      const saved = answer ?? (await client.fetchQuery(readOptions(spec.get, { id: routeId })))
      client.setQueryData(readKey(spec.get, { id: routeId }), saved)
      setShown(saved)
      takeSaved(form, { sent: sent.get(input) ?? form.getValues(), stored: spec.toValues(saved) })
    },
  })
  const [conflicts, setConflicts] = useState<readonly string[]>([])
  const toInput = (input: Input) => {
    const change = spec.toUpdate?.(shown, input) ?? { id: shown.id, ...input }
    // Holds: the noun's `toUpdate` makes what its endpoint receives.
    return withShown(change, shown, spec.compared?.names ?? []) as InputOf<typeof spec.update>
  }
  const send = (values: Input, typed: Values) => {
    if (conflicts.length > 0) return showConflicts()
    const input = toInput(values)
    sent.set(input, typed)
    update.mutate(input, { onError: refused })
  }
  const check = async () => {
    const stored = await client.fetchQuery({ ...readOptions(spec.get, { id: routeId }), staleTime: 0 })
    setShown(stored)
    return takeSaved(form, { sent: spec.toValues(shown), stored: spec.toValues(stored) })
  }
  const refused = (failure: Error) => {
    showRefusal(form, failure)
    const fields = changedElsewhere(failure)
    // The panel compares with the row as it is now. If that cannot be read, the next save is refused too.
    if (fields.length > 0) void check().then(() => setConflicts(fields), toastError)
  }
  return (
    <EntityForm
      {...spec}
      notice={
        conflicts.length === 0 || spec.compared === undefined ? null : (
          <ConflictPanel
            fields={conflicts}
            stored={spec.toValues(shown)}
            texts={spec.compared.texts}
            onDecided={(field) => setConflicts((present) => present.filter((one) => one !== field))}
          />
        )
      }
      form={form}
      shown={shown}
      isNew={false}
      isBusy={update.isPending}
      failure={update.error}
      onSend={send}
      onCheck={check}
    />
  )
}

/** Adds what the form showed of the fields that an edit changes. */
function withShown<Shown>(change: object, row: Shown, names: readonly (keyof Shown & string)[]): object {
  const shown = names.filter((name) => name in change).map((name) => [name, row[name]])
  return shown.length === 0 ? change : { ...change, shown: Object.fromEntries(shown) }
}

function useEntityForm<Shown, Values extends FieldValues, Input extends object, Created>(
  { resolverFor }: EntitySpec<Shown, Values, Input, Created>,
  shown: Shown | null,
  values: Values,
): UseFormReturn<Values, unknown, Input> {
  // Holds: all values are given, which the library's type of defaults cannot say for a type parameter.
  return useForm<Values, unknown, Input>({ defaultValues: values as never, resolver: resolverFor(shown) })
}

interface EntityFormProps<Values extends FieldValues, Input extends object>
  extends Pick<EntitySpec<never, Values, Input, never>, 'listPath' | 'Fields' | 'texts' | 'Actions'> {
  readonly form: UseFormReturn<Values, unknown, Input>
  readonly shown: unknown
  readonly isNew: boolean
  readonly isBusy: boolean
  /** Why the last save failed. */
  readonly failure: Error | null
  /** Gets the input, and the values of the form that it was made of. */
  readonly onSend: (input: Input, values: Values) => void
  readonly onCheck?: () => Promise<boolean>
  readonly staysAfterSave?: boolean
  /** Above the fields. */
  readonly notice?: ReactNode
}

function EntityForm<Values extends FieldValues, Input extends object>(props: EntityFormProps<Values, Input>) {
  const t = useT()
  const { form, isNew, isBusy, onSend, Fields, Actions, failure, onCheck, staysAfterSave = false } = props
  const { errors, isDirty } = form.formState
  return (
    <FormProvider {...form}>
      <GuardedForm isDirty={isDirty} failure={failure} onCheck={onCheck} staysAfterSave={staysAfterSave} onSubmit={submitter(form, onSend)}>
        <ShownRow value={props.shown}>
          {props.notice}
          <Fields isNew={isNew} />
          <FormActions errorCount={Object.keys(errors).length}>
            <Button type="submit" look="primary" isBusy={isBusy}>
              {t(isBusy ? 'action.saving' : isNew ? props.texts.add : 'action.save')}
            </Button>
            <ButtonLink to={props.listPath}>{t('action.cancel')}</ButtonLink>
            {Actions === undefined ? null : <Actions />}
          </FormActions>
        </ShownRow>
      </GuardedForm>
    </FormProvider>
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
