import { creatableTaskKinds, type TaskRow, type TokenRow, task, token, tokenStatus, type VideoChange, videoChanges } from '@sluice/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { FormProvider, useForm } from 'react-hook-form'
import { type Preload, prefetch, type SearchParams } from '../../lib/preload.ts'
import { invalidateUsage, readOptions, refetchNoun } from '../../lib/reads.ts'
import { submitter, takeSaved } from '../../lib/saved-values.ts'
import { useT } from '../../lib/t.ts'
import { useRead } from '../../lib/use-call.ts'
import { Alert } from '../../ui/alert.tsx'
import { Button, ButtonLink } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { FormActions } from '../../ui/form.tsx'
import { GuardedForm } from '../../ui/guarded-form.tsx'
import { Page } from '../../ui/page.tsx'
import { ReadGate } from '../../ui/read-gate.tsx'
import { CreateFields, startModels } from './create-fields.tsx'
import { type Change, changeValuesOf, newTaskValues, type TaskFormValues, taskResolver, valuesOf } from './task-form-values.ts'
import { TaskPrice } from './task-price.tsx'
import { useModelFields } from './use-model-fields.ts'
import { useTaskForm } from './use-task-form.ts'

/** The most tokens that the form offers. */
const tokensMax = 100

const payers = { size: tokensMax, status: tokenStatus.enabled }

const kindIn = ({ kind }: SearchParams) => creatableTaskKinds.find((name) => name === kind) ?? newTaskValues.kind

export const preload: Preload = (client, search) => {
  prefetch(client, readOptions(token.list, payers))
  const from = String(search['from'] ?? '')
  if (from === '') startModels(client, kindIn(search))
  else prefetch(client, readOptions(task.get, { id: from }))
}

/**
 * Creates a video, an image or a song. Not made by `EntityAddPage`: a task request is a call of the gateway with a token and files, not of the
 * management API, its fields depend on the model, and its success leads to the list.
 */
export function TaskAddPage() {
  const t = useT()
  const search = useSearch({ strict: false })
  const from = String(search.from ?? '')
  const kind = kindIn(search)
  const tokens = useRead(token.list, { input: payers, isPreloaded: true })
  const action = videoChanges.find((name) => name === search.action) ?? null
  return (
    <Page
      title={t(action === null ? 'task.add.title' : `task.change.${action}.title`)}
      parent={{ to: '/task', label: t('nav.task') }}
      lead={t(action === null ? 'task.add.lead' : 'task.change.lead')}
      isNarrow
    >
      <ReadGate read={tokens} isFresh>
        {(rows) => {
          if (rows.length === 0) return <NoToken />
          if (from === '') return <TaskForm tokens={rows} values={{ ...newTaskValues, kind }} change={null} />
          return <Again key={`${from} ${action}`} id={from} tokens={rows} action={action} />
        }}
      </ReadGate>
    </Page>
  )
}

interface AgainProps {
  readonly id: string
  readonly tokens: readonly TokenRow[]
  /** What is done to its video; `null` = a new one is created from it. */
  readonly action: VideoChange | null
}

/** The order of an earlier task, or one that changes what it made. */
function Again({ id, tokens, action }: AgainProps) {
  const read = useRead(task.get, { input: { id }, isPreloaded: true })
  return (
    <ReadGate read={read} isFresh>
      {(row: TaskRow) =>
        action === null ? (
          <TaskForm tokens={tokens} values={valuesOf(row)} change={null} />
        ) : (
          <TaskForm tokens={tokens} values={changeValuesOf(row)} change={{ action, id: row.public_id }} />
        )
      }
    </ReadGate>
  )
}

function NoToken() {
  const t = useT()
  return (
    <div className="rounded-md border bg-surface">
      <EmptyState
        icon={<KeyRound />}
        title={t('task.add.token.none')}
        text={t('task.add.token.none.text')}
        action={
          <ButtonLink to="/token/add" look="primary">
            {t('task.add.token.go')}
          </ButtonLink>
        }
      />
    </div>
  )
}

interface TaskFormProps {
  readonly tokens: readonly TokenRow[]
  readonly values: TaskFormValues
  readonly change: Change | null
}

function TaskForm({ tokens, values, change }: TaskFormProps) {
  const t = useT()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [files, setFiles] = useState<readonly File[]>([])
  // The first one, which was created last.
  const [defaults] = useState({ ...values, token: String(tokens[0]?.id ?? '') })
  const form = useForm<TaskFormValues>({ defaultValues: defaults, resolver: taskResolver })
  const fields = useModelFields(form, change)
  const params = useTaskForm(form, {
    tokens,
    parts: { files, fields, change },
    onDone: async (id, submitted) => {
      const isAsSubmitted = takeSaved(form, { submitted: submitted, stored: submitted })
      // Somebody who types on stays with the next order.
      if (!isAsSubmitted) return
      setFiles([])
      invalidateUsage(client)
      await refetchNoun(client, task.list)
      void navigate({ to: '/task', search: id === null ? {} : { row: id } })
    },
  })
  const { errors, isDirty } = form.formState
  return (
    <FormProvider {...form}>
      <GuardedForm
        isDirty={isDirty || files.length > 0}
        failure={params.failure}
        onSubmit={submitter(form, params.send)}
        submitsByEnter={false}
      >
        {params.refusal === null ? null : (
          <div className="mb-4">
            <Alert kind="error">{params.refusal}</Alert>
          </div>
        )}
        <CreateFields tokens={tokens} files={files} setFiles={setFiles} fields={fields} change={change} />
        <FormActions errorCount={Object.keys(errors).length}>
          <Button type="submit" look="primary" isBusy={params.isBusy}>
            {t(params.isBusy ? 'task.add.submitting' : 'task.add.submit')}
          </Button>
          <ButtonLink to="/task">{t('action.cancel')}</ButtonLink>
          <TaskPrice files={files} fields={fields} change={change} />
        </FormActions>
      </GuardedForm>
    </FormProvider>
  )
}
