import { type TokenRow, token, tokenStatus } from '@sluice/contract'
import { Copy, KeyRound, Link, MessageSquare, ScrollText } from 'lucide-react'
import { type Crud, useCrudActions } from '../../crud/use-crud.ts'
import { useUpdate } from '../../crud/use-update.ts'
import { gatewayOrigin } from '../../lib/gateway-address.ts'
import { useStatus } from '../../lib/status.ts'
import { storage } from '../../lib/storage.ts'
import { useT } from '../../lib/t.ts'
import { useCall } from '../../lib/use-call.ts'
import type { ListView } from '../../lib/use-list.ts'
import { detailsAction, type RowAction } from '../../ui/table/actions.ts'
import { chatFormats, chatLinks, chatTarget } from './chat-links.ts'
import { trustedHosts } from './trusted-hosts.ts'

export const tokenCrud: Crud<TokenRow> = {
  editPath: '/token/edit/$id',
  setStatus: token.setStatus,
  remove: token.remove,
  statuses: { on: tokenStatus.enabled, off: tokenStatus.disabled },
  texts: { deleteOne: 'token.delete.title', deleteMany: 'token.delete.many', deleteText: 'token.delete.text' },
}

/** The server does not accept the status of an exhausted or expired token. */
const canRestore = ({ status }: Partial<TokenRow>): boolean => status === tokenStatus.enabled || status === tokenStatus.disabled

/** What needs the key itself. */
const keyActions: ReadonlySet<string> = new Set(['copy', 'chat', ...chatFormats])

interface TokenActions {
  readonly list: ListView<TokenRow>
  readonly copy: (text: string) => Promise<void>
  /** Opens the sheet of a row. */
  readonly openSheet: (row: TokenRow) => void
  /** Shows a new key. */
  readonly showKey: (row: TokenRow) => void
}

/** The actions on one token. */
export function useTokenActions({ list, copy, openSheet, showKey }: TokenActions): (row: TokenRow) => readonly RowAction[] {
  const t = useT()
  const status = useStatus()
  const crud = useCrudActions(tokenCrud, list, useUpdate(token.setStatus, list, canRestore))
  const { mutateAsync: replaceKey } = useCall(token.replaceKey, { onRefused: list.refresh })
  return (row) => {
    const target = chatTarget(row.key, status, gatewayOrigin())
    const hosts = trustedHosts(storage, gatewayOrigin())
    const unknown = hosts.unknown([target.chat, target.server])
    const actions: readonly RowAction[] = [
      { id: 'copy', label: t('action.copy'), icon: Copy, key: 'c', isInline: true, act: () => copy(target.key) },
      crud.edit(row),
      detailsAction(t('action.details'), () => openSheet(row)),
      { id: 'logs', label: t('token.logs'), icon: ScrollText, link: { to: '/log', search: { token: row.name } } },
      crud.toggle(row),
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
        id: 'replace',
        label: t('token.replace'),
        icon: KeyRound,
        confirm: { title: t('token.replace.title', { name: row.name }), text: t('token.replace.text') },
        act: async () => {
          const replaced = await replaceKey({ id: row.id })
          list.patch(row.id, replaced)
          showKey(replaced)
        },
      },
      crud.remove(row),
    ]
    return row.unreadable.length === 0 ? actions : actions.filter(({ id }) => !keyActions.has(id))
  }
}
