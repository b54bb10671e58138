import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'bun:test'
import { contract, en, zh } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { type FakeMailServer, startMailServer } from '../../../test/fake-mail-server.ts'
import { type FakeService, fakePusher, fakeReleases } from '../../../test/fake-services.ts'
import type { Clock } from '../../lib/clock.ts'

let ms = 1_800_000_000_000
const clock: Clock = { nowMs: () => ms, monotonicMs: () => ms }
let mail: FakeMailServer
let pusher: FakeService
let feed: FakeService
let app: TestApp
let admin: TestUser
beforeAll(async () => {
  mail = await startMailServer({ isPlain: true })
  pusher = fakePusher('push-token')
  feed = fakeReleases({ tag_name: 'v0.7.0', body: '## News\n\n- **faster**\n\n<script>alert(1)</script>' })
  app = await testApp({ clock, env: { RELEASES_URL: `${feed.url}/repos/o/r/releases/latest`, RATE_LIMITS: 'api=off' } })
  admin = await app.make.user({ role: 10 })
})
afterAll(async () => {
  await app.close()
  await mail.close()
  await pusher.close()
  await feed.close()
})
/** Each test gets a new window of the rate limits, and no cached response. */
beforeEach(() => {
  ms += 1_300_000
})

async function set(values: Readonly<Record<string, string>>, as = app.root): Promise<void> {
  for (const [key, value] of Object.entries(values)) await app.data(contract.option.update, { key, value }, as)
}
const detailsOf = async (key: string) => (await app.data(contract.option.details, {})).options.find((row) => row.key === key)
const mailTo = (user: TestUser, email: string) => app.app.store.db.updateTable('users').set({ email }).where('id', '=', user.id).execute()

describe('the details of an option', () => {
  test('say who changed it last and when, and that it is pending super-admin approval', async () => {
    await set({ SMTPAccount: 'root@example.com' })
    ms += 60_000
    await set({ SMTPAccount: 'admin@example.com' }, admin)
    expect(await detailsOf('SMTPAccount')).toEqual({
      key: 'SMTPAccount',
      is_set: true,
      is_kept_back: false,
      is_unreadable: false,
      waits: true,
      is_pending: false,
      pending_value: '',
      changed_by: admin.username,
      changed_at: ms / 1000,
    })
    await set({ SMTPAccount: '' })
    expect(await detailsOf('SMTPAccount')).toMatchObject({ is_set: false, waits: false, changed_by: app.root.username })
    expect(await detailsOf('GitHubClientId')).toMatchObject({ changed_by: '', changed_at: 0 })
  })

  test('say whether a secret is set, and whether it must be entered again for another server', async () => {
    await set({ MessagePusherAddress: 'https://push.example', MessagePusherToken: 'a-token' })
    expect(await detailsOf('MessagePusherToken')).toMatchObject({ is_set: true, is_kept_back: false })
    const response = await app.data(contract.option.update, { key: 'MessagePusherAddress', value: 'https://other.example' })
    expect(response).toEqual({ kept_back: ['MessagePusherToken'], waits: false, is_pending: false })
    expect(await detailsOf('MessagePusherToken')).toMatchObject({ is_set: true, is_kept_back: true })
    await app.data(contract.option.update, { key: 'MessagePusherToken', value: '', clear: true })
    expect(await detailsOf('MessagePusherToken')).toMatchObject({ is_set: false, is_kept_back: false })
    expect(JSON.stringify(await app.data(contract.option.details, {}))).not.toContain('a-token')
  })

  test('name who set the price of a model in the form of a channel', async () => {
    await app.data(contract.channel.setPrice, { model: 'my-model', price: { free: true } }, admin)
    expect(await detailsOf('PriceRules')).toMatchObject({ changed_by: admin.username })
  })
})

describe('a preview', () => {
  const preview = (kind: 'markdown' | 'page' | 'html', text: string) => app.data(contract.option.preview, { kind, text })

  test('is what visitors will get', async () => {
    for (const text of ['# Hello\n\n<b onclick="x()">there</b> <model>', 'https://example.com/page', '']) {
      await set({ HomePageContent: text })
      expect(await preview('page', text)).toBe(await app.data(contract.status.homePageContent, {}))
    }
    const footer = '<a href="javascript:x()">a</a> <script>1</script> *b*'
    await set({ Footer: footer })
    const html = await preview('html', footer)
    expect(html).toBe((await app.data(contract.status.get, {})).footer_html)
    expect(html).not.toMatch(/script|javascript/)
    await set({ HomePageContent: '', Footer: '' })
  })
})

describe('a test mail', () => {
  const send = (as: TestUser) => app.call(contract.option.testMail, {}, as)
  const smtp = () => ({ SMTPServer: '127.0.0.1', SMTPPort: String(mail.port), SMTPFrom: 'gateway@example.com' })

  test('goes to the address of the own account, in the language of the reader', async () => {
    await set(smtp())
    await mailTo(admin, 'admin@example.com')
    const before = mail.received.length
    expect(await send(admin)).toMatchObject({ success: true, data: 'admin@example.com' })
    const { to, text } = await mail.mail(before)
    expect(to).toEqual(['admin@example.com'])
    expect(text).toContain(admin.username)
    expect(mail.received.length).toBe(before + 1)
  })

  test('is refused without an own address and without a mail server', async () => {
    await mailTo(admin, '')
    expect((await send(admin)).message).toBe(en.mail_own_missing)
    await mailTo(admin, 'admin@example.com')
    await set({ SMTPServer: '' })
    expect((await send(admin)).message).toBe(en.mail_not_set)
  })

  test('names the response code of a server that refuses it', async () => {
    await set({ ...smtp(), SMTPAccount: 'wrong', SMTPToken: 'wrong' })
    const { message } = await send(admin)
    expect(message).toMatch(new RegExp(`^${en.mail_test_failed.replace('{detail}', 'E[A-Z]+')}`))
    await set({ SMTPAccount: '' })
  })

  test('is counted with all other mails to that mailbox', async () => {
    await set(smtp())
    await mailTo(admin, 'counted@example.com')
    for (const _ of [1, 2, 3]) expect((await send(admin)).success).toBe(true)
    expect((await send(admin)).message).toBe(en.send_throttled.replace('{seconds}', '600'))
  })
})

describe('a test message', () => {
  const send = (language = 'en') =>
    app.call(contract.option.testPusher, {}, { headers: { ...app.root.headers, 'accept-language': language } })

  test('is sent through the message pusher, or says that the pusher refused it', async () => {
    await set({ MessagePusherAddress: '' })
    expect((await send()).message).toBe(en.pusher_not_set)
    await set({ MessagePusherAddress: `${pusher.url}/push/root`, MessagePusherToken: 'push-token' })
    expect((await send('zh')).success).toBe(true)
    const { path, body } = pusher.received.at(-1) ?? { path: '', body: '{}' }
    expect(path).toBe('/push/root')
    expect(JSON.parse(body).title).toBe(zh.push_test_title.replace('{system}', 'Sluice'))
    await set({ MessagePusherToken: 'wrong' })
    expect((await send()).message).toBe(en.message_pusher_rejected)
  })
})

describe('the latest release', () => {
  const latest = () => app.call(contract.option.release, {})

  test('is read from the configured address, with its notes as sanitized HTML', async () => {
    expect((await app.data(contract.option.details, {})).has_release_feed).toBe(true)
    const data = await app.data(contract.option.release, {})
    expect(data.tag_name).toBe('v0.7.0')
    expect(data.body).toContain('<strong>faster</strong>')
    expect(data.body).not.toContain('script')
    expect(feed.received.at(-1)).toMatchObject({ method: 'GET', path: '/repos/o/r/releases/latest' })
    expect(feed.received.at(-1)?.headers.get('user-agent')).toBe('Sluice')
  })

  test('is read again only after five minutes', async () => {
    await latest()
    const before = feed.received.length
    await latest()
    expect(feed.received.length).toBe(before)
    ms += 301_000
    await latest()
    expect(feed.received.length).toBe(before + 1)
  })

  test('is an error if the address responds with something else, or not at all', async () => {
    const named = (text: string) => text.replace('{service}', 'the list of releases')
    feed.responseNext(() => Response.json({ message: 'Not Found' }, { status: 404 }))
    expect((await latest()).message).toBe(named(en.service_response_invalid))
    feed.responseNext(() => Response.redirect('http://169.254.169.254/'))
    expect((await latest()).message).toBe(named(en.service_unreachable))
    expect((await latest()).success).toBe(true)
  })

  test('is not requested where no address is configured, or a forbidden one', async () => {
    const without = await testApp()
    expect((await without.data(contract.option.details, {})).has_release_feed).toBe(false)
    expect((await without.call(contract.option.release, {})).message).toBe(en.releases_not_set)
    await without.close()
    const forbidden = await testApp({ env: { RELEASES_URL: 'http://169.254.169.254/latest' } })
    expect((await forbidden.call(contract.option.release, {})).success).toBe(false)
    await forbidden.close()
  })
})

test('ordinary users may call none of these', async () => {
  const user = await app.make.user()
  for (const endpoint of [contract.option.details, contract.option.testMail, contract.option.testPusher, contract.option.release])
    expect((await app.call(endpoint, {}, user)).success).toBe(false)
  expect((await app.call(contract.option.preview, { kind: 'html', text: 'a' }, user)).success).toBe(false)
})
