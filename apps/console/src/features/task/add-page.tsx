import { orderKinds, type TaskRow, type TokenRow, task, token, tokenStatus } from '@sluice/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { FormProvider, useForm } from 'react-hook-form'
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
import { OrderFields } from './order-fields.tsx'
import { OrderPrice } from './order-price.tsx'
import { newOrder, type OrderValues, orderResolver, valuesOf } from './task-order.ts'
import { useModelFields } from './use-model-fields.ts'
import { useOrder } from './use-order.ts'

/** The most tokens that the form offers. */
const tokensMax = 100

/** Orders a video, a picture or a song. */
export function TaskAddPage() {
  const t = useT()
  const search = useSearch({ strict: false })
  const from = String(search.from ?? '')
  const kind = orderKinds.find((name) => name === search.kind) ?? newOrder.kind
  const tokens = useRead(token.list, { input: { size: tokensMax, status: tokenStatus.enabled } })
  return (
    <Page title={t('task.add.title')} parent={{ to: '/task', label: t('nav.task') }} lead={t('task.add.lead')} isNarrow>
      <ReadGate read={tokens}>
        {(rows) => {
          if (rows.length === 0) return <NoToken />
          return from === '' ? <OrderForm tokens={rows} values={{ ...newOrder, kind }} /> : <Again key={from} id={from} tokens={rows} />
        }}
      </ReadGate>
    </Page>
  )
}

interface AgainProps {
  readonly id: string
  readonly tokens: readonly TokenRow[]
}

/** The order of an earlier task. */
function Again({ id, tokens }: AgainProps) {
  const read = useRead(task.get, { input: { id } })
  return <ReadGate read={read}>{(row: TaskRow) => <OrderForm tokens={tokens} values={valuesOf(row)} />}</ReadGate>
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

interface OrderFormProps {
  readonly tokens: readonly TokenRow[]
  readonly values: OrderValues
}

function OrderForm({ tokens, values }: OrderFormProps) {
  const t = useT()
  const client = useQueryClient()
  const navigate = useNavigate()
  const [files, setFiles] = useState<readonly File[]>([])
  // The first one, which was created last.
  const [defaults] = useState({ ...values, token: String(tokens[0]?.id ?? '') })
  const form = useForm<OrderValues>({ defaultValues: defaults, resolver: orderResolver })
  const fields = useModelFields(form)
  const order = useOrder(form, {
    tokens,
    parts: { files, fields },
    onDone: async (id, ordered) => {
      const isAsOrdered = takeSaved(form, { sent: ordered, stored: ordered })
      // Somebody who types on stays with the next order.
      if (!isAsOrdered) return
      setFiles([])
      await client.invalidateQueries({ queryKey: ['task'] })
      void navigate({ to: '/task', search: id === null ? {} : { row: id } })
    },
  })
  const { errors, isDirty } = form.formState
  return (
    <FormProvider {...form}>
      <GuardedForm
        isDirty={isDirty || files.length > 0}
        failure={order.failure}
        onSubmit={submitter(form, order.send)}
        submitsByEnter={false}
      >
        {order.refusal === null ? null : (
          <div className="mb-4">
            <Alert kind="error">{order.refusal}</Alert>
          </div>
        )}
        <OrderFields tokens={tokens} files={files} setFiles={setFiles} fields={fields} />
        <FormActions errorCount={Object.keys(errors).length}>
          <Button type="submit" look="primary" isBusy={order.isBusy}>
            {t(order.isBusy ? 'task.add.submitting' : 'task.add.submit')}
          </Button>
          <ButtonLink to="/task">{t('action.cancel')}</ButtonLink>
          <OrderPrice files={files} fields={fields} />
        </FormActions>
      </GuardedForm>
    </FormProvider>
  )
}
