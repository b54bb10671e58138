import { type TokenRow, token, tokenStatus } from '@sluice/contract'
import { Copy, Link, MessageSquare, ScrollText } from 'lucide-react'
import { type Crud, useCrudActions } from '../../crud/use-crud.ts'
import { useUpdate } from '../../crud/use-update.ts'
import { gatewayOrigin } from '../../lib/gateway-address.ts'
import { useStatus } from '../../lib/status.ts'
import { storage } from '../../lib/storage.ts'
import { useT } from '../../lib/t.ts'
import type { ListView } from '../../lib/use-list.ts'
import type { RowAction } from '../../ui/table/actions.ts'
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

/** The actions on one token. */
export function useTokenActions(list: ListView<TokenRow>, copy: (text: string) => Promise<void>): (row: TokenRow) => readonly RowAction[] {
  const t = useT()
  const status = useStatus()
  const crud = useCrudActions(tokenCrud, list, useUpdate(token.setStatus, list, canRestore))
  return (row) => {
    const target = chatTarget(row.key, status, gatewayOrigin())
    const hosts = trustedHosts(storage, gatewayOrigin())
    const unknown = hosts.unknown([target.chat, target.server])
    return [
      { id: 'copy', label: t('action.copy'), icon: Copy, key: 'c', isInline: true, act: () => copy(target.key) },
      crud.edit(row),
      crud.toggle(row),
      { id: 'logs', label: t('token.logs'), icon: ScrollText, link: { to: '/log', search: { token: row.name } } },
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
      crud.remove(row),
    ]
  }
}
