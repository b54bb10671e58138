// The calls that other consoles and scripts make: two lists from two documents, and the bodies that consoles send.

/** The calls of the specification, section 7, in its order. */
export const specified: readonly string[] = [
  'GET /api/status',
  'GET /api/option',
  'PUT /api/option',
  'GET /api/models',
  'GET /api/group',

  'POST /api/user/login',
  'POST /api/user/register',
  'GET /api/verification',
  'GET /api/reset_password',
  'POST /api/user/reset',
  'GET /api/oauth/state',
  'GET /api/oauth/wechat',
  'GET /api/oauth/github',
  'GET /api/oauth/lark',
  'GET /api/oauth/wechat/bind',
  'GET /api/oauth/email/bind',
  'GET /api/user/logout',
  'GET /api/user/self',
  'PUT /api/user/self',
  'DELETE /api/user/self',
  'GET /api/user/token',
  'GET /api/user/aff',
  'GET /api/user/available_models',
  'POST /api/user/topup',

  'GET /api/user',
  'GET /api/user/search',
  'GET /api/user/:id',
  'PUT /api/user',
  'POST /api/user',
  'POST /api/user/manage',

  'GET /api/channel',
  'GET /api/channel/search',
  'GET /api/channel/:id',
  'POST /api/channel',
  'PUT /api/channel',
  'DELETE /api/channel/:id',
  'DELETE /api/channel/disabled',
  'GET /api/channel/test',
  'GET /api/channel/test/:id',
  'GET /api/channel/update_balance/:id',
  'GET /api/channel/models',

  'GET /api/token',
  'GET /api/token/search',
  'GET /api/token/:id',
  'POST /api/token',
  'PUT /api/token',
  'PUT /api/token?status_only',
  'DELETE /api/token/:id',

  'GET /api/redemption',
  'GET /api/redemption/search',
  'GET /api/redemption/:id',
  'POST /api/redemption',
  'PUT /api/redemption',
  'PUT /api/redemption?status_only',
  'DELETE /api/redemption/:id',

  'GET /api/log',
  'GET /api/log/self',
  'GET /api/log/stat',
  'GET /api/log/self/stat',
  'DELETE /api/log',
]

/** Further calls that servers of this family answer and that pages of consoles need. */
export const alsoExpected: readonly string[] = [
  'GET /api/notice',
  'GET /api/about',
  'GET /api/home_page_content',
  'GET /api/user/dashboard',
  'DELETE /api/user/:id',
  'POST /api/topup',
  'GET /api/channel/update_balance',
  'GET /api/log/search',
  'GET /api/log/self/search',
  'GET /api/log/series',
]

/** Calls that only this server has, each with the reason. */
export const ours: Readonly<Record<string, string>> = {
  'GET /api/user/invited': 'Who came by an invitation, for its inviter.',
  'POST /api/oauth/unbind': 'Removes a way to log in from the own account.',
  'POST /api/user/unbind': 'Removes one that the owner of an account has lost.',
  'GET /api/channel/progress': 'a run over many channels can be watched',
  'GET /api/channel/health': 'what requests have found of the channels, which no console of this family shows',
  'GET /api/channel/tests': 'the history of tests, for a line of response times',
  'GET /api/channel/:id/upstream_models': "fills a form with the models that the channel's key may use",
  'GET /api/channel/unpriced': 'which models of a channel form have no price',
  'PUT /api/channel/price': 'a price as a choice in the channel form',
  'POST /api/channel/upstream_models': 'the same before the channel is saved',
  'GET /api/ledger/check': 'whether every balance is explained, for whoever watches over the books',
  'POST /api/user/token': 'the current password stands in for a login of the last minutes, which no address of a GET may carry',
  'GET /api/option/waiting': 'what administrators have set counts for administrators only once root has confirmed it',
  'POST /api/option/confirm': 'consoles never send what has not changed, so confirming is a call of its own',
  'GET /api/log/self/series': 'Users have charts of their own usage.',
}

/** A user row as consoles read it. */
const userRow = {
  id: 2,
  username: 'ann',
  password: '',
  display_name: 'Ann',
  role: 1,
  status: 1,
  email: '',
  github_id: '',
  wechat_id: '',
  lark_id: '',
  quota: 100000,
  used_quota: 0,
  request_count: 0,
  group: 'default',
  aff_code: '',
  inviter_id: 0,
}

/** The same row as consoles send it back, with two more members. */
const sentUserRow = { ...userRow, verification_code: '', access_token: '' }

const channelForm = {
  name: 'a',
  type: 1,
  key: 'sk-1',
  base_url: '',
  other: '',
  model_mapping: '',
  models: 'gpt-3.5-turbo,gpt-4',
  groups: ['default'],
  group: 'default',
  config: '{"region":"","sk":"","ak":"","user_id":"","vertex_ai_project_id":"","vertex_ai_adc":""}',
}

const channelRow = {
  id: 1,
  type: 1,
  key: '',
  status: 1,
  name: 'a',
  weight: 0,
  created_time: 1721659879,
  test_time: 0,
  response_time: 0,
  base_url: '',
  other: '',
  balance: 0,
  balance_updated_time: 0,
  models: 'gpt-3.5-turbo',
  group: 'default',
  used_quota: 0,
  model_mapping: '',
  priority: 0,
  config: '{}',
}

const tokenForm = { name: 'default', remain_quota: 500000, expired_time: -1, unlimited_quota: false, models: '', subnet: '' }

const tokenRow = {
  id: 1,
  user_id: 1,
  key: 'a'.repeat(48),
  status: 1,
  name: 'default',
  created_time: 1721659879,
  accessed_time: 1721659879,
  expired_time: -1,
  remain_quota: 500000,
  unlimited_quota: false,
  used_quota: 0,
  models: '',
  subnet: '',
}

const redemptionRow = {
  id: 1,
  user_id: 1,
  key: 'a'.repeat(32),
  status: 1,
  name: 'n',
  quota: 100000,
  created_time: 1721659879,
  redeemed_time: 0,
  count: 0,
}

const registration = {
  username: 'ann',
  password: 'a good password',
  password2: 'a good password',
  email: '',
  verification_code: '',
  wechat_verification_code: '',
}

/** Bodies that compatible consoles send, including ignored members. Each must be accepted. */
export const sentBodies: ReadonlyArray<readonly [call: string, body: Readonly<Record<string, unknown>>]> = [
  ['POST /api/user/login', { username: 'root', password: 'a good password' }],
  ['POST /api/user/register', { ...registration, aff_code: null }],
  ['POST /api/user/register', { ...registration, aff_code: 'Ab3x' }],
  ['POST /api/user/reset', { email: 'ann@example.com', token: 'a'.repeat(32) }],
  ['PUT /api/user', sentUserRow],
  ['PUT /api/user', { ...sentUserRow, password: 'a good password', quota: 7 }],
  ['POST /api/user', { username: 'ann', display_name: 'Ann', password: 'a good password' }],
  ['PUT /api/user/self', sentUserRow],
  ['POST /api/user/manage', { username: 'ann', action: 'promote' }],
  ['POST /api/user/topup', { key: 'a'.repeat(32) }],
  ['POST /api/channel', channelForm],
  ['PUT /api/channel', { ...channelRow, ...channelForm, key: '' }],
  ['PUT /api/channel', { id: 1, status: 2 }],
  ['PUT /api/channel', { id: 1, priority: 3 }],
  ['PUT /api/channel', { id: 1, weight: 3 }],
  ['POST /api/token', tokenForm],
  ['PUT /api/token', { ...tokenRow, ...tokenForm }],
  ['PUT /api/token?status_only', { id: 1, status: 2 }],
  ['POST /api/redemption', { name: 'n', quota: 100000, count: 1 }],
  ['PUT /api/redemption', { ...redemptionRow, quota: 5 }],
  ['PUT /api/redemption?status_only', { id: 1, status: 2 }],
  ['PUT /api/option', { key: 'SystemName', value: 'Acme' }],
  ['PUT /api/option', { key: 'RegisterEnabled', value: 'false' }],
]

/** Queries that consoles send for empty fields and menus. */
export const sentQueries: ReadonlyArray<readonly [call: string, query: Readonly<Record<string, string>>]> = [
  ['GET /api/user', { p: '0', order: '' }],
  ['GET /api/user/search', { keyword: '' }],
  ['GET /api/channel', { p: '0' }],
  ['GET /api/channel/test', { scope: 'all' }],
  ['GET /api/channel/test', { scope: 'disabled' }],
  ['GET /api/channel/test/:id', { id: '1', model: '' }],
  ['GET /api/channel/update_balance/:id', { id: '1' }],
  ['GET /api/token', { p: '0', order: '' }],
  ['GET /api/token', { p: '0', order: 'remain_quota' }],
  ['GET /api/redemption', { p: '0' }],
  [
    'GET /api/log',
    { p: '0', type: '0', username: '', token_name: '', model_name: '', start_timestamp: 'NaN', end_timestamp: '', channel: '' },
  ],
  ['GET /api/log/self', { p: '0', type: '0', token_name: '', model_name: '', start_timestamp: 'NaN', end_timestamp: 'NaN' }],
  [
    'GET /api/log/stat',
    { type: '0', username: '', token_name: '', model_name: '', start_timestamp: '', end_timestamp: 'NaN', channel: '' },
  ],
  ['GET /api/log/self/stat', { type: '0', token_name: '', model_name: '', start_timestamp: '0', end_timestamp: '1721659879' }],
  ['DELETE /api/log', { target_timestamp: '1721659879' }],
  ['GET /api/verification', { email: 'ann@example.com', turnstile: '' }],
  ['GET /api/reset_password', { email: 'ann@example.com', turnstile: '' }],
  ['GET /api/oauth/github', { code: 'c', state: 's' }],
  ['GET /api/oauth/lark', { code: 'c', state: 's' }],
  ['GET /api/oauth/wechat', { code: '123456' }],
  ['GET /api/oauth/wechat/bind', { code: '123456' }],
  ['GET /api/oauth/email/bind', { email: 'ann@example.com', code: '123456' }],
]

/** Rows as compatible consoles read them: every member must be present with this type. */
export const readRows: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  'GET /api/channel': channelRow,
  'GET /api/channel/:id': channelRow,
  'GET /api/token': tokenRow,
  'GET /api/token/:id': tokenRow,
  'GET /api/redemption': redemptionRow,
  'GET /api/redemption/:id': redemptionRow,
  'GET /api/user': userRow,
  'GET /api/user/self': userRow,
  'GET /api/log': {
    id: 1,
    user_id: 1,
    created_at: 1721659879,
    type: 2,
    content: '',
    username: 'root',
    token_name: 'default',
    model_name: 'gpt-3.5-turbo',
    quota: 10,
    prompt_tokens: 5,
    completion_tokens: 5,
    channel: 1,
  },
  'GET /api/option': { key: 'SystemName', value: 'One API' },
  'GET /api/user/dashboard': {
    Day: '2024-07-22',
    ModelName: 'gpt-3.5-turbo',
    RequestCount: 1,
    Quota: 10,
    PromptTokens: 5,
    CompletionTokens: 5,
  },
  'POST /api/user/login': { id: 1, username: 'root', display_name: 'Root User', role: 100, status: 1 },
  'POST /api/user/manage': { role: 1, status: 1 },
  'GET /api/log/stat': { quota: 1, token: 1 },
  'GET /api/channel/models': { id: 'gpt-4' },
}
