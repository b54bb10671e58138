import type { QueryClient } from '@tanstack/react-query'
import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  parseSearchWith,
  redirect,
} from '@tanstack/react-router'
import { readLogSearch } from '../features/log/log-search.ts'
import { readTokenSearch } from '../features/token/token-search.ts'
import { readUserSearch } from '../features/user/user-search.ts'
import { readListSearch } from '../lib/list-search.ts'
import { parseExact, readTexts } from '../lib/search-text.ts'
import { isSignedIn } from '../lib/session.ts'
import { type MessageKey, withTexts } from '../lib/t.ts'
import { type ListSpec, preloadList } from '../lib/use-list.ts'
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
    /** The name of an account that is about to log in. */
    username?: string
  }
  interface StaticDataRouteOption {
    /** The name of the page on the loading screen. */
    readonly subject?: MessageKey
  }
}

interface RouterContext {
  readonly client: QueryClient
}

type SearchParams = Readonly<Record<string, unknown>>

/** A module of a list page; it exports the list that the page shows for the search parameters of its address. */
interface ListModule {
  // biome-ignore lint/suspicious/noExplicitAny: lists of all kinds of rows
  readonly listOf: (search: SearchParams) => ListSpec<any>
}

/** Loads a list's rows as soon as its code is there, also while a link to it is only pointed at. */
function withRows(load: () => Promise<ListModule>) {
  return ({ context, location }: { readonly context: RouterContext; readonly location: { readonly search: SearchParams } }): void => {
    void load().then(
      ({ listOf }) => preloadList(context.client, listOf(location.search), location.search),
      // The page reports that its code could not be loaded.
      () => null,
    )
  }
}

const root = createRootRouteWithContext<RouterContext>()({ component: Shell, notFoundComponent: Missing })

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
    withTexts(() => import('../features/login/login-page.tsx'), 'login', 'identity'),
    'LoginPage',
  ),
})

const register = createRoute({
  getParentRoute: () => root,
  path: '/register',
  validateSearch: readTexts('aff'),
  component: lazyRouteComponent(
    withTexts(() => import('../features/login/register-page.tsx'), 'login', 'identity'),
    'RegisterPage',
  ),
})

const reset = createRoute({
  getParentRoute: () => root,
  path: '/reset',
  component: lazyRouteComponent(
    withTexts(() => import('../features/login/reset-page.tsx'), 'login', 'identity'),
    'ResetPage',
  ),
})

const newPassword = createRoute({
  getParentRoute: () => root,
  path: '/user/reset',
  validateSearch: readTexts('email', 'token'),
  component: lazyRouteComponent(
    withTexts(() => import('../features/login/new-password-page.tsx'), 'login'),
    'NewPasswordPage',
  ),
})

const githubCallback = createRoute({
  getParentRoute: () => root,
  path: '/oauth/github',
  validateSearch: readTexts('code', 'state', 'error', 'error_description'),
  component: lazyRouteComponent(
    withTexts(() => import('../features/login/oauth-page.tsx'), 'login', 'identity'),
    'GithubCallbackPage',
  ),
})

const larkCallback = createRoute({
  getParentRoute: () => root,
  path: '/oauth/lark',
  validateSearch: readTexts('code', 'state', 'error', 'error_description'),
  component: lazyRouteComponent(
    withTexts(() => import('../features/login/oauth-page.tsx'), 'login', 'identity'),
    'LarkCallbackPage',
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
  validateSearch: readTokenSearch,
  loader: withRows(() => import('../features/token/list-page.tsx')),
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
  loader: withRows(() => import('../features/channel/list-page.tsx')),
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

const topUp = createRoute({
  getParentRoute: () => guarded,
  path: '/topup',
  component: lazyRouteComponent(
    withTexts(() => import('../features/topup/topup-page.tsx'), 'topup'),
    'TopUpPage',
  ),
})

const redemptionList = createRoute({
  getParentRoute: () => guarded,
  path: '/redemption',
  validateSearch: readListSearch,
  loader: withRows(() => import('../features/redemption/list-page.tsx')),
  component: lazyRouteComponent(
    withTexts(() => import('../features/redemption/list-page.tsx'), 'redemption'),
    'RedemptionListPage',
  ),
})

const redemptionAdd = createRoute({
  getParentRoute: () => guarded,
  path: '/redemption/add',
  component: lazyRouteComponent(
    withTexts(() => import('../features/redemption/form-page.tsx'), 'redemption'),
    'RedemptionAddPage',
  ),
})

const redemptionEdit = createRoute({
  getParentRoute: () => guarded,
  path: '/redemption/edit/$id',
  component: lazyRouteComponent(
    withTexts(() => import('../features/redemption/form-page.tsx'), 'redemption'),
    'RedemptionEditPage',
  ),
})

const userList = createRoute({
  getParentRoute: () => guarded,
  path: '/user',
  validateSearch: readUserSearch,
  loader: withRows(() => import('../features/user/list-page.tsx')),
  component: lazyRouteComponent(
    withTexts(() => import('../features/user/list-page.tsx'), 'user'),
    'UserListPage',
  ),
})

const userAdd = createRoute({
  getParentRoute: () => guarded,
  path: '/user/add',
  component: lazyRouteComponent(
    withTexts(() => import('../features/user/add-page.tsx'), 'user'),
    'UserAddPage',
  ),
})

const userEdit = createRoute({
  getParentRoute: () => guarded,
  path: '/user/edit/$id',
  component: lazyRouteComponent(
    withTexts(() => import('../features/user/edit-page.tsx'), 'user'),
    'UserEditPage',
  ),
})

const logList = createRoute({
  getParentRoute: () => guarded,
  path: '/log',
  validateSearch: readLogSearch,
  loader: withRows(() => import('../features/log/log-page.tsx')),
  component: lazyRouteComponent(
    withTexts(() => import('../features/log/log-page.tsx'), 'log'),
    'LogPage',
  ),
})

const setting = createRoute({
  getParentRoute: () => guarded,
  path: '/setting',
  validateSearch: readTexts('tab'),
  component: lazyRouteComponent(
    withTexts(() => import('../features/setting/setting-page.tsx'), 'setting'),
    'SettingPage',
  ),
})

const routeTree = root.addChildren([
  home,
  about,
  chat,
  ...[login, register, reset, newPassword, githubCallback, larkCallback],
  guarded.addChildren([
    ...[channelList, channelAdd, channelEdit],
    ...[tokenList, tokenAdd, tokenEdit],
    ...[redemptionList, redemptionAdd, redemptionEdit],
    ...[userList, userAdd, userEdit, account],
    ...[topUp, logList, setting],
  ]),
])

export function createConsoleRouter(client: QueryClient) {
  return createRouter({
    routeTree,
    parseSearch: parseSearchWith(parseExact),
    context: { client },
    // A link that is pointed at loads its page's code, and of a list the rows. The query client decides how long they are fresh.
    defaultPreload: 'intent',
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
