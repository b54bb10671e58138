import { readRows } from './surface.ts'

// The documented calls of compatible consoles (one-api v0.6.8 and its relatives), in the order of a life: with the addresses, queries and
// bodies that these consoles send, and examples of what they read of the responses.

/** What earlier responses contained. */
export type Known = Readonly<Record<string, unknown>>

export interface FamilyCall {
  /** The call as `surface.ts` lists it. */
  readonly call: string
  /** The address as it is sent, after `/api`. `{name}` stands for something known. */
  readonly at: string
  readonly as?: 'visitor' | 'ann' | 'root'
  readonly body?: (known: Known) => unknown
  /** An example of the data: every member must be there with this type, in each row of a list. `undefined`: there is none. */
  readonly data?: unknown
  readonly message?: string
  /** Members of the envelope beside `data`. */
  readonly beside?: Readonly<Record<string, unknown>>
  /** What later calls need: name -> where it is in the data; empty = the whole. */
  readonly keeps?: Readonly<Record<string, string>>
}

const row = (call: string): unknown => readRows[call]
const rows = (call: string): readonly unknown[] => [row(call)]
const words: readonly string[] = ['word']
const rowOf = (known: Known, name: string): object => known[name] ?? {}

const status = {
  ...{ version: 'v0.6.8', start_time: 1, email_verification: false, github_oauth: false, github_client_id: '', lark_client_id: '' },
  ...{ system_name: '', logo: '', footer_html: '', wechat_qrcode: '', wechat_login: false, server_address: '', turnstile_check: false },
  ...{ turnstile_site_key: '', top_up_link: '', chat_link: '', quota_per_unit: 500_000, display_in_currency: true },
}

const open: readonly FamilyCall[] = [
  { call: 'GET /api/status', at: '/status', as: 'visitor', data: status },
  { call: 'GET /api/notice', at: '/notice', as: 'visitor', data: '' },
  { call: 'GET /api/about', at: '/about', as: 'visitor', data: '' },
  { call: 'GET /api/home_page_content', at: '/home_page_content', as: 'visitor', data: '' },
]

const options: readonly FamilyCall[] = [
  { call: 'GET /api/option', at: '/option/', data: rows('GET /api/option') },
  { call: 'PUT /api/option', at: '/option/', body: () => ({ key: 'SystemName', value: 'Acme' }) },
  { call: 'PUT /api/option', at: '/option/', body: () => ({ key: 'QuotaForNewUser', value: '500000' }) },
  // A switch of another theme of these consoles sends a boolean.
  { call: 'PUT /api/option', at: '/option/', body: () => ({ key: 'LogConsumeEnabled', value: true }) },
]

const channelForm = {
  ...{ name: 'family', type: 1, key: 'sk-upstream', other: '', model_mapping: '', models: 'gpt-4o-mini,gpt-4', groups: ['default'] },
  ...{ group: 'default', config: '{"region":"","sk":"","ak":"","user_id":"","vertex_ai_project_id":"","vertex_ai_adc":""}' },
}

const channels: readonly FamilyCall[] = [
  { call: 'GET /api/models', at: '/models', data: { 1: words } },
  { call: 'GET /api/group', at: '/group/', data: words },
  { call: 'GET /api/channel/models', at: '/channel/models', data: rows('GET /api/channel/models') },
  { call: 'POST /api/channel', at: '/channel/', body: ({ upstream }) => ({ ...channelForm, base_url: upstream }) },
  { call: 'POST /api/channel', at: '/channel', body: ({ upstream }) => ({ ...channelForm, key: 'one\ntwo', base_url: upstream }) },
  {
    call: 'GET /api/channel',
    at: '/channel/?p=0',
    data: rows('GET /api/channel'),
    keeps: { channel: '2.id', other: '0.id', third: '1.id' },
  },
  { call: 'GET /api/channel', at: '/channel/?p=7', data: [] },
  { call: 'GET /api/channel/search', at: '/channel/search?keyword=fam', data: rows('GET /api/channel') },
  { call: 'GET /api/channel/search', at: '/channel/search?keyword=', data: rows('GET /api/channel') },
  { call: 'GET /api/channel/:id', at: '/channel/{channel}', data: row('GET /api/channel/:id'), keeps: { channelRow: '' } },
  {
    call: 'PUT /api/channel',
    at: '/channel/',
    body: (known) => ({ ...rowOf(known, 'channelRow'), groups: ['default'], name: 'renamed', key: '' }),
    data: row('GET /api/channel'),
  },
  { call: 'PUT /api/channel', at: '/channel/', body: ({ channel }) => ({ id: channel, status: 2 }), data: { status: 2 } },
  { call: 'PUT /api/channel', at: '/channel/', body: ({ channel }) => ({ id: channel, status: 1 }), data: { status: 1 } },
  { call: 'PUT /api/channel', at: '/channel/', body: ({ channel }) => ({ id: channel, priority: 3 }), data: { priority: 3 } },
  { call: 'PUT /api/channel', at: '/channel/', body: ({ channel }) => ({ id: channel, weight: 2 }), data: { weight: 2 } },
  { call: 'GET /api/channel/test/:id', at: '/channel/test/{channel}?model=gpt-4o-mini', beside: { time: 0.1, model: 'gpt-4o-mini' } },
  { call: 'GET /api/channel/test/:id', at: '/channel/test/{channel}/?model=', beside: { time: 0.1, model: 'gpt-4o-mini' } },
  { call: 'GET /api/channel/update_balance/:id', at: '/channel/update_balance/{channel}/', beside: { balance: 12.5 } },
  { call: 'DELETE /api/channel/:id', at: '/channel/{other}/' },
  { call: 'PUT /api/channel', at: '/channel/', body: ({ third }) => ({ id: third, status: 2 }), data: { status: 2 } },
  { call: 'DELETE /api/channel/disabled', at: '/channel/disabled', data: 1 },
  { call: 'GET /api/channel/test', at: '/channel/test?scope=all' },
]

const tokenForm = { name: 'mine', remain_quota: 500_000, expired_time: -1, unlimited_quota: false, models: '', subnet: '' }

const tokens: readonly FamilyCall[] = [
  {
    call: 'POST /api/token',
    at: '/token/',
    as: 'ann',
    body: () => tokenForm,
    data: row('GET /api/token'),
    keeps: { token: 'id', key: 'key' },
  },
  { call: 'GET /api/token', at: '/token/?p=0&order=', as: 'ann', data: rows('GET /api/token') },
  { call: 'GET /api/token', at: '/token/?p=0&order=used_quota', as: 'ann', data: rows('GET /api/token') },
  { call: 'GET /api/token/search', at: '/token/search?keyword=mi', as: 'ann', data: rows('GET /api/token') },
  { call: 'GET /api/token/:id', at: '/token/{token}', as: 'ann', data: row('GET /api/token/:id'), keeps: { tokenRow: '' } },
  {
    call: 'PUT /api/token',
    at: '/token/',
    as: 'ann',
    body: (known) => ({ ...rowOf(known, 'tokenRow'), name: 'renamed' }),
    data: row('GET /api/token'),
  },
  {
    call: 'PUT /api/token?status_only',
    at: '/token/?status_only=true',
    as: 'ann',
    body: ({ token }) => ({ id: token, status: 2 }),
    data: { status: 2 },
  },
  {
    call: 'PUT /api/token?status_only',
    at: '/token?status_only=1',
    as: 'ann',
    body: ({ token }) => ({ id: token, status: 1 }),
    data: { status: 1 },
  },
  { call: 'GET /api/user/available_models', at: '/user/available_models', as: 'ann', data: words },
]

const codes: readonly FamilyCall[] = [
  {
    call: 'POST /api/redemption',
    at: '/redemption/',
    body: () => ({ name: 'gift', quota: 100_000, count: 2 }),
    data: words,
    keeps: { code: '0' },
  },
  { call: 'GET /api/redemption', at: '/redemption/?p=0', data: rows('GET /api/redemption'), keeps: { redemption: '0.id' } },
  { call: 'GET /api/redemption/search', at: '/redemption/search?keyword=gift', data: rows('GET /api/redemption') },
  { call: 'GET /api/redemption/:id', at: '/redemption/{redemption}', data: row('GET /api/redemption/:id'), keeps: { redemptionRow: '' } },
  {
    call: 'PUT /api/redemption',
    at: '/redemption/',
    body: (known) => ({ ...rowOf(known, 'redemptionRow'), quota: 5, count: 0 }),
    data: row('GET /api/redemption'),
  },
  {
    call: 'PUT /api/redemption?status_only',
    at: '/redemption/?status_only=true',
    body: ({ redemption }) => ({ id: redemption, status: 2 }),
    data: { status: 2 },
  },
  { call: 'POST /api/user/topup', at: '/user/topup', as: 'ann', body: ({ code }) => ({ key: code }), data: 100_000 },
  { call: 'DELETE /api/redemption/:id', at: '/redemption/{redemption}/' },
]

const manage = (action: string, data: unknown): FamilyCall => ({
  call: 'POST /api/user/manage',
  at: '/user/manage',
  body: () => ({ username: 'bob', action }),
  data,
})

const people: readonly FamilyCall[] = [
  { call: 'POST /api/user', at: '/user/', body: () => ({ username: 'bob', display_name: 'Bob', password: 'password of bob' }) },
  { call: 'POST /api/user', at: '/user', body: () => ({ username: 'carl', password: 'password of carl' }) },
  { call: 'GET /api/user', at: '/user/?p=0&order=', data: rows('GET /api/user'), keeps: { carl: '0.id', bob: '1.id' } },
  { call: 'GET /api/user', at: '/user/?p=0&order=quota', data: rows('GET /api/user') },
  { call: 'GET /api/user/search', at: '/user/search?keyword=bo', data: rows('GET /api/user') },
  { call: 'GET /api/user/:id', at: '/user/{bob}', data: row('GET /api/user'), keeps: { bobRow: '' } },
  {
    call: 'PUT /api/user',
    at: '/user/',
    body: (known) => ({ ...rowOf(known, 'bobRow'), password: '', group: 'vip', quota: 700_000, lark_id: '' }),
  },
  manage('promote', { role: 10, status: 1 }),
  manage('demote', { role: 1, status: 1 }),
  manage('disable', { role: 1, status: 2 }),
  manage('enable', { role: 1, status: 1 }),
  manage('delete', { role: 1, status: 3 }),
  { call: 'DELETE /api/user/:id', at: '/user/{carl}/' },
  { call: 'POST /api/topup', at: '/topup', body: ({ ann }) => ({ user_id: ann, quota: 1_000, remark: 'thanks' }) },
]

const noTimes = 'token_name=&model_name=&start_timestamp=NaN&end_timestamp=NaN'

const logs: readonly FamilyCall[] = [
  {
    call: 'GET /api/log',
    at: '/log/?p=0&type=0&username=&token_name=&model_name=&start_timestamp=0&end_timestamp=4000000000&channel=',
    data: rows('GET /api/log'),
  },
  { call: 'GET /api/log', at: `/log?p=0&type=2&username=&channel=&${noTimes}`, data: rows('GET /api/log') },
  { call: 'GET /api/log/stat', at: `/log/stat?type=0&username=&channel=&${noTimes}`, data: row('GET /api/log/stat') },
  { call: 'GET /api/log/self', at: `/log/self/?p=0&type=0&${noTimes}`, as: 'ann', data: rows('GET /api/log') },
  { call: 'GET /api/log/self/stat', at: `/log/self/stat?type=0&${noTimes}`, as: 'ann', data: row('GET /api/log/stat') },
  { call: 'GET /api/log/search', at: '/log/search?keyword=1', data: rows('GET /api/log') },
  { call: 'GET /api/log/self/search', at: '/log/self/search?keyword=1', as: 'ann', data: rows('GET /api/log') },
  { call: 'GET /api/user/dashboard', at: '/user/dashboard', as: 'ann', data: rows('GET /api/user/dashboard') },
  { call: 'GET /api/log/series', at: '/log/series?bucket=day', data: [{ quota: 1 }] },
  { call: 'DELETE /api/log', at: '/log/?target_timestamp=1', data: 0 },
  { call: 'GET /api/channel/update_balance', at: '/channel/update_balance' },
]

const own: readonly FamilyCall[] = [
  { call: 'GET /api/user/self', at: '/user/self', as: 'ann', data: row('GET /api/user/self'), keeps: { self: '' } },
  { call: 'PUT /api/user/self', at: '/user/self', as: 'ann', body: (known) => ({ ...rowOf(known, 'self'), display_name: 'Ann' }) },
  { call: 'GET /api/user/aff', at: '/user/aff', as: 'ann', data: 'abcd', keeps: { aff: '' } },
  { call: 'GET /api/user/token', at: '/user/token', as: 'ann', data: 'token', keeps: { accessToken: '' } },
]

/** Calls that need the session of an account. */
export const sessionCalls: readonly FamilyCall[] = [...open, ...options, ...channels, ...tokens, ...codes, ...people, ...own]

/** Calls after a program has used the token. */
export const laterCalls: readonly FamilyCall[] = [...logs, { call: 'DELETE /api/token/:id', at: '/token/{token}/', as: 'ann' }]

const login = row('POST /api/user/login')
const registration = { username: 'dora', password: 'password of dora', password2: 'password of dora', email: 'dora@example.com' }

/** Calls by which somebody gets an account, a password or a further way to log in. `mailCode` and the codes of services are known. */
export const identityCalls: readonly FamilyCall[] = [
  { call: 'GET /api/verification', at: '/verification?email=dora%40example.com&turnstile=', as: 'visitor' },
  {
    call: 'POST /api/user/register',
    at: '/user/register?turnstile=',
    as: 'visitor',
    body: ({ mailCode, aff }) => ({ ...registration, verification_code: mailCode, wechat_verification_code: '', aff_code: aff }),
  },
  {
    call: 'POST /api/user/login',
    at: '/user/login',
    as: 'visitor',
    body: () => ({ username: 'dora', password: 'password of dora' }),
    data: login,
  },
  { call: 'GET /api/reset_password', at: '/reset_password?email=dora%40example.com&turnstile=', as: 'visitor' },
  {
    call: 'POST /api/user/reset',
    at: '/user/reset',
    as: 'visitor',
    body: ({ resetToken }) => ({ email: 'dora@example.com', token: resetToken }),
    data: 'a new password',
  },
  { call: 'GET /api/oauth/wechat', at: '/oauth/wechat?code=111111', as: 'visitor', data: login },
  { call: 'GET /api/oauth/wechat/bind', at: '/oauth/wechat/bind?code=222222', as: 'ann', message: '' },
  { call: 'GET /api/oauth/state', at: '/oauth/state', as: 'ann', data: 'state', keeps: { state: '' } },
  { call: 'GET /api/oauth/github', at: '/oauth/github?code={githubCode}&state={state}', as: 'ann', message: 'bind' },
  { call: 'GET /api/oauth/state', at: '/oauth/state', as: 'ann', data: 'state', keeps: { state: '' } },
  { call: 'GET /api/oauth/lark', at: '/oauth/lark?code={larkCode}&state={state}', as: 'ann', message: 'bind' },
  { call: 'GET /api/verification', at: '/verification?email=ann%40example.com&turnstile=', as: 'ann' },
  { call: 'GET /api/oauth/email/bind', at: '/oauth/email/bind?email=ann%40example.com&code={annCode}', as: 'ann' },
  { call: 'DELETE /api/user/self', at: '/user/self', as: 'ann' },
  { call: 'GET /api/user/logout', at: '/user/logout', as: 'ann' },
]

/** Calls of programs with the key of a token, whose responses have no envelope. */
export const billingCalls: ReadonlyArray<readonly [path: string, response: Readonly<Record<string, unknown>>]> = [
  ...['/dashboard/billing/subscription', '/v1/dashboard/billing/subscription'].map(
    (path) =>
      [
        path,
        {
          ...{ object: 'billing_subscription', has_payment_method: true, soft_limit_usd: 1, hard_limit_usd: 1 },
          ...{ system_hard_limit_usd: 1, access_until: 0 },
        },
      ] as const,
  ),
  ...['/dashboard/billing/usage', '/v1/dashboard/billing/usage'].map((path) => [path, { object: 'list', total_usage: 12.5 }] as const),
]
