import { createRootRoute, createRoute, createRouter, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { readLogSearch } from '../features/log/log-search.ts'
import { readListSearch } from '../lib/list-search.ts'
import type { TextGroup } from '../lib/messages/groups.ts'
import { isSignedIn } from '../lib/session.ts'
import { loadTexts, type MessageKey } from '../lib/t.ts'
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

/** A page's module, loaded together with the texts that it uses. */
function withTexts<M>(load: () => Promise<M>, ...groups: readonly TextGroup[]): () => Promise<M> {
  return async () => (await Promise.all([load(), loadTexts(...groups)]))[0]
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
  component: lazyRouteComponent(
    withTexts(() => import('../features/home/home-page.tsx'), 'home', 'content'),
    'HomePage',
  ),
})

const about = createRoute({
  getParentRoute: () => root,
  path: '/about',
  component: lazyRouteComponent(
    withTexts(() => import('../features/content/about-page.tsx'), 'content'),
    'AboutPage',
  ),
})

const chat = createRoute({
  getParentRoute: () => root,
  path: '/chat',
  component: lazyRouteComponent(
    withTexts(() => import('../features/content/chat-page.tsx'), 'content'),
    'ChatPage',
  ),
})

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search): { expired?: boolean } => ('expired' in search ? { expired: true } : {}),
  component: lazyRouteComponent(
    withTexts(() => import('../features/login/login-page.tsx'), 'login'),
    'LoginPage',
  ),
})

const account = createRoute({
  getParentRoute: () => guarded,
  path: '/user/edit',
  component: lazyRouteComponent(
    withTexts(() => import('../features/account/account-page.tsx'), 'account'),
    'AccountPage',
  ),
})

const tokenList = createRoute({
  getParentRoute: () => guarded,
  path: '/token',
  validateSearch: readListSearch,
  component: lazyRouteComponent(
    withTexts(() => import('../features/token/list-page.tsx'), 'token'),
    'TokenListPage',
  ),
})

const tokenAdd = createRoute({
  getParentRoute: () => guarded,
  path: '/token/add',
  component: lazyRouteComponent(
    withTexts(() => import('../features/token/form-page.tsx'), 'token'),
    'TokenAddPage',
  ),
})

const tokenEdit = createRoute({
  getParentRoute: () => guarded,
  path: '/token/edit/$id',
  component: lazyRouteComponent(
    withTexts(() => import('../features/token/form-page.tsx'), 'token'),
    'TokenEditPage',
  ),
})

const channelList = createRoute({
  getParentRoute: () => guarded,
  path: '/channel',
  validateSearch: readListSearch,
  component: lazyRouteComponent(
    withTexts(() => import('../features/channel/list-page.tsx'), 'channel'),
    'ChannelListPage',
  ),
})

const channelAdd = createRoute({
  getParentRoute: () => guarded,
  path: '/channel/add',
  component: lazyRouteComponent(
    withTexts(() => import('../features/channel/form-page.tsx'), 'channel'),
    'ChannelAddPage',
  ),
})

const channelEdit = createRoute({
  getParentRoute: () => guarded,
  path: '/channel/edit/$id',
  component: lazyRouteComponent(
    withTexts(() => import('../features/channel/form-page.tsx'), 'channel'),
    'ChannelEditPage',
  ),
})

const logList = createRoute({
  getParentRoute: () => guarded,
  path: '/log',
  validateSearch: readLogSearch,
  component: lazyRouteComponent(
    withTexts(() => import('../features/log/log-page.tsx'), 'log'),
    'LogPage',
  ),
})

const routeTree = root.addChildren([
  home,
  about,
  chat,
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
