import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { callOf, contract, en, limitedCalls, limitOf, zh } from '@sluice/contract'
import { type Session, type TestApp, testApp } from '../../test/app.ts'
import { endpoints } from '../../test/endpoints.ts'
import type { Clock } from '../lib/clock.ts'

let ms = 1_800_000_000_000
const clock: Clock = { nowMs: () => ms, monotonicMs: () => ms }
let app: TestApp
beforeAll(async () => {
  app = await testApp({
    clock,
    env: { TRUSTED_PROXIES: '127.0.0.1', RATE_LIMITS: 'api=5/60, login=1000/60, search=2/60' },
  })
})
afterAll(() => app.close())

const from = (address: string, { headers }: Session = { headers: {} }): RequestInit => ({
  headers: { ...headers, 'x-forwarded-for': address },
})
const statusOf = async (path: string, init: RequestInit): Promise<number> => (await app.request(path, init)).status
async function untilRefused(path: string, init: RequestInit): Promise<number> {
  for (let times = 0; times < 200; times++) if ((await statusOf(path, init)) === 429) return times
  return Number.POSITIVE_INFINITY
}

describe('too many calls', () => {
  test('are refused with an envelope in the language of the caller, and with the time to wait', async () => {
    expect(await untilRefused('/api/status', from('203.0.113.1'))).toBe(5)
    const refused = await app.request('/api/status', { headers: { 'x-forwarded-for': '203.0.113.1', 'accept-language': 'zh-CN' } })
    expect([refused.status, refused.headers.get('retry-after'), await refused.json()]).toEqual([
      429,
      '12',
      { success: false, message: zh.rate_limited.replace('{seconds}', '12') },
    ])
    ms += 12_000
    expect(await statusOf('/api/status', from('203.0.113.1'))).toBe(200)
  })

  test('of one address are not counted for another; all addresses of one IPv6 network count as one', async () => {
    expect(await untilRefused('/api/status', from('203.0.113.2'))).toBe(5)
    expect(await statusOf('/api/status', from('203.0.113.3'))).toBe(200)
    expect(await untilRefused('/api/status', from('2001:db8::1'))).toBe(5)
    expect(await statusOf('/api/status', from('2001:db8::2'))).toBe(429)
    expect(await statusOf('/api/status', from('2001:db8:0:1::2'))).toBe(200)
  })

  test('of visitors behind one address do not affect its accounts, and these do not affect each other', async () => {
    const [ann, bob] = [await app.make.user(), await app.make.user()]
    expect(await untilRefused('/api/token/', from('203.0.113.4'))).toBe(5)
    expect(await untilRefused('/api/token/', from('203.0.113.4', ann))).toBe(5)
    expect(await statusOf('/api/token/', from('203.0.113.4', bob))).toBe(200)
  })

  test('of one account are counted from all addresses together, also with its access token', async () => {
    const ann = await app.make.user()
    expect(await untilRefused('/api/token/', from('203.0.113.5', ann))).toBe(5)
    expect(await statusOf('/api/token/', from('203.0.113.6', ann))).toBe(429)
    expect(await statusOf('/api/token/', from('203.0.113.6', await app.make.accessToken(ann)))).toBe(429)
  })

  test('of one class do not affect others: after twenty searches or login states, others behind the NAT can log in (W47)', async () => {
    const ann = await app.make.user()
    expect(await untilRefused('/api/token/search', from('203.0.113.7', ann))).toBe(2)
    expect(await statusOf('/api/token/', from('203.0.113.7', ann))).toBe(200)
    expect(await untilRefused('/api/status', from('203.0.113.7'))).toBe(5)
    const login = await app.request('/api/user/login', {
      method: 'POST',
      headers: { 'x-forwarded-for': '203.0.113.7' },
      body: JSON.stringify({ username: ann.username, password: ann.password }),
    })
    expect(await login.json()).toMatchObject({ success: true })
  })

  test('with unknown sessions and access tokens are counted for the address, and valid ones have a limit there too', async () => {
    const guess = (turn: number): RequestInit => from('203.0.113.8', { headers: { authorization: `guess ${turn}` } })
    const statuses = []
    for (let turn = 0; turn < 60; turn++) statuses.push(await statusOf('/api/user/self', guess(turn)))
    expect(statuses.filter((status) => status !== 429)).toHaveLength(5)
    const ann = await app.make.user()
    expect(await statusOf('/api/user/self', from('203.0.113.8', ann))).toBe(429)
    expect(await statusOf('/api/user/self', from('203.0.113.9', ann))).toBe(200)
  })

  test('are counted for the sender, not for an address in a header that no trusted proxy wrote (W11)', async () => {
    const plain = await testApp({ clock, env: { RATE_LIMITS: 'api=3/60' } })
    try {
      const statuses = []
      for (const header of ['x-forwarded-for', 'x-real-ip', 'forwarded', 'cf-connecting-ip', 'true-client-ip', 'client-ip'])
        statuses.push((await plain.request('/api/status', { headers: { [header]: '198.51.100.7' } })).status)
      expect(statuses).toEqual([200, 200, 200, 429, 429, 429])
      expect((await plain.call(contract.status.get, {})).message).toBe(en.rate_limited.replace('{seconds}', '20'))
    } finally {
      await plain.close()
    }
  })
})

describe('the table of limits', () => {
  test('names existing calls only', () => {
    const built = endpoints.map(([, endpoint]) => callOf(endpoint))
    expect(limitedCalls.filter((call) => !built.includes(call))).toEqual([])
  })

  test('has a class for every call that guesses, sends or searches', () => {
    const dear = /login|register|verification|reset|oauth|user\/topup|search|bind/
    const unlimited = endpoints.filter(([, endpoint]) => dear.test(endpoint.path) && limitOf(endpoint) === 'api')
    expect(unlimited.map(([name]) => name)).toEqual([])
  })
})
