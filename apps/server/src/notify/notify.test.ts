import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../test/app.ts'
import { type FakeMailServer, startMailServer, startSilentServer } from '../../test/fake-mail-server.ts'

let app: TestApp
let mail: FakeMailServer
const ms = 1_800_000_000_000
const clock = { nowMs: () => ms, monotonicMs: () => ms }
beforeAll(async () => {
  mail = await startMailServer({ isPlain: true })
  app = await testApp({ clock })
  await set({
    SMTPServer: '127.0.0.1',
    SMTPPort: String(mail.port),
    SMTPFrom: 'gateway@example.com',
    ServerAddress: 'https://gateway.example',
    ModelRatio: '{"gpt-4o-mini": 100}',
    QuotaRemindThreshold: '100000',
  })
  await app.make.channel()
})
afterAll(async () => {
  await app.close()
  await mail.close()
})

async function set(values: Readonly<Record<string, string>>): Promise<void> {
  for (const [key, value] of Object.entries(values)) await app.data(contract.option.update, { key, value })
}

async function spender(quota: number, email: string): Promise<{ readonly user: TestUser; readonly key: string }> {
  const user = await app.make.user({ quota })
  await app.app.store.db.updateTable('users').set({ email }).where('id', '=', user.id).execute()
  const { key } = await app.make.token(user, { isUnlimited: true })
  return { user, key }
}

/** A chat that costs some thousand units of quota. */
const chat = async (key: string): Promise<number> => {
  const body = JSON.stringify({ model: 'gpt-4o-mini', max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] })
  const response = await app.request('/v1/chat/completions', { method: 'POST', headers: { authorization: `Bearer ${key}` }, body })
  await response.text()
  return response.status
}
const balance = async (user: TestUser): Promise<number> => (await app.data(contract.account.self, {}, user)).quota

describe('the quota reminder', () => {
  test('is sent once when a charge takes the balance below the threshold, and again after it was above', async () => {
    const { user, key } = await spender(100_500, 'low@example.com')
    const before = await balance(user)
    expect(await chat(key)).toBe(200)
    const cost = before - (await balance(user))
    expect(cost).toBeGreaterThan(500)
    const { to, text, raw } = await mail.mail(0)
    expect(to).toEqual(['low@example.com'])
    expect(text).toContain(`$${((before - cost) / 500_000).toFixed(6)}`)
    expect(text).toContain('https://gateway.example/topup')
    expect(text).toContain('剩余额度')
    expect(raw.split('\r\n\r\n')[0]).toMatch(/^Subject: =\?UTF-8\?/m)
    await chat(key)
    await app.app.ledger.post({ userId: user.id, kind: 'grant', ref: 'again', amount: 3 * cost })
    const fresh = await spender(100_500, 'next@example.com')
    await chat(fresh.key)
    expect((await mail.mail(1)).to).toEqual(['next@example.com'])
    await chat(key)
    await chat(key)
    expect((await mail.mail(2)).to).toEqual(['low@example.com'])
  })

  test('is one mail, however many charges come at once', async () => {
    const { key } = await spender(130_000, 'crowd@example.com')
    const before = mail.received.length
    expect(await Promise.all(Array.from({ length: 12 }, () => chat(key)))).toEqual(Array.from({ length: 12 }, () => 200))
    const last = await spender(100_500, 'last@example.com')
    await chat(last.key)
    while (mail.received.at(-1)?.to[0] !== 'last@example.com') await mail.mail(mail.received.length)
    expect(mail.received.slice(before).map(({ to }) => to[0])).toEqual(['crowd@example.com', 'last@example.com'])
  })

  test('neither delays nor fails a request while the mail server does not respond (W49)', async () => {
    const silent = await startSilentServer()
    await set({ SMTPPort: String(silent.port) })
    const { key } = await spender(100_500, 'unlucky@example.com')
    const started = performance.now()
    expect([await chat(key), await chat(key)]).toEqual([200, 200])
    expect(performance.now() - started).toBeLessThan(4_000)
    await silent.close()
    await set({ SMTPPort: String(mail.port) })
  })
})
