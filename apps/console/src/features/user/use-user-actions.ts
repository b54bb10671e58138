import { role, secondFactor, type UserAction, type UserRow, user, userStatus } from '@sluice/contract'
import { ArrowDownToLine, ArrowUpToLine, CirclePause, CirclePlay, Pencil, Plus, ScrollText, ShieldOff, Trash2 } from 'lucide-react'
import { useBulkGroup } from '../../crud/use-bulk-group.tsx'
import { useRevokeChoice } from '../../crud/use-revoke-choice.tsx'
import { call } from '../../lib/api.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall } from '../../lib/use-call.ts'
import type { ListView } from '../../lib/use-list.ts'
import { type BulkAction, detailsAction, type RowAction } from '../../ui/table/actions.ts'

interface Openers {
  /** Opens the sheet of a row. */
  readonly open: (row: UserRow) => void
  /** Opens the dialog that adds to a balance. */
  readonly addQuota: (row: UserRow) => void
  /** Does something that needs a recent login. */
  readonly ensure: (act: () => void) => void
}

/** The actions on one account. A super admin's row has none that change its standing (specification, section 6). */
export function useUserActions(list: ListView<UserRow>, { open, addQuota, ensure }: Openers): (row: UserRow) => readonly RowAction[] {
  const t = useT()
  const { mutateAsync: manage } = useCall(user.manage, { onRefused: list.refresh })
  const clearing = useClearing(list)
  const revoke = useRevokeChoice()
  const act = async (row: UserRow, action: UserAction, choice?: { readonly revoke_access_tokens: boolean }) => {
    const standing = await manage({ username: row.username, action, ...choice })
    if (action === 'delete') list.remove(row.id)
    else list.patch(row.id, standing)
    showToast('success', t('action.done'))
  }
  return (row) => {
    const name = row.username
    const isDisabled = row.role >= role.root
    const isActive = row.status === userStatus.enabled
    return [
      { id: 'quota', label: t('user.addQuota'), icon: Plus, isInline: true, key: '+', act: () => addQuota(row) },
      {
        id: 'edit',
        label: t('action.edit'),
        icon: Pencil,
        key: 'e',
        isInline: true,
        link: { to: '/user/edit/$id', params: { id: String(row.id) } },
      },
      detailsAction(t('action.details'), () => open(row)),
      { id: 'logs', label: t('user.logs'), icon: ScrollText, link: { to: '/log', search: { user: name } } },
      ...(row.second_factor && !isDisabled ? [clearing(row)] : []),
      {
        id: 'promote',
        label: t('user.promote'),
        icon: ArrowUpToLine,
        isDisabled,
        confirm: { title: t('user.promote.title', { name }), text: t('user.promote.text'), extra: revoke.field },
        act: () => act(row, 'promote', revoke.read()),
      },
      {
        id: 'demote',
        label: t('user.demote'),
        icon: ArrowDownToLine,
        isDisabled,
        confirm: { title: t('user.demote.title', { name }), text: t('user.demote.text') },
        act: () => act(row, 'demote'),
      },
      isActive
        ? {
            id: 'toggle',
            label: t('action.disable'),
            icon: CirclePause,
            isDisabled,
            confirm: { title: t('user.disable.title', { name }), text: t('user.disable.text'), extra: revoke.field },
            act: () => act(row, 'disable', revoke.read()),
          }
        : { id: 'toggle', label: t('action.enable'), icon: CirclePlay, isDisabled, act: () => act(row, 'enable') },
      {
        id: 'delete',
        label: t('action.delete'),
        icon: Trash2,
        key: 'Delete',
        isDangerous: true,
        isDisabled,
        confirm: { title: t('user.delete.title', { name }), text: t('user.delete.text') },
        // The call itself reports a refusal.
        act: () => ensure(() => void act(row, 'delete').catch(() => null)),
      },
    ]
  }
}

/** Removes what the owner of an account has lost. */
function useClearing(list: ListView<UserRow>): (row: UserRow) => RowAction {
  const t = useT()
  const { mutateAsync: clear } = useCall(secondFactor.clear, { onRefused: list.refresh })
  const revoke = useRevokeChoice()
  return ({ id, username: name }) => ({
    id: 'second-factor',
    label: t('user.clearFactor'),
    icon: ShieldOff,
    confirm: { title: t('user.clearFactor.title', { name }), text: t('user.clearFactor.text'), extra: revoke.field },
    act: async () => {
      await clear({ id, ...revoke.read() })
      list.patch(id, { second_factor: false })
      showToast('success', t('action.done'))
    },
  })
}

/** The actions on many accounts. */
export function useUserBulk(list: ListView<UserRow>, ensure: Openers['ensure']): readonly BulkAction<UserRow>[] {
  const t = useT()
  const revoke = useRevokeChoice()
  return [
    useBulkGroup<UserRow>({
      hint: t('user.bulk.group.hint'),
      allowsCustom: true,
      save: async ({ id }, group) => {
        await call(user.update, { id, password: '', current_password: '', group })
        list.patch(id, { group })
      },
    }),
    {
      id: 'enable',
      label: t('action.enable'),
      icon: CirclePlay,
      act: async ({ id, username }) => list.patch(id, await call(user.manage, { username, action: 'enable' })),
    },
    {
      id: 'disable',
      label: t('action.disable'),
      icon: CirclePause,
      confirm: (count) => ({ title: t('user.disable.many', { count }), text: t('user.disable.text'), extra: revoke.field }),
      act: async ({ id, username }) => list.patch(id, await call(user.manage, { username, action: 'disable', ...revoke.read() })),
    },
    {
      id: 'delete',
      label: t('action.delete'),
      icon: Trash2,
      isDangerous: true,
      confirm: (count) => ({ title: t('user.delete.many', { count }), text: t('user.delete.text') }),
      ensure,
      act: async ({ id, username }) => {
        await call(user.manage, { username, action: 'delete' })
        list.remove(id)
      },
    },
  ]
}
