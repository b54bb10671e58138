import { House, KeyRound, type LucideIcon, Network, ScrollText } from 'lucide-react'
import type { MessageKey } from '../lib/t.ts'
import type { PagePath } from '../ui/page-path.ts'

interface NavItem {
  readonly to: PagePath
  readonly label: MessageKey
  readonly icon: LucideIcon
  readonly isForAdmins: boolean
}

/** The menu, in the specification's order; pages that do not exist yet have no item. */
export const navItems: readonly NavItem[] = [
  { to: '/', label: 'nav.home', icon: House, isForAdmins: false },
  { to: '/channel', label: 'nav.channel', icon: Network, isForAdmins: true },
  { to: '/token', label: 'nav.token', icon: KeyRound, isForAdmins: false },
  { to: '/log', label: 'nav.log', icon: ScrollText, isForAdmins: false },
]
