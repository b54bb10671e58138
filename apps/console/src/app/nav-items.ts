import { House, KeyRound, type LucideIcon, Network, ScrollText } from 'lucide-react'
import type { MessageKey } from '../lib/t.ts'
import type { PagePath } from '../ui/page-path.ts'

interface NavItem {
  readonly to: PagePath
  readonly label: MessageKey
  readonly icon: LucideIcon
  readonly isForAdmins: boolean
  /** Pressed after `g`. */
  readonly key: string
}

/** The menu, in the order that the specification gives; a page that does not exist yet has no item. */
export const navItems: readonly NavItem[] = [
  { to: '/', label: 'nav.home', icon: House, isForAdmins: false, key: 'h' },
  { to: '/channel', label: 'nav.channel', icon: Network, isForAdmins: true, key: 'c' },
  { to: '/token', label: 'nav.token', icon: KeyRound, isForAdmins: false, key: 't' },
  { to: '/log', label: 'nav.log', icon: ScrollText, isForAdmins: false, key: 'l' },
]
