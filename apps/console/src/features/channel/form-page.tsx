import { type ChannelRow, channel } from '@sluice/contract'
import { vendors } from '@sluice/vendors/list'
import { useQueryClient } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import { Lock } from 'lucide-react'
import { useSession } from '../../lib/session.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall, useRead } from '../../lib/use-call.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { ReadGate } from '../../ui/read-gate.tsx'
import { ChannelForm } from './channel-form.tsx'
import { newChannel, valuesOf } from './channel-values.ts'
import { useGroupsRead } from './use-catalogue.ts'
import { useChannelForm } from './use-channel-form.ts'

const emptyForm = newChannel(vendors[0]?.type ?? 1)

export function ChannelAddPage() {
  const t = useT()
  const isForbidden = useIsForbidden()
  const client = useQueryClient()
  const form = useChannelForm({ values: emptyForm, id: null, config: '' })
  const create = useCall(channel.create, {
    onDone: async () => {
      showToast('success', t('channel.created'))
      form.reset(emptyForm)
      // The fields are registered again when they are rendered.
      requestAnimationFrame(() => form.setFocus('name'))
      await client.invalidateQueries({ queryKey: ['channel'] })
    },
  })
  return (
    <Page title={t('channel.add.title')} lead={t('channel.add.lead')} isNarrow>
      {isForbidden ? (
        <div className="rounded-md border bg-surface">
          <EmptyState icon={<Lock />} title={t('list.forbidden')} text={t('list.forbidden.text')} />
        </div>
      ) : (
        <ChannelForm form={form} isNew isBusy={create.isPending} onSend={(input) => create.mutate(input)} />
      )}
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

/** The server refused the form's data, and the account is not an administrator's. */
function useIsForbidden(): boolean {
  const { isAdmin } = useSession()
  return useGroupsRead().isError && !isAdmin
}
