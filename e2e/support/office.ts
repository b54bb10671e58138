import type { TestUser } from '../../apps/server/test/app.ts'
import { makeChannel } from './channels.ts'
import type { Gateway } from './gateway.ts'
import { busyLog } from './log-rows.ts'
import { officeTasks } from './office-tasks.ts'

// The data of the screenshots: a company that has used the gateway for some months.

const day = 86_400
const models = 'gpt-4o,gpt-4o-mini,gpt-4.1,gpt-4.1-mini,o3,o4-mini,text-embedding-3-large,text-embedding-3-small'
const claudes = 'claude-opus-4-1,claude-sonnet-4-5,claude-3-5-haiku'

interface OfficeChannel {
  readonly name: string
  readonly type: number
  readonly models: string
  readonly group: string
  readonly status?: number
  readonly responseMs?: number
  readonly balance?: number
  readonly priority?: number
}

/** In the order of their ids, so the last is the first of the list. */
const officeChannels: readonly OfficeChannel[] = [
  { name: 'OpenAI production', type: 1, models, group: 'default,vip,svip', responseMs: 842, balance: 1_284.5, priority: 20 },
  { name: 'Anthropic', type: 14, models: claudes, group: 'default,vip', responseMs: 1_310, priority: 10 },
  { name: 'DeepSeek 官方', type: 36, models: 'deepseek-chat,deepseek-reasoner', group: 'default,svip', responseMs: 2_310 },
  { name: 'Groq', type: 29, models: 'llama-3.3-70b-versatile', group: 'default', responseMs: 287 },
  { name: 'Gemini', type: 8, models: 'gemini-2.5-pro,gemini-2.5-flash', group: 'default', responseMs: 967, balance: 25 },
  { name: 'Groq, free tier', type: 29, models: 'llama-3.3-70b-versatile', group: 'default', status: 3, responseMs: 4_870 },
  { name: '通义千问', type: 8, models: 'qwen-max,qwen-plus,qwen-turbo', group: 'default', responseMs: 1_120, balance: 312.08 },
  { name: 'OpenAI backup (invoice of the Berlin office)', type: 1, models, group: 'default', status: 2, responseMs: 9_120 },
  { name: 'Anthropic, research', type: 14, models: claudes, group: 'default,vip,svip,premium,batch,research', responseMs: 1_905 },
  { name: 'Relay of the other region', type: 43, models: 'gpt-4o', group: 'default', responseMs: 3_420 },
  { name: 'vLLM in the office', type: 8, models: 'Qwen/Qwen3-32B', group: 'default,research', responseMs: 412 },
  { name: '豆包', type: 8, models: 'doubao-seed-1-6', group: 'default' },
  { name: 'OpenAI, EU', type: 1, models: 'gpt-4.1,gpt-4.1-mini,o3', group: 'premium', responseMs: 1_548, balance: 480 },
  { name: 'Films and songs', type: 48, models: 'sora-2,sora-2-pro', group: 'default,vip', responseMs: 640 },
]

interface OfficeToken {
  readonly name: string
  readonly remain: number
  readonly used: number
  readonly ageDays: number
  readonly leftDays?: number
  readonly isUnlimited?: boolean
  readonly status?: number
  readonly models?: string
}

const tokens: readonly OfficeToken[] = [
  { name: 'notebook', remain: 500_000, used: 0, ageDays: 190 },
  { name: 'evaluation of every model, every night, for the research group', remain: 3_250_000, used: 61_904_114, ageDays: 164 },
  { name: 'contractor (until October)', remain: 1_120_400, used: 3_879_600, ageDays: 120, leftDays: -21, status: 3 },
  { name: '客服机器人', remain: 42_318_220, used: 107_681_780, ageDays: 96, models: 'gpt-4o-mini,deepseek-chat' },
  { name: 'demo at the fair', remain: 0, used: 2_500_000, ageDays: 71, status: 4 },
  { name: 'ci', remain: 0, used: 8_412_377, ageDays: 64, isUnlimited: true },
  { name: 'old website', remain: 9_876_543, used: 123_457, ageDays: 41, status: 2 },
  { name: 'editor plugin', remain: 4_871_002, used: 128_998, ageDays: 18, leftDays: 12, models: 'claude-sonnet-4-5,gpt-4.1' },
  { name: 'support-bot', remain: 12_450_110, used: 37_549_890, ageDays: 9, leftDays: 356 },
  { name: 'search index', remain: 231, used: 499_769, ageDays: 6 },
  { name: 'production-api', remain: 0, used: 1_874_332_019, ageDays: 3, isUnlimited: true },
]

interface OfficeUser {
  readonly username: string
  readonly displayName?: string
  readonly email?: string
  readonly groups?: string
  readonly quota: number
  readonly used: number
  readonly requests: number
  readonly role?: number
  readonly status?: number
}

const users: readonly OfficeUser[] = [
  { username: 'ann', displayName: 'Ann Keller', email: 'ann@example.com', quota: 61_728_390, used: 12_345_678, requests: 8_412 },
  {
    username: 'ben',
    displayName: 'Ben Okafor',
    email: 'ben@example.com',
    groups: 'vip',
    quota: 2_500_000,
    used: 47_500_000,
    requests: 31_877,
  },
  {
    username: 'chen.wei',
    displayName: '陈伟',
    email: 'chen.wei@example.com',
    groups: 'vip,svip',
    quota: 310_000_000,
    used: 1_874_332_019,
    requests: 1_204_551,
  },
  { username: 'intern', quota: 100_000, used: 0, requests: 0 },
  { username: '王小明', email: 'xiaoming@example.com', quota: 4_812_077, used: 187_923, requests: 642, status: 2 },
  {
    username: 'dariusz.wisniewski',
    displayName: 'Dariusz Wiśniewski',
    groups: 'default,research',
    quota: 18_220_000,
    used: 6_780_000,
    requests: 15_020,
  },
  { username: 'حسن', displayName: 'حسن الأحمد', quota: 9_100_000, used: 900_000, requests: 1_377 },
  { username: 'eve', displayName: 'Eve Sato', email: 'eve@example.com', role: 10, quota: 250_000_000, used: 3_114_209, requests: 4_096 },
  { username: 'finance', groups: 'premium', quota: 74_112, used: 925_888, requests: 2_210 },
  {
    username: 'grace',
    displayName: 'Grace',
    email: 'grace.hopper-of-the-berlin-office@example.com',
    quota: 5_000_000,
    used: 0,
    requests: 0,
  },
  { username: 'huang', displayName: '黄丽', quota: 1_000_000, used: 4_000_000, requests: 3_018 },
]

async function fillChannels(gateway: Gateway, now: number): Promise<void> {
  for (const [
    index,
    { name, type, models: served, group, status = 1, responseMs = 0, balance = 0, priority = 0 },
  ] of officeChannels.entries()) {
    const id = await makeChannel(gateway, name, { models: served, group, priority })
    const test_time = responseMs === 0 ? 0 : now - 900 - 1_260 * index
    await gateway.ask('channelRow', {
      id,
      type,
      status,
      response_time: responseMs,
      test_time,
      balance,
      balance_updated_time: balance === 0 ? 0 : now - 7_200,
      created_time: now - (200 - index * 13) * day,
    })
    if (responseMs > 0) await gateway.ask('channelTests', testsOf(id, index, { responseMs, served, until: test_time }))
  }
}

interface Tested {
  readonly responseMs: number
  readonly served: string
  readonly until: number
}

/** Twenty tests, of which some failed: all the last ones of the sixth channel. */
function testsOf(channel_id: number, index: number, { responseMs, served, until }: Tested) {
  return Array.from({ length: 20 }, (_, nth) => {
    const hasFailed = index === 5 ? nth > 14 : (nth * 7 + index * 3) % 31 === 4
    return {
      channel_id,
      created_time: until - (19 - nth) * 3_600,
      model: served.split(',')[0] ?? '',
      passed: hasFailed ? 0 : 1,
      elapsed_ms: Math.round(responseMs * (0.8 + ((nth * 37 + index * 11) % 50) / 100)),
      message: hasFailed ? 'the upstream answered 503' : '',
    }
  })
}

async function fillTokens(gateway: Gateway, now: number): Promise<void> {
  for (const [index, { name, remain, used, ageDays, leftDays, isUnlimited = false, status = 1, models: only = '' }] of tokens.entries()) {
    const body = { name, remain_quota: remain, unlimited_quota: isUnlimited, models: only }
    await gateway.api('/api/token/', { method: 'POST', body })
    const created_time = now - ageDays * day - index * 4_217
    const expired_time = leftDays === undefined ? -1 : now + leftDays * day
    await gateway.ask('tokenRow', { id: index + 1, status, used_quota: used, created_time, expired_time })
  }
}

async function fillUsers(gateway: Gateway): Promise<readonly TestUser[]> {
  const accounts: TestUser[] = []
  for (const { username, displayName = '', email = '', groups = 'default', quota, used, requests, role = 1, status = 1 } of users) {
    const user = await gateway.ask('user', { quota, groups, role })
    await gateway.ask('userRow', {
      id: user.id,
      username,
      display_name: displayName,
      email,
      status,
      used_quota: used,
      request_count: requests,
    })
    accounts.push({ ...user, username })
  }
  return accounts
}

async function fillCodes(gateway: Gateway, now: number): Promise<void> {
  const batches = [
    { name: 'spring 2026', quota: 5_000_000, ageDays: 210 },
    { name: '内测赠送', quota: 250_000, ageDays: 61 },
    { name: 'autumn fair 2026', quota: 50_000_000, ageDays: 12 },
  ]
  let id = 0
  for (const { name, quota, ageDays } of batches) {
    await gateway.api('/api/redemption/', { method: 'POST', body: { name, quota, count: 4 } })
    for (let nth = 0; nth < 4; nth++) {
      id++
      const created_time = now - ageDays * day
      const status = [1, 3, 1, 3][nth] ?? 1
      const redeemed_time = status === 3 ? created_time + (nth + 1) * 91_377 : 0
      const expired_time = ageDays === 12 ? now + 30 * day : -1
      await gateway.ask('redemptionRow', { id, status: id === 5 ? 2 : status, created_time, redeemed_time, expired_time })
    }
  }
}

/** Changes of a channel and of an option, for their histories. */
async function changeSome(gateway: Gateway): Promise<void> {
  const put = (path: string, body: unknown) => gateway.api(path, { method: 'PUT', body })
  const [id, group] = [9, 'default,vip,svip,premium,batch,research']
  await put('/api/channel/', { id, name: 'Anthropic (trial)', models: 'claude-opus-4-1,claude-3-5-haiku', group: 'default', priority: 5 })
  await put('/api/channel/', { id, key: 'sk-another' })
  await put('/api/channel/', { id, name: 'Anthropic, research', models: claudes, group, priority: 0 })
  for (const value of ['example.com', 'example.com,example.org']) await put('/api/option/', { key: 'EmailDomainWhitelist', value })
}

/** What vendors charge: one model costs more than it brings. */
const costOf = ({ model_name, quota }: { readonly model_name: string; readonly quota: number }): number =>
  Math.ceil(quota * (model_name.startsWith('claude') ? 1.12 : 0.7))

/** Seconds before now: the newest rows are minutes apart, and the older ones reach back some weeks, with fewer at night. */
const backTo = (age: number): number => age * 61 + age ** 2.2 * 14 + (age % 5 === 0 ? 0 : ((age * 7919) % 9) * 11_000 * (age / 240))

/** @param now seconds @returns the accounts beside root */
export async function fillOffice(gateway: Gateway, now: number): Promise<readonly TestUser[]> {
  await gateway.api('/api/option/', { method: 'PUT', body: { key: 'StatusPageEnabled', value: 'true' } })
  await fillChannels(gateway, now)
  await fillTokens(gateway, now)
  await changeSome(gateway)
  const people = await fillUsers(gateway)
  await fillCodes(gateway, now)
  const rows = busyLog(gateway.root, 240, now)
  const owners = [gateway.root, ...people]
  await gateway.ask('tasks', officeTasks(owners.slice(0, 8), officeChannels.length, now))
  await gateway.ask(
    'logs',
    rows.map((row, index) => {
      const { id, username } = owners[(index * 5) % 9] ?? gateway.root
      return { ...row, cost: costOf(row), user_id: id, username, created_at: now - Math.round(backTo(rows.length - 1 - index)) }
    }),
  )
  return people
}
