import { type ChannelRow, channel, channelStatus, rawProxyType } from '@sluice/contract'
import { useNavigate } from '@tanstack/react-router'
import { Copy, FileDown, KeyRound, ListChecks, ScrollText, Wallet, Zap } from 'lucide-react'
import { type Crud, useCrudActions, useCrudBulk } from '../../crud/use-crud.ts'
import type { Update } from '../../crud/use-update.ts'
import { useSession } from '../../lib/session.ts'
import { useT } from '../../lib/t.ts'
import type { ListView } from '../../lib/use-list.ts'
import { vendorByType } from '../../lib/vendors.ts'
import { type BulkAction, detailsAction, type RowAction } from '../../ui/table/actions.ts'
import { useBulkValues } from './bulk-values.tsx'
import type { BalanceQuery } from './use-channel-balance.ts'
import type { ChannelTest } from './use-channel-test.ts'

const channelCrud: Crud<ChannelRow> = {
  editPath: '/channel/edit/$id',
  setStatus: channel.update,
  remove: channel.remove,
  statuses: { on: channelStatus.enabled, off: channelStatus.disabled },
  texts: { deleteOne: 'channel.delete.title', deleteMany: 'channel.delete.many', deleteText: 'channel.delete.text' },
}

interface ChannelListActions {
  readonly list: ListView<ChannelRow>
  readonly edit: Update<ChannelRow>
  readonly test: ChannelTest
  readonly balance: BalanceQuery
}

interface ChannelRowActions extends ChannelListActions {
  /** Opens the sheet of a row. */
  readonly open: (row: ChannelRow) => void
  /** Opens the dialog for a new key. */
  readonly setKey: (row: ChannelRow) => void
  /** Opens the tests of a channel's models. */
  readonly testModels: (row: ChannelRow) => void
}

/** Whether the key is one text: keys of other types are made of members of the configuration, and are replaced in the form. */
export function hasSingleKey({ type }: ChannelRow): boolean {
  return vendorByType(type)?.key.fields === undefined
}

/** Raw proxies are root's. Others see them. */
export function mayEdit({ type }: Pick<ChannelRow, 'type'>, isRoot: boolean): boolean {
  return type !== rawProxyType || isRoot
}

/** What everybody may do who sees the channel. */
const readActions: readonly string[] = ['details', 'logs']

/** The actions on one channel. */
export function useChannelActions({
  list,
  edit,
  test,
  balance,
  open,
  setKey,
  testModels,
}: ChannelRowActions): (row: ChannelRow) => readonly RowAction[] {
  const t = useT()
  const navigate = useNavigate()
  const { isRoot } = useSession()
  const crud = useCrudActions(channelCrud, list, edit)
  const actionsOn = (row: ChannelRow): readonly RowAction[] => [
    {
      id: 'test',
      label: t('channel.test'),
      icon: Zap,
      key: 't',
      isInline: true,
      isBusy: test.isTesting(row.id),
      act: () => test.run(row),
    },
    crud.edit(row),
    detailsAction(t('action.details'), () => open(row)),
    ...(vendorByType(row.type)?.askBalance === undefined
      ? []
      : [
          {
            id: 'balance',
            label: t('channel.balance.update'),
            icon: Wallet,
            isBusy: balance.isAsking(row.id),
            act: () => balance.run(row),
          },
        ]),
    { id: 'logs', label: t('channel.logs'), icon: ScrollText, link: { to: '/log', search: { channel: row.id } } },
    { id: 'models', label: t('channel.models.test'), icon: ListChecks, isDisabled: row.models === '', act: () => testModels(row) },
    ...(hasSingleKey(row) ? [{ id: 'key', label: t('channel.newKey'), icon: KeyRound, act: () => setKey(row) }] : []),
    {
      id: 'copy',
      label: t('channel.copy'),
      icon: Copy,
      act: () => navigate({ to: '/channel/add', search: { from: String(row.id) } }),
    },
    crud.toggle(row),
    crud.remove(row),
  ]
  return (row) => actionsOn(row).filter(({ id }) => mayEdit(row, isRoot) || readActions.includes(id))
}

/** The actions on many channels. */
export function useChannelBulk({
  list,
  test,
  balance,
  exportRows,
}: Omit<ChannelListActions, 'edit'> & { readonly exportRows: (rows: readonly ChannelRow[]) => void }): readonly BulkAction<ChannelRow>[] {
  const t = useT()
  const crud = useCrudBulk(channelCrud, list)
  const values = useBulkValues(list)
  return [
    { id: 'test', label: t('channel.test'), icon: Zap, act: test.runQuietly },
    { id: 'balance', label: t('channel.balance.update'), icon: Wallet, act: balance.runQuietly },
    ...values,
    { id: 'export', label: t('channel.export'), icon: FileDown, take: exportRows },
    ...crud,
  ]
}
