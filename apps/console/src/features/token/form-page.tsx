import { type TokenForm as ShownToken, type TokenRow, token } from '@sluice/contract'
import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useState } from 'react'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall, useRead } from '../../lib/use-call.ts'
import { Page } from '../../ui/page.tsx'
import { ReadGate } from '../../ui/read-gate.tsx'
import { CreatedDialog } from './created-dialog.tsx'
import { TokenForm, useTokenForm } from './token-form.tsx'
import { changesOf, newToken, valuesOf } from './token-values.ts'

export function TokenAddPage() {
  const t = useT()
  const client = useQueryClient()
  const form = useTokenForm(newToken)
  const [created, setCreated] = useState<{ readonly row: TokenRow; readonly isOpen: boolean } | null>(null)
  const create = useCall(token.create, {
    onDone: async (row) => {
      showToast('success', t('token.created.toast'))
      form.reset(newToken)
      setCreated({ row, isOpen: true })
      await client.invalidateQueries({ queryKey: ['token'] })
    },
  })
  return (
    <Page title={t('token.add.title')} lead={t('token.lead')} isNarrow>
      <TokenForm form={form} saveLabel={t('token.create')} isBusy={create.isPending} onSend={(input) => create.mutate(input)} />
      {created === null ? null : <CreatedDialog {...created} onClose={() => setCreated({ ...created, isOpen: false })} />}
    </Page>
  )
}

export function TokenEditPage() {
  const t = useT()
  const { id } = useParams({ from: '/guarded/token/edit/$id' })
  const row = useRead(token.get, { input: { id } })
  return (
    <Page title={t('token.edit.title')} lead={row.data?.name} isNarrow>
      <ReadGate read={row}>{(data) => <EditForm key={data.id} row={data} />}</ReadGate>
    </Page>
  )
}

function EditForm({ row }: { readonly row: ShownToken }) {
  const t = useT()
  const client = useQueryClient()
  // The row that filled the fields. `row` may be read again while the form is open, and then differs from the fields.
  const [shown, setShown] = useState(row)
  const form = useTokenForm(valuesOf(shown))
  const update = useCall(token.update, {
    onDone: async (saved) => {
      showToast('success', t('token.updated.toast'))
      setShown(saved)
      form.reset(valuesOf(saved))
      client.setQueryData(['read', token.get.path, { id: String(row.id) }], saved)
      await client.invalidateQueries({ queryKey: ['token'] })
    },
  })
  return (
    <TokenForm
      form={form}
      saveLabel={t('action.save')}
      isBusy={update.isPending}
      onSend={(input) => update.mutate(changesOf(shown, input))}
    />
  )
}
