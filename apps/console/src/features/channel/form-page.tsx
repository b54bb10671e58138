import { type ChannelRow, channel } from '@sluice/contract'
import { vendors } from '@sluice/vendors/list'
import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall, useRead } from '../../lib/use-call.ts'
import { Page } from '../../ui/page.tsx'
import { ReadGate } from '../../ui/read-gate.tsx'
import { ChannelForm } from './channel-form.tsx'
import { newChannel, valuesOf } from './channel-values.ts'
import { useChannelForm } from './use-channel-form.ts'

const emptyForm = newChannel(vendors[0]?.type ?? 1)

export function ChannelAddPage() {
  const t = useT()
  const client = useQueryClient()
  const form = useChannelForm({ values: emptyForm, id: null, config: '' })
  const create = useCall(channel.create, {
    onDone: async () => {
      showToast('success', t('channel.created'))
      form.reset(emptyForm)
      // Its fields are known again when they are drawn.
      requestAnimationFrame(() => form.setFocus('name'))
      await client.invalidateQueries({ queryKey: ['channel'] })
    },
  })
  return (
    <Page title={t('channel.add.title')} lead={t('channel.add.lead')} isNarrow>
      <ChannelForm form={form} isNew isBusy={create.isPending} onSend={(input) => create.mutate(input)} />
    </Page>
  )
}

export function ChannelEditPage() {
  const t = useT()
  const { id = '' } = useParams({ strict: false })
  const row = useRead(channel.get, { input: { id } })
  return (
    <Page title={t('channel.edit.title')} lead={row.data === undefined ? undefined : `#${row.data.id} ${row.data.name}`} isNarrow>
      <ReadGate read={row}>{(data) => <EditForm key={data.id} row={data} />}</ReadGate>
    </Page>
  )
}

function EditForm({ row }: { readonly row: ChannelRow }) {
  const t = useT()
  const client = useQueryClient()
  const form = useChannelForm({ values: valuesOf(row), id: row.id, config: row.config })
  const update = useCall(channel.update, {
    onDone: async (saved) => {
      showToast('success', t('channel.updated'))
      form.reset(valuesOf(saved))
      client.setQueryData(['read', channel.get.path, { id: String(row.id) }], saved)
      await client.invalidateQueries({ queryKey: ['channel'] })
    },
  })
  return <ChannelForm form={form} isNew={false} isBusy={update.isPending} onSend={(input) => update.mutate({ id: row.id, ...input })} />
}
