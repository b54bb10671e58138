import {
  BookCheck,
  BookOpen,
  Braces,
  Clapperboard,
  Keyboard,
  KeyRound,
  Languages,
  LogIn,
  LogOut,
  Moon,
  Network,
  Rows3,
  Rows4,
  Settings,
  Sun,
  SunMoon,
  TicketPercent,
  UserPen,
  UserPlus,
} from 'lucide-react'
import { gatewayAddress } from '../../lib/gateway-address.ts'
import type { Command, CommandGroup } from '../../lib/page-commands.ts'
import { useSession } from '../../lib/session.ts'
import { useStatus } from '../../lib/status.ts'
import { localeNames, locales, setLocale, useLocale, useT } from '../../lib/t.ts'
import { densities, setDensity, setTheme, themes, useDensity, useTheme } from '../../lib/theme.ts'
import { goKeys } from '../go-keys.ts'
import { openOverlay } from '../overlay.ts'
import { useLogout } from '../use-logout.ts'
import { useNavItems } from '../use-nav-items.ts'
import { useIsVisitorPage } from '../visitor-pages.ts'

/** What this reader may do on every page, in the order of the palette. */
export function useCommands(): readonly CommandGroup[] {
  const t = useT()
  const go = useGoCommands()
  const create = useCreateCommands()
  const appearance = useAppearanceCommands()
  const locale = useLocale()
  const language: readonly Command[] = locales.map((value) => ({
    ...{ id: `language:${value}`, label: localeNames[value], icon: Languages, words: 'language', isChosen: value === locale },
    run: () => void setLocale(value),
  }))
  return [
    { title: t('palette.go'), commands: go },
    { title: t('palette.create'), commands: create },
    { title: t('theme.label'), commands: appearance },
    { title: t('lang.label'), commands: language },
    { title: t('palette.help'), commands: useHelpCommands() },
  ]
}

/** Whether pages of an account are offered: not while a page brings one in. */
function useReader() {
  const { isSignedIn, isAdmin, isRoot } = useSession()
  const isOfVisitors = useIsVisitorPage()
  return { hasAccount: isSignedIn && !isOfVisitors, isAdmin: isAdmin && !isOfVisitors, isRoot: isRoot && !isOfVisitors }
}

const settingTabs = ['personal', 'security', 'notification', 'operations', 'system', 'other'] as const

function useGoCommands(): readonly Command[] {
  const t = useT()
  const { hasAccount, isAdmin, isRoot } = useReader()
  const { register = true } = useStatus()
  const pages = useNavItems().map(({ to, label, icon }): Command => {
    const letter = goKeys[to]
    return { id: `go:${to}`, label: t(label), icon, words: to.slice(1), link: { to }, ...(letter !== undefined && { keys: ['g', letter] }) }
  })
  // The first tab is what Settings leads to; those behind the third are for administrators.
  const tabs = (isAdmin ? settingTabs : (['security', 'notification'] as const)).map((tab): Command => {
    const label = t('palette.setting', { tab: t(`setting.tab.${tab}`) })
    return { id: `go:/setting/${tab}`, label, icon: Settings, words: `setting ${tab}`, link: { to: '/setting', search: { tab } } }
  })
  const own: Command = { id: 'go:/user/edit', label: t('user.edit'), icon: UserPen, words: 'account password', link: { to: '/user/edit' } }
  const login: Command = { id: 'go:/login', label: t('user.login'), icon: LogIn, words: 'login', link: { to: '/login' } }
  const registration: Command = {
    id: 'go:/register',
    label: t('user.register'),
    icon: UserPlus,
    words: 'register',
    link: { to: '/register' },
  }
  const aside: Command = {
    ...{ id: 'go:/log/set-aside', label: t('palette.setAside'), icon: BookCheck, words: 'ledger refused charges' },
    link: { to: '/log/set-aside' },
  }
  if (hasAccount) return [...pages, ...tabs, ...(isRoot ? [aside] : []), own]
  return [...pages, login, ...(register ? [registration] : [])]
}

function useCreateCommands(): readonly Command[] {
  const t = useT()
  const { hasAccount, isAdmin } = useReader()
  const commands: readonly (Command & { readonly isForAdmins: boolean })[] = [
    { id: 'create:token', label: t('palette.create.token'), icon: KeyRound, link: { to: '/token/add' }, isForAdmins: false },
    { id: 'create:task', label: t('palette.create.task'), icon: Clapperboard, link: { to: '/task/add' }, isForAdmins: false },
    { id: 'create:channel', label: t('palette.create.channel'), icon: Network, link: { to: '/channel/add' }, isForAdmins: true },
    {
      id: 'create:redemption',
      label: t('palette.create.redemption'),
      icon: TicketPercent,
      link: { to: '/redemption/add' },
      isForAdmins: true,
    },
    { id: 'create:user', label: t('palette.create.user'), icon: UserPlus, link: { to: '/user/add' }, isForAdmins: true },
  ]
  return hasAccount
    ? commands.filter(({ isForAdmins }) => isAdmin || !isForAdmins).map((one) => ({ ...one, words: one.id.replace(':', ' ') }))
    : []
}

const themeIcons = { light: Sun, dark: Moon, system: SunMoon } as const
const densityIcons = { comfortable: Rows3, compact: Rows4 } as const

function useAppearanceCommands(): readonly Command[] {
  const t = useT()
  const theme = useTheme()
  const density = useDensity()
  return [
    ...themes.map((value) => ({
      ...{ id: `theme:${value}`, label: t(`theme.${value}`), icon: themeIcons[value], words: `theme ${value}` },
      ...{ isChosen: value === theme, run: () => setTheme(value) },
    })),
    ...densities.map((value) => ({
      ...{ id: `density:${value}`, label: t('palette.density', { density: t(`density.${value}`) }), icon: densityIcons[value] },
      ...{ words: `rows density ${value}`, isChosen: value === density, run: () => setDensity(value) },
    })),
  ]
}

function useHelpCommands(): readonly Command[] {
  const t = useT()
  const { hasAccount } = useReader()
  const { mutate: logOut } = useLogout()
  return [
    { id: 'help:keys', label: t('keys.title'), icon: Keyboard, words: 'keyboard shortcuts', keys: ['?'], run: () => openOverlay('keys') },
    { id: 'help:docs', label: t('palette.docs'), icon: BookOpen, words: 'help docs', link: { to: '/about' } },
    {
      id: 'help:api',
      label: t('palette.api'),
      icon: Braces,
      words: 'api openapi',
      run: () => void open(`${gatewayAddress}/api/docs`, '_blank', 'noopener'),
    },
    ...(hasAccount ? [{ id: 'help:logout', label: t('user.logout'), icon: LogOut, words: 'logout sign out', run: () => logOut({}) }] : []),
  ]
}
