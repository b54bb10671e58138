import type { QueryClient } from '@tanstack/react-query'
import { createRootRouteWithContext, createRoute, createRouter, parseSearchWith, redirect } from '@tanstack/react-router'
import { readChannelSearch } from '../features/channel/channel-search.ts'
import { readDashboardSearch } from '../features/dashboard/dashboard-search.ts'
import { readLogSearch } from '../features/log/log-search.ts'
import { readModelSearch } from '../features/model/model-search.ts'
import { readUptimeSearch } from '../features/model/uptime-search.ts'
import { readRedemptionSearch } from '../features/redemption/redemption-search.ts'
import { readRouteSearch } from '../features/route/route-search.ts'
import { readSetAsideSearch } from '../features/set-aside/set-aside-search.ts'
import { readTaskAddSearch, readTaskSearch } from '../features/task/task-search.ts'
import { readTokenSearch } from '../features/token/token-search.ts'
import { readUserSearch } from '../features/user/user-search.ts'
import { withBasePath } from '../lib/base-path.ts'
import type { SearchParams } from '../lib/preload.ts'
import { parseExact, readTexts } from '../lib/search-text.ts'
import { hasStoredUser, isOfOtherAccount, isSignedIn } from '../lib/session.ts'
import { ChatRoute, loadChat } from './chat-route.tsx'
import { Crash } from './crash.tsx'
import { dataPage, lazyPage, type RouterContext, withData } from './lazy-page.ts'
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
    /** Set while a login that this browser began elsewhere needs its second factor: the token that completes it. */
    secondStep?: string
  }
}

const root = createRootRouteWithContext<RouterContext>()({
  component: Shell,
  notFoundComponent: Missing,
  beforeLoad: ({ location, preload }) => {
    // The next page is another account's, so nothing of this one may stay in memory.
    if (!preload && isOfOtherAccount()) throw redirect({ href: location.publicHref, reloadDocument: true })
  },
})

/** All routes below require a stored user only: the server checks what that user may do. */
const guarded = createRoute({
  getParentRoute: () => root,
  id: 'guarded',
  beforeLoad: ({ location, preload }) => {
    // Pointing at a link must not take the menu away from under the pointer.
    if (!(preload ? hasStoredUser() : isSignedIn())) throw redirect({ to: '/login', state: { from: location.href } })
  },
})

const home = createRoute({
  getParentRoute: () => root,
  path: '/',
  ...dataPage(() => import('../features/home/home-page.tsx'), 'HomePage', 'home', 'content'),
})

const about = createRoute({
  getParentRoute: () => root,
  path: '/about',
  ...dataPage(() => import('../features/content/about-page.tsx'), 'AboutPage', 'content'),
})

const chat = createRoute({
  getParentRoute: () => root,
  path: '/chat',
  validateSearch: readTexts('model', 'chat'),
  loader: withData(loadChat),
  component: ChatRoute,
})

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: (search): { expired?: boolean } => ('expired' in search ? { expired: true } : {}),
  component: lazyPage(() => import('../features/login/login-page.tsx'), 'LoginPage', 'login', 'identity', 'secondStep'),
})

const register = createRoute({
  getParentRoute: () => root,
  path: '/register',
  validateSearch: readTexts('aff'),
  component: lazyPage(() => import('../features/login/register-page.tsx'), 'RegisterPage', 'login', 'identity'),
})

const reset = createRoute({
  getParentRoute: () => root,
  path: '/reset',
  component: lazyPage(() => import('../features/login/reset-page.tsx'), 'ResetPage', 'login', 'identity'),
})

const newPassword = createRoute({
  getParentRoute: () => root,
  path: '/user/reset',
  validateSearch: readTexts('email', 'token'),
  component: lazyPage(() => import('../features/login/new-password-page.tsx'), 'NewPasswordPage', 'login'),
})

const setup = createRoute({
  getParentRoute: () => root,
  path: '/setup',
  component: lazyPage(() => import('../features/login/setup-page.tsx'), 'SetupPage', 'login'),
})

/** What a login service may put into the address of its callback. */
const callback = { getParentRoute: () => root, validateSearch: readTexts('code', 'state', 'iss', 'error') }

const oauthPage = (name: 'GithubCallbackPage' | 'GoogleCallbackPage' | 'OidcCallbackPage' | 'LarkCallbackPage') =>
  lazyPage(() => import('../features/login/oauth-page.tsx'), name, 'login', 'identity')

const githubCallback = createRoute({ ...callback, path: '/oauth/github', component: oauthPage('GithubCallbackPage') })
const googleCallback = createRoute({ ...callback, path: '/oauth/google', component: oauthPage('GoogleCallbackPage') })
const oidcCallback = createRoute({ ...callback, path: '/oauth/oidc', component: oauthPage('OidcCallbackPage') })
const larkCallback = createRoute({ ...callback, path: '/oauth/lark', component: oauthPage('LarkCallbackPage') })

const account = createRoute({
  getParentRoute: () => guarded,
  path: '/user/edit',
  ...dataPage(
    () => import('../features/account/account-page.tsx'),
    'AccountPage',
    'account',
    'form',
    'identity',
    'freshLogin',
    'secondStep',
  ),
})

const tokenList = createRoute({
  getParentRoute: () => guarded,
  path: '/token',
  validateSearch: readTokenSearch,
  ...dataPage(() => import('../features/token/list-page.tsx'), 'TokenListPage', 'token'),
})

const tokenAdd = createRoute({
  getParentRoute: () => guarded,
  path: '/token/add',
  ...dataPage(() => import('../features/token/form-page.tsx'), 'TokenAddPage', 'token', 'expiry', 'form'),
})

const tokenEdit = createRoute({
  getParentRoute: () => guarded,
  path: '/token/edit/$id',
  ...dataPage(() => import('../features/token/form-page.tsx'), 'TokenEditPage', 'token', 'expiry', 'form'),
})

const channelList = createRoute({
  getParentRoute: () => guarded,
  path: '/channel',
  validateSearch: readChannelSearch,
  ...dataPage(() => import('../features/channel/list-page.tsx'), 'ChannelListPage', 'channel', 'rewrite'),
})

const channelAdd = createRoute({
  getParentRoute: () => guarded,
  path: '/channel/add',
  validateSearch: readTexts('from'),
  ...dataPage(() => import('../features/channel/form-page.tsx'), 'ChannelAddPage', 'channel', 'form', 'rewrite'),
})

const channelEdit = createRoute({
  getParentRoute: () => guarded,
  path: '/channel/edit/$id',
  ...dataPage(() => import('../features/channel/form-page.tsx'), 'ChannelEditPage', 'channel', 'form', 'rewrite'),
})

const channelRoute = createRoute({
  getParentRoute: () => guarded,
  path: '/channel/route',
  validateSearch: readRouteSearch,
  ...dataPage(() => import('../features/route/route-page.tsx'), 'RoutePage', 'route', 'model'),
})

const topUp = createRoute({
  getParentRoute: () => guarded,
  path: '/topup',
  ...dataPage(() => import('../features/topup/topup-page.tsx'), 'TopUpPage', 'topup'),
})

const redemptionList = createRoute({
  getParentRoute: () => guarded,
  path: '/redemption',
  validateSearch: readRedemptionSearch,
  ...dataPage(() => import('../features/redemption/list-page.tsx'), 'RedemptionListPage', 'redemption'),
})

const redemptionAdd = createRoute({
  getParentRoute: () => guarded,
  path: '/redemption/add',
  component: lazyPage(() => import('../features/redemption/form-page.tsx'), 'RedemptionAddPage', 'redemption', 'expiry', 'form'),
})

const redemptionEdit = createRoute({
  getParentRoute: () => guarded,
  path: '/redemption/edit/$id',
  ...dataPage(() => import('../features/redemption/form-page.tsx'), 'RedemptionEditPage', 'redemption', 'expiry', 'form'),
})

const userList = createRoute({
  getParentRoute: () => guarded,
  path: '/user',
  validateSearch: readUserSearch,
  ...dataPage(() => import('../features/user/list-page.tsx'), 'UserListPage', 'user', 'freshLogin', 'secondStep'),
})

const userAdd = createRoute({
  getParentRoute: () => guarded,
  path: '/user/add',
  component: lazyPage(() => import('../features/user/add-page.tsx'), 'UserAddPage', 'user', 'form'),
})

const userEdit = createRoute({
  getParentRoute: () => guarded,
  path: '/user/edit/$id',
  ...dataPage(() => import('../features/user/edit-page.tsx'), 'UserEditPage', 'user', 'form'),
})

const logList = createRoute({
  getParentRoute: () => guarded,
  path: '/log',
  validateSearch: readLogSearch,
  ...dataPage(() => import('../features/log/log-page.tsx'), 'LogPage', 'log', 'rewrite'),
})

const setAside = createRoute({
  getParentRoute: () => guarded,
  path: '/log/set-aside',
  validateSearch: readSetAsideSearch,
  ...dataPage(() => import('../features/set-aside/list-page.tsx'), 'SetAsideListPage', 'setAside'),
})

const dashboard = createRoute({
  getParentRoute: () => guarded,
  path: '/dashboard',
  validateSearch: readDashboardSearch,
  ...dataPage(() => import('../features/dashboard/dashboard-page.tsx'), 'DashboardPage', 'dashboard', 'channel', 'log'),
})

const taskList = createRoute({
  getParentRoute: () => guarded,
  path: '/task',
  validateSearch: readTaskSearch,
  ...dataPage(() => import('../features/task/list-page.tsx'), 'TaskListPage', 'task'),
})

const taskAdd = createRoute({
  getParentRoute: () => guarded,
  path: '/task/add',
  validateSearch: readTaskAddSearch,
  ...dataPage(() => import('../features/task/add-page.tsx'), 'TaskAddPage', 'task', 'form'),
})

const models = createRoute({
  getParentRoute: () => root,
  path: '/model',
  validateSearch: readModelSearch,
  ...dataPage(() => import('../features/model/model-page.tsx'), 'ModelPage', 'model'),
})

const modelStatus = createRoute({
  getParentRoute: () => root,
  path: '/status',
  validateSearch: readUptimeSearch,
  ...dataPage(() => import('../features/model/uptime-page.tsx'), 'UptimePage', 'model', 'uptime'),
})

const playground = createRoute({
  getParentRoute: () => guarded,
  path: '/playground',
  validateSearch: readTexts('model', 'chat'),
  ...dataPage(() => import('../features/playground/playground-page.tsx'), 'PlaygroundPage', 'playground'),
})

const setting = createRoute({
  getParentRoute: () => guarded,
  path: '/setting',
  validateSearch: readTexts('tab'),
  // A tab is loaded as a page is.
  loaderDeps: ({ search }: { readonly search: SearchParams }) => ({ tab: search['tab'] }),
  ...dataPage(() => import('../features/setting/setting-page.tsx'), 'SettingPage', 'setting', 'form'),
})

const routeTree = root.addChildren([
  home,
  about,
  ...[chat, models, modelStatus],
  ...[login, register, reset, newPassword, setup, githubCallback, googleCallback, oidcCallback, larkCallback],
  guarded.addChildren([
    ...[channelList, channelAdd, channelEdit, channelRoute],
    ...[tokenList, tokenAdd, tokenEdit],
    ...[redemptionList, redemptionAdd, redemptionEdit],
    ...[userList, userAdd, userEdit, account],
    ...[taskList, taskAdd, topUp, logList, setAside, setting, dashboard, playground],
  ]),
])

export function createConsoleRouter(client: QueryClient) {
  return createRouter({
    routeTree,
    basepath: withBasePath('/'),
    parseSearch: parseSearchWith(parseExact),
    context: { client },
    // A link that is pointed at loads its page's code, and what a list or a chart shows. The query client decides how long they are fresh.
    defaultPreload: 'intent',
    defaultPreloadStaleTime: 0,
    defaultErrorComponent: Crash,
    defaultNotFoundComponent: Missing,
    scrollRestoration: true,
    trailingSlash: 'never',
  })
}
