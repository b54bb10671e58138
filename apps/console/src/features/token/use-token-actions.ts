import { type TokenRow, token, tokenStatus } from '@sluice/contract'
import { CirclePause, CirclePlay, Copy, Link, MessageSquare, Pencil, Trash2 } from 'lucide-react'
import { useCallback } from 'react'
import { copyText } from '../../lib/clipboard.ts'
import { useStatus } from '../../lib/status.ts'
import { storage } from '../../lib/storage.ts'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall } from '../../lib/use-call.ts'
import type { ListView } from '../../lib/use-list.ts'
import type { RowAction } from '../../ui/table/actions.ts'
import { chatFormats, chatLinks, chatTarget } from './chat-links.ts'
import { trustedHosts } from './trusted-hosts.ts'

/** Copies a text; if that fails, shows it to be copied by hand. */
export function useCopy(show: (text: string) => void): (text: string) => Promise<void> {
  const t = useT()
  return useCallback(
    async (text) => {
      if (await copyText(text)) return showToast('success', t('copy.done'))
      showToast('warning', t('copy.failed'))
      show(text)
    },
    [t, show],
  )
}

/** The actions on one token. */
export function useTokenActions(list: ListView<TokenRow>, copy: (text: string) => Promise<void>): (row: TokenRow) => readonly RowAction[] {
  const t = useT()
  const status = useStatus()
  const toggle = useToggle(list)
  const remove = useCall(token.remove, {
    onDone: (_, { id }) => {
      list.remove(Number(id))
      showToast('success', t('action.done'))
    },
  })
  return (row) => {
    const target = chatTarget(row.key, status, location.origin)
    const hosts = trustedHosts(storage, location.origin)
    const unknown = hosts.unknown([target.chat, target.server])
    const isEnabled = row.status === tokenStatus.enabled
    return [
      { id: 'copy', label: t('action.copy'), icon: Copy, key: 'c', isInline: true, act: () => copy(target.key) },
      {
        id: 'edit',
        label: t('action.edit'),
        icon: Pencil,
        key: 'e',
        isInline: true,
        link: { to: '/token/edit/$id', params: { id: String(row.id) } },
      },
      {
        id: 'toggle',
        label: t(isEnabled ? 'action.disable' : 'action.enable'),
        icon: isEnabled ? CirclePause : CirclePlay,
        act: () => toggle(row),
      },
      {
        id: 'chat',
        label: t('token.chat'),
        icon: MessageSquare,
        ...(unknown.length === 0
          ? {}
          : { confirm: { title: t('token.chat.title', { hosts: unknown.join(', ') }), text: t('token.chat.text') } }),
        act: () => {
          hosts.trust(unknown)
          open(chatLinks.next(target), '_blank', 'noopener,noreferrer')
        },
      },
      ...chatFormats.map((format) => ({
        id: format,
        label: t(`token.copy.${format}`),
        icon: Link,
        group: t('token.copy.group'),
        act: () => copy(chatLinks[format](target)),
      })),
      {
        id: 'delete',
        label: t('action.delete'),
        icon: Trash2,
        key: 'Delete',
        isDangerous: true,
        confirm: { title: t('token.delete.title', { name: row.name }), text: t('token.delete.text') },
        act: () => remove.mutateAsync({ id: row.id }),
      },
    ]
  }
}

/** Enables or disables: shown at once, replaced by the answer, reverted if refused. Undo does the opposite. */
function useToggle({ patch }: ListView<TokenRow>): (row: TokenRow) => Promise<void> {
  const t = useT()
  const setStatus = useCall(token.setStatus)
  const set = async (row: TokenRow, status: 1 | 2): Promise<TokenRow> => {
    patch(row.id, { status })
    try {
      const answer = await setStatus.mutateAsync({ id: row.id, status })
      patch(row.id, answer)
      return answer
    } catch (error) {
      patch(row.id, { status: row.status })
      throw error
    }
  }
  return async (row) => {
    const answer = await set(row, other(row.status))
    // The status of an exhausted or expired token cannot be restored.
    const canUndo = row.status === tokenStatus.enabled || row.status === tokenStatus.disabled
    // The call itself reports a refusal.
    const undo = () => void set(answer, other(answer.status)).catch(() => null)
    showToast('success', t('action.done'), canUndo ? undo : undefined)
  }
}

function other(status: number): 1 | 2 {
  return status === tokenStatus.enabled ? tokenStatus.disabled : tokenStatus.enabled
}
