import { account } from '@sluice/contract'
import { Link, useRouterState } from '@tanstack/react-router'
import { Menu as MenuIcon } from 'lucide-react'
import { type ComponentType, lazy, Suspense, useState, useSyncExternalStore } from 'react'
import { passwordWarning } from '../lib/password-warning.ts'
import { type AccountChange, useAccountChange, useSession } from '../lib/session.ts'
import { useT, withTexts } from '../lib/t.ts'
import { cx } from '../lib/text.ts'
import { useRead } from '../lib/use-call.ts'
import { Alert } from '../ui/alert.tsx'
import { IconButton } from '../ui/button.tsx'
import { Sheet } from '../ui/sheet.tsx'
import { ToastLog } from '../ui/toast-log.tsx'
import { Brand } from './brand.tsx'
import { Footer } from './footer.tsx'
import { PageOutlet } from './page-outlet.tsx'
import { useNavItems } from './use-nav-items.ts'
import { useIsVisitorPage } from './visitor-pages.ts'

const PaletteButton = lazy(async () => ({ default: (await import('./palette-button.tsx')).PaletteButton }))
const FrameMenus = lazy(async () => ({ default: (await import('./frame-menus.tsx')).FrameMenus }))

/** A part that few see. If it cannot be loaded, the page stays without it. */
function rarePart<Props extends object>(load: () => Promise<ComponentType<Props>>) {
  return lazy<ComponentType<Props>>(() =>
    load().then(
      (part) => ({ default: part }),
      () => ({ default: () => null }),
    ),
  )
}

const OtherAccount = rarePart<AccountChange>(
  async () => (await withTexts(() => import('./other-account.tsx'), 'otherAccount')()).OtherAccount,
)
const OptionNotices = rarePart(async () => (await withTexts(() => import('./option-notices.tsx'), 'notices')()).OptionNotices)

const UnreadableNotice = rarePart(async () => (await withTexts(() => import('./unreadable-notice.tsx'), 'notices')()).UnreadableNotice)
const SetAsideNotice = rarePart(async () => (await withTexts(() => import('./set-aside-notice.tsx'), 'setAside')()).SetAsideNotice)

/** The frame around every page. Signed in: a side bar and a top bar; as a visitor: a top bar only. */
export function Shell() {
  const t = useT()
  const { isSignedIn } = useSession()
  const isOfVisitors = useIsVisitorPage()
  const hasSidebar = isSignedIn && !isOfVisitors
  const change = useAccountChange()
  return (
    <div className={cx('min-h-dvh', hasSidebar && 'md:grid md:grid-cols-[56px_minmax(0,1fr)] lg:grid-cols-[216px_minmax(0,1fr)]')}>
      <a
        href="#main"
        className="fixed top-2 left-2 z-60 -translate-y-16 rounded-sm bg-accent px-3 py-2 font-medium text-on-accent focus:translate-y-0"
      >
        {t('nav.skip')}
      </a>
      {hasSidebar ? <Sidebar /> : null}
      <div className="flex min-h-dvh min-w-0 flex-col">
        <TopBar hasSidebar={hasSidebar} />
        <main id="main" tabIndex={-1} className="flex w-full min-w-0 flex-1 flex-col px-4 py-5 md:px-(--page-x) md:py-(--page-y)">
          {change === null ? null : (
            <Suspense>
              <OtherAccount {...change} />
            </Suspense>
          )}
          <Banners isSignedIn={hasSidebar} />
          <PageOutlet />
        </main>
        <Footer />
      </div>
    </div>
  )
}

function Sidebar() {
  return (
    <aside data-part="menu" className="sticky top-0 hidden h-dvh flex-col border-r border-frame-line bg-surface text-text md:flex">
      <div className="flex h-12 items-center px-4">
        <Brand isCompact />
      </div>
      <NavList isCompact />
    </aside>
  )
}

const navLink =
  'flex h-8 items-center gap-2.5 rounded-sm px-2.5 font-medium text-muted transition-colors hover:bg-hover hover:text-text data-[status=active]:bg-accent-tint data-[status=active]:text-accent touch:h-11'

interface NavListProps {
  /** Icons only on screens of middle width. */
  readonly isCompact?: boolean
  /** Side by side, for visitors, who have few pages. */
  readonly isRow?: boolean
  readonly onChoose?: () => void
}

function NavList({ isCompact = false, isRow = false, onChoose }: NavListProps) {
  const t = useT()
  const items = useNavItems()
  // The page of the own account is not one of the list of users.
  const isOwnAccount = useRouterState({ select: ({ location }) => location.pathname === '/user/edit' })
  return (
    <nav aria-label={t('nav.label')} className={isRow ? 'ml-4 hidden md:block' : 'p-2'}>
      <ul className={isRow ? 'flex gap-0.5' : 'space-y-0.5'}>
        {items.map(({ to, label, icon: Icon, isSecond = false }, index) => (
          <li key={to} className={cx(!isRow && isSecond && items[index - 1]?.isSecond !== true && 'mt-2! border-t pt-2')}>
            <Link
              to={to}
              activeOptions={{ exact: to === '/' || isOwnAccount, includeSearch: false }}
              {...(onChoose && { onClick: onChoose })}
              title={t(label)}
              className={navLink}
            >
              {isRow ? null : <Icon aria-hidden className="size-4 shrink-0" />}
              <span className={cx('truncate', isCompact && 'md:max-lg:sr-only')}>{t(label)}</span>
            </Link>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function TopBar({ hasSidebar }: { readonly hasSidebar: boolean }) {
  const t = useT()
  const [isMenuOpen, setMenuOpen] = useState(false)
  return (
    <header className="sticky top-0 z-30 flex h-12 items-center gap-1 border-b border-frame-line bg-surface px-3 md:px-(--page-x) touch:h-14">
      <IconButton label={t('nav.open')} className="-ml-1 md:hidden" onClick={() => setMenuOpen(true)}>
        <MenuIcon aria-hidden className="size-5" />
      </IconButton>
      <div className={cx('min-w-0', hasSidebar && 'md:hidden')}>
        <Brand isShort={!hasSidebar} />
      </div>
      {hasSidebar ? null : <NavList isRow />}
      {/* Beside the menus on narrow screens, and for visitors. */}
      <div className={cx('ml-auto flex', hasSidebar && 'lg:-ml-1 lg:mr-auto')}>
        <Suspense>
          <PaletteButton isWide={hasSidebar} />
        </Suspense>
      </div>
      <div className="flex shrink-0 items-center gap-1">
        {hasSidebar ? <ToastLog /> : null}
        <Suspense fallback={<span className="h-8 w-28" />}>
          <FrameMenus />
        </Suspense>
      </div>
      <Sheet title={t('nav.label')} side="left" isOpen={isMenuOpen} onClose={() => setMenuOpen(false)}>
        <div className="-mx-2">
          <NavList onChoose={() => setMenuOpen(false)} />
        </div>
      </Sheet>
    </header>
  )
}

function Banners({ isSignedIn }: { readonly isSignedIn: boolean }) {
  const t = useT()
  const isOnline = useSyncExternalStore(subscribeOnline, () => navigator.onLine)
  const path = useRouterState({ select: ({ location }) => location.pathname })
  const { isAdmin, isRoot } = useSession()
  const { data: self } = useRead(account.self, { input: {}, isEnabled: isSignedIn, freshMs: 60_000 })
  const warning = isSignedIn && self !== undefined && path !== '/user/edit' ? passwordWarning(self) : null
  return (
    <div className="space-y-3 not-empty:mb-4">
      {isOnline ? null : <Alert kind="warning">{t('offline')}</Alert>}
      {warning === null ? null : (
        <Alert
          kind="warning"
          title={t(`ownPassword.${warning}.title`)}
          action={
            <Link to="/user/edit" className="shrink-0 font-medium underline">
              {t(`ownPassword.${warning}.go`)}
            </Link>
          }
        >
          {t(`ownPassword.${warning}.text`)}
        </Alert>
      )}
      {isSignedIn && isAdmin ? (
        <Suspense>
          <UnreadableNotice />
        </Suspense>
      ) : null}
      {isSignedIn && isRoot ? (
        <Suspense>
          <OptionNotices />
          {path === '/log/set-aside' ? null : <SetAsideNotice />}
        </Suspense>
      ) : null}
    </div>
  )
}

function subscribeOnline(listener: () => void): () => void {
  addEventListener('online', listener)
  addEventListener('offline', listener)
  return () => {
    removeEventListener('online', listener)
    removeEventListener('offline', listener)
  }
}
