import {
  Activity,
  BookOpen,
  Boxes,
  ChartColumn,
  Clapperboard,
  FlaskConical,
  House,
  KeyRound,
  type LucideIcon,
  MessageSquare,
  Network,
  ScrollText,
  Settings,
  TicketPercent,
  Users,
  Wallet,
} from 'lucide-react'
import type { MessageKey } from '../lib/t.ts'
import type { PagePath } from '../ui/page-path.ts'

interface NavItem {
  readonly to: PagePath
  readonly label: MessageKey
  readonly icon: LucideIcon
  readonly isForAdmins: boolean
  /** Other pages need a login. */
  readonly isForVisitors?: true
  /** Visitors see it only if an option allows it. */
  readonly needsPublicModels?: true
  /** Only if an option opens the page. */
  readonly needsStatusPage?: true
  /** Only if a chat link is stored. */
  readonly needsChat?: true
  /** In the second group, below the pages of the specification. */
  readonly isSecond?: true
}

/** The menu, in the specification's order, and then the pages that it does not have. */
const navItems: readonly NavItem[] = [
  { to: '/', label: 'nav.home', icon: House, isForAdmins: false, isForVisitors: true },
  { to: '/chat', label: 'nav.chat', icon: MessageSquare, isForAdmins: false, isForVisitors: true, needsChat: true },
  { to: '/channel', label: 'nav.channel', icon: Network, isForAdmins: true },
  { to: '/token', label: 'nav.token', icon: KeyRound, isForAdmins: false },
  { to: '/redemption', label: 'nav.redemption', icon: TicketPercent, isForAdmins: true },
  { to: '/topup', label: 'nav.topup', icon: Wallet, isForAdmins: false },
  { to: '/user', label: 'nav.user', icon: Users, isForAdmins: true },
  { to: '/log', label: 'nav.log', icon: ScrollText, isForAdmins: false },
  { to: '/setting', label: 'nav.setting', icon: Settings, isForAdmins: false },
  { to: '/about', label: 'nav.about', icon: BookOpen, isForAdmins: false, isForVisitors: true },
  { to: '/dashboard', label: 'nav.dashboard', icon: ChartColumn, isForAdmins: false, isSecond: true },
  { to: '/model', label: 'nav.model', icon: Boxes, isForAdmins: false, isForVisitors: true, needsPublicModels: true, isSecond: true },
  { to: '/status', label: 'nav.status', icon: Activity, isForAdmins: false, isForVisitors: true, needsStatusPage: true, isSecond: true },
  { to: '/playground', label: 'nav.playground', icon: FlaskConical, isForAdmins: false, isSecond: true },
  { to: '/task', label: 'nav.task', icon: Clapperboard, isForAdmins: false, isSecond: true },
]

interface Reader {
  readonly isSignedIn: boolean
  readonly isAdmin: boolean
  readonly hasChat: boolean
  readonly showsModels: boolean
  readonly hasStatusPage: boolean
}

export function navItemsFor({ isSignedIn, isAdmin, hasChat, showsModels, hasStatusPage }: Reader): readonly NavItem[] {
  return navItems.filter(
    ({ isForAdmins, isForVisitors = false, needsChat = false, needsPublicModels = false, needsStatusPage = false }) =>
      (isSignedIn || (isForVisitors && (showsModels || !needsPublicModels))) &&
      (isAdmin || !isForAdmins) &&
      (hasChat || !needsChat) &&
      (hasStatusPage || !needsStatusPage),
  )
}
