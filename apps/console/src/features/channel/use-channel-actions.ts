import { type ChannelRow, channel, channelStatus } from '@sluice/contract'
import { CirclePause, CirclePlay, Pencil, Trash2, Zap } from 'lucide-react'
import { call } from '../../lib/api.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall } from '../../lib/use-call.ts'
import type { ListView } from '../../lib/use-list.ts'
import type { BulkAction, RowAction } from '../../ui/table/actions.ts'
import { type ChannelEdit, otherStatus } from './use-channel-edit.ts'
import type { ChannelTest } from './use-channel-test.ts'

interface ChannelListActions {
  readonly list: ListView<ChannelRow>
  readonly edit: ChannelEdit
  readonly test: ChannelTest
}

/** The actions on one channel. */
export function useChannelActions({ list, edit, test }: ChannelListActions): (row: ChannelRow) => readonly RowAction[] {
  const t = useT()
  const remove = useCall(channel.remove, {
    onDone: (_, { id }) => {
      list.remove(Number(id))
      showToast('success', t('action.done'))
    },
  })
  return (row) => {
    const isEnabled = row.status === channelStatus.enabled
    return [
      {
        id: 'test',
        label: t('channel.test'),
        icon: Zap,
        key: 't',
        isInline: true,
        isBusy: test.isTesting(row.id),
        act: () => test.run(row),
      },
      {
        id: 'edit',
        label: t('action.edit'),
        icon: Pencil,
        key: 'e',
        isInline: true,
        link: { to: '/channel/edit/$id', params: { id: String(row.id) } },
      },
      {
        id: 'toggle',
        label: t(isEnabled ? 'action.disable' : 'action.enable'),
        icon: isEnabled ? CirclePause : CirclePlay,
        act: () => edit.set(row, { status: otherStatus(row.status) }),
      },
      {
        id: 'delete',
        label: t('action.delete'),
        icon: Trash2,
        key: 'Delete',
        isDangerous: true,
        confirm: { title: t('channel.delete.title', { name: row.name }), text: t('channel.delete.text') },
        act: () => remove.mutateAsync({ id: row.id }),
      },
    ]
  }
}

/** The actions on many channels. */
export function useChannelBulk({ list, test }: Omit<ChannelListActions, 'edit'>): readonly BulkAction<ChannelRow>[] {
  const t = useT()
  const set = async ({ id }: ChannelRow, status: number) => list.patch(id, await call(channel.update, { id, status }))
  return [
    { id: 'test', label: t('channel.test'), icon: Zap, act: test.runQuietly },
    { id: 'enable', label: t('action.enable'), icon: CirclePlay, act: (row) => set(row, channelStatus.enabled) },
    { id: 'disable', label: t('action.disable'), icon: CirclePause, act: (row) => set(row, channelStatus.disabled) },
    {
      id: 'delete',
      label: t('action.delete'),
      icon: Trash2,
      isDangerous: true,
      confirm: (count) => ({ title: t('channel.delete.many', { count }), text: t('channel.delete.text') }),
      act: async ({ id }) => {
        await call(channel.remove, { id })
        list.remove(id)
      },
    },
  ]
}
