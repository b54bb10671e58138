import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { readLogSearch } from '../features/log/log-search.ts'
import { readListSearch } from '../lib/list-search.ts'
import { isSignedIn } from '../lib/session.ts'
import type { MessageKey } from '../lib/t.ts'
import { PageLoading } from '../ui/page.tsx'
import { Crash } from './crash.tsx'
import { Missing } from './missing.tsx'
import { Shell } from './shell.tsx'

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>
  }
  interface HistoryState {
    /** The page before the redirect to the login. */
    from?: string
  }
  interface StaticDataRouteOption {
    /** The name of the page on the loading screen. */
    readonly subject?: MessageKey
  }
}

const root = createRootRoute({ component: Shell, notFoundComponent: Missing })

/** All routes below require a stored user only: the server checks what that user may do. */
const guarded = createRoute({
  getParentRoute: () => root,
  id: 'guarded',
  beforeLoad: ({ location }) => {
    if (!isSignedIn()) throw redirect({ to: '/login', state: { from: location.href } })
  },
})

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('../features/home/home-page.tsx'), 'HomePage'),
})

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search): { expired?: boolean } => ('expired' in search ? { expired: true } : {}),
  component: lazyRouteComponent(() => import('../features/login/login-page.tsx'), 'LoginPage'),
})

const account = createRoute({
  getParentRoute: () => guarded,
  path: '/user/edit',
  component: lazyRouteComponent(() => import('../features/account/account-page.tsx'), 'AccountPage'),
})

const tokenList = createRoute({
  getParentRoute: () => guarded,
  path: '/token',
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import('../features/token/list-page.tsx'), 'TokenListPage'),
})

const tokenAdd = createRoute({
  getParentRoute: () => guarded,
  path: '/token/add',
  component: lazyRouteComponent(() => import('../features/token/form-page.tsx'), 'TokenAddPage'),
})

const tokenEdit = createRoute({
  getParentRoute: () => guarded,
  path: '/token/edit/$id',
  component: lazyRouteComponent(() => import('../features/token/form-page.tsx'), 'TokenEditPage'),
})

const channelList = createRoute({
  getParentRoute: () => guarded,
  path: '/channel',
  validateSearch: readListSearch,
  component: lazyRouteComponent(() => import('../features/channel/list-page.tsx'), 'ChannelListPage'),
})

const channelAdd = createRoute({
  getParentRoute: () => guarded,
  path: '/channel/add',
  component: lazyRouteComponent(() => import('../features/channel/form-page.tsx'), 'ChannelAddPage'),
})

const channelEdit = createRoute({
  getParentRoute: () => guarded,
  path: '/channel/edit/$id',
  component: lazyRouteComponent(() => import('../features/channel/form-page.tsx'), 'ChannelEditPage'),
})

const logList = createRoute({
  getParentRoute: () => guarded,
  path: '/log',
  validateSearch: readLogSearch,
  component: lazyRouteComponent(() => import('../features/log/log-page.tsx'), 'LogPage'),
})

const routeTree = root.addChildren([
  home,
  login,
  guarded.addChildren([account, channelList, channelAdd, channelEdit, tokenList, tokenAdd, tokenEdit, logList]),
])

export function createConsoleRouter() {
  return createRouter({
    routeTree,
    defaultPreload: 'intent',
    // Code is preloaded; data is requested when the page is shown.
    defaultPreloadStaleTime: 0,
    defaultPendingMs: 150,
    defaultPendingMinMs: 300,
    defaultPendingComponent: PageLoading,
    defaultErrorComponent: Crash,
    defaultNotFoundComponent: Missing,
    scrollRestoration: true,
    trailingSlash: 'never',
  })
}
