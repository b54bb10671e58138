import { afterAll, afterEach, beforeAll, describe, expect, test } from 'bun:test'
import { contract, type DeliveryRow, en, type InputOf, notificationRulesMax, role, zh } from '@sluice/contract'
import { type Session, type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { type SetClock, setClock, setOptions, until } from '../../../test/channel-scene.ts'
import { type FakeMailServer, startMailServer, startSilentServer } from '../../../test/fake-mail-server.ts'
import { fakePusher } from '../../../test/fake-services.ts'
import { json } from '../../../test/fake-upstream.ts'
import { startWebhookReceiver, verifyWebhook, type WebhookReceiver } from '../../../test/webhook-receiver.ts'

let app: TestApp
let clock: SetClock
let mail: FakeMailServer
let receiver: WebhookReceiver
let runJob: (name: string) => Promise<unknown>

type NewRule = InputOf<typeof contract.notification.create>

beforeAll(async () => {
  clock = setClock()
  mail = await startMailServer({ isPlain: true })
  receiver = startWebhookReceiver()
  app = await testApp({
    clock,
    schedule: (jobs) => {
      runJob = async (name) => await jobs.find((job) => job.name === name)?.run()
      return () => {}
    },
  })
  await setOptions(app, {
    SMTPServer: '127.0.0.1',
    SMTPPort: mail.port,
    SMTPFrom: 'gateway@example.com',
    SystemName: 'Gate',
    ModelRatio: '{"gpt-4o-mini": 100, "failing-model": 1, "bad-model": 1, "fine-model": 1, "refused-model": 1}',
    RetryTimes: 0,
    QuotaRemindThreshold: 0,
    AutomaticDisableChannelEnabled: true,
  })
  await app.make.channel()
})
afterEach(async () => {
  receiver.response(200)
  await app.app.store.db.deleteFrom('notification_rules').execute()
})
afterAll(async () => {
  await app.close()
  await mail.close()
  await receiver.close()
})

const own: NewRule = { name: 'low', kind: 'balance', scope: 'own', threshold: 100_000, target: 'webhook', url: '' }
const webhook = (rule: Partial<NewRule> = {}): NewRule => ({ ...own, url: receiver.url, ...rule })
const make = async (rule: NewRule, as: Session = app.root) => await app.data(contract.notification.create, rule, as)
const history = async (as: Session = app.root): Promise<readonly DeliveryRow[]> => await app.data(contract.notification.history, {}, as)
const send = async (): Promise<unknown> => await runJob('send-notifications')

/** What the server does by itself after a while. */
async function round(): Promise<void> {
  await runJob('roll-up-usage')
  await runJob('evaluate-rules')
  await send()
}

async function admin(quota = 0): Promise<TestUser> {
  const user = await app.make.user({ role: role.admin, quota })
  await app.app.store.db
    .updateTable('users')
    .set({ email: `${user.username}@example.com` })
    .where('id', '=', user.id)
    .execute()
  return user
}

const pay = async (user: TestUser, amount: number, ref: string): Promise<unknown> =>
  await app.app.ledger.post({ userId: user.id, kind: 'grant', ref: `${user.id}-${ref}`, amount })

/** A chat that costs some thousand units of quota. */
async function chat(user: TestUser, model = 'gpt-4o-mini'): Promise<number> {
  const { key } = await app.make.token(user, { isUnlimited: true })
  const body = JSON.stringify({ model, max_tokens: 10, messages: [{ role: 'user', content: 'hi' }] })
  const response = await app.request('/v1/chat/completions', { method: 'POST', headers: { authorization: `Bearer ${key}` }, body })
  await response.text()
  return response.status
}

describe('a rule', () => {
  test('is made, listed, changed and deleted, and its secret is shown once', async () => {
    const user = await admin(500_000)
    const { id, secret } = await make(webhook({ name: ' low ' }), user)
    expect(secret).toMatch(/^whsec_[0-9A-Za-z]{43}$/)
    const row = {
      id,
      ...own,
      hours: 1,
      model_name: '',
      channel: 0,
      channel_name: '',
      is_on: true,
      is_breached: false,
      created_time: Math.floor(clock.nowMs() / 1000),
      unreadable: [],
    }
    const { url: _, ...listed } = { ...row, address: new URL(receiver.url).origin }
    expect(await app.data(contract.notification.list, {}, user)).toEqual([listed])
    const stored = JSON.stringify(await app.app.store.db.selectFrom('notification_rules').selectAll().execute())
    expect(stored).not.toContain('a-secret-path')
    expect(stored).not.toContain(secret)
    const change = { id, name: 'lower', threshold: 5, url: '', is_on: false }
    expect(await app.data(contract.notification.update, change, user)).toEqual({
      ...listed,
      ...{ name: 'lower', threshold: 5, is_on: false, secret: '' },
    })
    expect(await app.call(contract.notification.remove, { id }, await admin())).toMatchObject({
      success: false,
      message: en.no_such_notification_rule,
    })
    expect(await app.data(contract.notification.remove, { id }, user)).toBeNull()
    expect(await app.data(contract.notification.list, {}, user)).toEqual([])
  })

  test('that cannot be is refused with its field', async () => {
    const user = await app.make.user()
    const refusals: ReadonlyArray<readonly [Partial<NewRule>, string]> = [
      [{ name: ' ' }, en.notification_name_required],
      [{ threshold: 0 }, en.notification_threshold_invalid],
      [{ threshold: 0.5 }, en.notification_threshold_invalid],
      [{ url: 'ftp://example.com' }, en.notification_url_invalid],
      [{ url: '' }, en.notification_url_invalid],
      [{ url: 'http://10.0.0.1/' }, en.notification_url_private],
      [{ url: 'http://localhost/' }, en.notification_url_private],
      [{ hours: 25 }, en.notification_hours_invalid],
      [{ scope: 'all' }, en.permission_denied],
      [{ target: 'pusher' }, en.permission_denied],
      [{ kind: 'errors' }, en.invalid_input],
      [{ kind: 'errors', scope: 'all' }, en.permission_denied],
      [{ model_name: 'gpt-4o' }, en.notification_limit_invalid],
    ]
    for (const [change, message] of refusals)
      expect(await app.call(contract.notification.create, { ...own, url: 'https://example.com/', ...change }, user)).toMatchObject({
        success: false,
        message,
      })
    expect(await app.call(contract.notification.create, webhook({ kind: 'errors', scope: 'all', threshold: 101 }))).toMatchObject({
      success: false,
      message: en.notification_threshold_invalid,
      field: 'threshold',
    })
    const limited = webhook({ kind: 'errors', scope: 'all', threshold: 10 })
    const limits: ReadonlyArray<readonly [Partial<NewRule>, string]> = [
      [{ model_name: 'gpt-4o', channel: 1 }, en.notification_limit_invalid],
      [{ kind: 'channel', model_name: 'gpt-4o' }, en.notification_limit_invalid],
      [{ channel: 999_999 }, en.no_such_channel],
    ]
    for (const [change, message] of limits)
      expect(await app.call(contract.notification.create, { ...limited, ...change })).toMatchObject({
        success: false,
        message,
        field: 'channel',
      })
    await Promise.all(
      Array.from({ length: notificationRulesMax + 3 }, () => app.call(contract.notification.create, { ...own, target: 'mail' }, user)),
    )
    expect(await app.data(contract.notification.list, {}, user)).toHaveLength(notificationRulesMax)
  })
})

describe('a low balance', () => {
  test('is alerted once, and again after it was above', async () => {
    const user = await admin(99_999)
    const { secret, id } = await make(webhook(), user)
    const before = receiver.received.length
    await round()
    await round()
    const [delivery, ...more] = receiver.received.slice(before)
    expect(more).toEqual([])
    if (delivery === undefined) throw new Error('nothing was sent')
    expect(verifyWebhook(delivery, secret)).toBe(Math.floor(clock.nowMs() / 1000))
    expect(verifyWebhook({ ...delivery, body: `${delivery.body} ` }, secret)).toBeNull()
    expect(JSON.parse(delivery.body)).toMatchObject({
      id: delivery.deliveryId,
      type: 'balance',
      rule: { id, name: 'low' },
      title: 'Gate: balance below $0.200000',
      data: { threshold: 100_000, accounts: [{ id: user.id, quota: 99_999 }] },
    })
    const [row] = await history(user)
    expect(row).toMatchObject({ delivery_id: delivery.deliveryId, state: 'sent', attempts: 1, error: '', is_test: false, next_time: 0 })
    expect(row?.address).toBe(new URL(receiver.url).origin)
    await pay(user, 100_000, 'up')
    await round()
    expect((await app.data(contract.notification.list, {}, user))[0]?.is_breached).toBe(false)
    await app.app.ledger.post({ userId: user.id, kind: 'admin', ref: `${user.id}-down`, amount: -150_000 })
    await round()
    expect(await history(user)).toHaveLength(2)
  })

  test('of any account alerts administrators when it has spent', async () => {
    const watcher = await admin()
    const [low, idle] = [await app.make.user({ quota: 100_500 }), await app.make.user({ quota: 10 })]
    await make({ ...webhook(), scope: 'all', target: 'mail' }, watcher)
    expect(await chat(low)).toBe(200)
    const before = mail.received.length
    await round()
    const { to, text } = await mail.mail(before)
    expect(to).toEqual([`${watcher.username}@example.com`])
    expect(text).toContain(low.username)
    expect(text).toContain('低于')
    expect(text).not.toContain(idle.username)
    await round()
    expect(await history(watcher)).toHaveLength(1)
  })

  test('is not sent to accounts that may no longer have the rule', async () => {
    const watcher = await admin()
    const low = await app.make.user({ quota: 100_500 })
    await make(webhook({ scope: 'all' }), watcher)
    await app.app.store.db.updateTable('users').set({ role: role.user }).where('id', '=', watcher.id).execute()
    await chat(low)
    await round()
    expect(await history(watcher)).toEqual([])
  })
})

test('the spending of a day sends an alert once a day, for the own account and for all', async () => {
  const user = await admin(10_000_000)
  await make(webhook({ kind: 'spend', threshold: 1 }), user)
  await make(webhook({ kind: 'spend', scope: 'all', threshold: 1, name: 'everybody' }), user)
  await chat(user)
  await round()
  await chat(user)
  await round()
  expect((await history(user)).map(({ rule_name }) => rule_name).sort()).toEqual(['everybody', 'low'])
  clock.advance(86_400_000)
  await round()
  expect(await history(user)).toHaveLength(2)
  await chat(user)
  await round()
  expect(await history(user)).toHaveLength(4)
  const chinese = await app.data(contract.notification.history, {}, { headers: { ...user.headers, 'accept-language': 'zh' } })
  expect(chinese[0]?.text).toContain('UTC')
  expect(chinese.some(({ text }) => text.includes(zh.notice_all_accounts))).toBe(true)
})

test('a share of failed requests sends an alert once, until it has fallen', async () => {
  const user = await admin(100_000_000)
  await app.make.channel({ models: 'failing-model' })
  app.upstream.always(({ body }) => (body.includes('failing-model') ? json({ error: { message: 'broken' } }, 500) : null))
  await make(webhook({ kind: 'errors', scope: 'all', threshold: 10 }), user)
  const fail = async (): Promise<unknown> => await chat(user, 'failing-model')
  const some = async (act: () => Promise<unknown>, count: number): Promise<void> => {
    for (let done = 0; done < count; done += 1) await act()
  }
  clock.advance(26 * 3_600_000)
  await some(fail, 3)
  await round()
  expect(await history(user)).toEqual([])
  await some(() => chat(user), 10)
  await round()
  await round()
  expect(await history(user)).toMatchObject([{ text: expect.stringContaining('3 of 13 requests') }])
  clock.advance(3 * 3_600_000)
  await round()
  await some(() => chat(user), 10)
  await some(fail, 3)
  await round()
  expect(await history(user)).toHaveLength(2)
})

test('a share of failed requests of one model or channel sends an alert separate from that of all', async () => {
  const user = await admin(100_000_000)
  const channel = await app.make.channel({ models: 'bad-model,fine-model' })
  const other = await app.make.channel({ models: 'other-model' })
  app.upstream.always(({ body }) => (body.includes('bad-model') ? json({ error: { message: 'broken' } }, 500) : null))
  const errors = webhook({ kind: 'errors', scope: 'all', threshold: 50 })
  clock.advance(26 * 3_600_000)
  // A channel that only fails is left out after a few requests.
  for (let done = 0; done < 20; done += 1) await chat(user, done % 2 === 0 ? 'fine-model' : 'bad-model')
  for (let done = 0; done < 12; done += 1) await chat(user)
  for (const limit of [{ model_name: 'bad-model' }, { channel }, { model_name: 'gpt-4o-mini' }, { channel: other }, {}])
    await make({ ...errors, ...limit }, user)
  await round()
  await round()
  const deliveries = await history(user)
  expect(deliveries.map(({ text }) => text).sort()).toEqual([
    expect.stringMatching(/^10 of 10 requests of the model bad-model in the last 1 hours failed/),
    expect.stringMatching(new RegExp(`^10 of 20 requests of the channel .+ \\(#${channel}\\) in the last 1 hours failed`)),
  ])
  const rules = await app.data(contract.notification.list, {}, user)
  expect(rules.map(({ model_name, channel: id, is_breached }) => [model_name, id, is_breached])).toEqual([
    ['', 0, false],
    ['', other, false],
    ['gpt-4o-mini', 0, false],
    ['', channel, true],
    ['bad-model', 0, true],
  ])
  expect(rules[3]?.channel_name).not.toBe('')
  expect(receiver.received.slice(-2).map(({ body }) => JSON.parse(body).data)).toContainEqual({
    ...{ threshold: 50, share: 100, failed: 10, requests: 10, hours: 1, model: 'bad-model', channel_id: 0 },
  })
})

test('a recovery is noticed behind more breaches than one round looks at', async () => {
  const user = await admin(500)
  const { id: full } = await make(webhook({ kind: 'spend', scope: 'all', threshold: 1_000_000_000_000 }), user)
  const subjects = Array.from({ length: 2_500 }, (_, index) => ({ rule_id: full, subject: 1_000_000_000 + index }))
  for (let first = 0; first < subjects.length; first += 500)
    await app.app.store.db
      .insertInto('notification_breaches')
      .values(subjects.slice(first, first + 500))
      .execute()
  const { id } = await make(webhook(), user)
  await round()
  const isBreached = async () => (await app.data(contract.notification.list, {}, user)).find((rule) => rule.id === id)?.is_breached
  expect(await isBreached()).toBe(true)
  await pay(user, 1_000_000, 'recovered')
  await round()
  await round()
  expect(await isBreached()).toBe(false)
})

test('a channel that is disabled automatically sends an alert with its reason', async () => {
  const user = await admin(10_000_000)
  await make(webhook({ kind: 'channel', scope: 'all', threshold: 7 }), user)
  const id = await app.make.channel({ models: 'refused-model' })
  const other = await app.make.channel({ models: 'other-model' })
  await make(webhook({ kind: 'channel', scope: 'all', threshold: 0, channel: other, name: 'of another' }), user)
  await make(webhook({ kind: 'channel', scope: 'all', threshold: 0, channel: id, name: 'of this one' }), user)
  app.upstream.always(({ body }) =>
    body.includes('refused-model') ? json({ error: { message: 'Incorrect API key provided' } }, 401) : null,
  )
  await chat(user, 'refused-model')
  // The channel is disabled behind the response.
  await until(
    () => history(user),
    (rows) => rows.length === 2,
  )
  await send()
  expect((await history(user)).map(({ state, rule_name }) => [state, rule_name]).sort()).toEqual([
    ['sent', 'low'],
    ['sent', 'of this one'],
  ])
  expect(JSON.parse(receiver.received.at(-1)?.body ?? '')).toMatchObject({ type: 'channel', data: { channel_id: id } })
})

describe('a delivery', () => {
  test('is repeated with the same id after growing pauses, and given up in the end', async () => {
    const user = await admin(5)
    await make(webhook(), user)
    const before = receiver.received.length
    receiver.response(503)
    await round()
    await send()
    expect(receiver.received.length - before).toBe(1)
    const error = en.webhook_rejected.replace('{status}', '503')
    expect(await history(user)).toMatchObject([{ state: 'waiting', attempts: 1, error, next_time: expect.any(Number) }])
    for (const pauseMs of [10_000, 60_000, 300_000, 1_800_000, 7_200_000, 21_600_000]) {
      clock.advance(pauseMs - 1)
      await send()
      clock.advance(1)
      await send()
    }
    const attempts = receiver.received.slice(before)
    expect(attempts).toHaveLength(7)
    expect(new Set(attempts.map(({ deliveryId }) => deliveryId)).size).toBe(1)
    expect(new Set(attempts.map(({ body }) => body)).size).toBe(1)
    const [row] = await history(user)
    expect(row).toMatchObject({ state: 'failed', attempts: 7, error, next_time: 0 })
    expect(JSON.stringify(row)).not.toContain('a word that no history may have')
    clock.advance(86_400_000)
    await send()
    expect(receiver.received.length - before).toBe(7)
  })

  test('does not wait for those of another account whose targets do not respond', async () => {
    const silent = await startSilentServer()
    const [stuck, other] = [await admin(5), await admin(5)]
    for (let number = 0; number < notificationRulesMax; number += 1) await make(webhook({ url: `http://127.0.0.1:${silent.port}/` }), stuck)
    await runJob('evaluate-rules')
    await make(webhook(), other)
    await runJob('evaluate-rules')
    const before = receiver.received.length
    const pending = send()
    await until(
      async () => receiver.received.length,
      (count) => count > before,
    )
    expect(silent.connections()).toBeLessThanOrEqual(3)
    await app.app.store.db.deleteFrom('notification_deliveries').where('user_id', '=', stuck.id).execute()
    await silent.close()
    await pending
    expect(await history(other)).toMatchObject([{ state: 'sent', attempts: 1 }])
  }, 20_000)

  test('is received with its status, whatever the body of the response', async () => {
    const endless = Bun.serve({
      hostname: '127.0.0.1',
      port: 0,
      fetch: () => new Response(new ReadableStream({ start: (controller) => controller.enqueue('begun') })),
    })
    const user = await admin(5)
    await make(webhook({ url: `http://127.0.0.1:${endless.port}/` }), user)
    await round()
    expect(await history(user)).toMatchObject([{ state: 'sent', attempts: 1 }])
    await endless.stop(true)
  })

  test('is replaced by a newer one of the same own rule', async () => {
    const user = await admin(5)
    const { id } = await make(webhook(), user)
    receiver.response(503)
    await round()
    receiver.response(200)
    await app.data(contract.notification.update, { id, name: 'low', threshold: 200_000, hours: 1, url: '', is_on: true }, user)
    await round()
    expect(await history(user)).toMatchObject([
      { state: 'sent', attempts: 1 },
      { state: 'failed', attempts: 1, error: en.notification_superseded, next_time: 0 },
    ])
  })

  test('goes to the message pusher or the own mail address, where the rule says so', async () => {
    const pusher = fakePusher('push-token')
    const user = await admin(5)
    await make({ ...own, target: 'pusher' }, user)
    await round()
    // None is set yet.
    expect(await history(user)).toMatchObject([{ state: 'waiting', attempts: 1, error: en.pusher_not_set }])
    await setOptions(app, { MessagePusherAddress: `${pusher.url}/push/root`, MessagePusherToken: 'push-token' })
    clock.advance(10_000)
    await send()
    expect(await history(user)).toMatchObject([{ state: 'sent', attempts: 2, error: '' }])
    expect(pusher.received.map(({ path, body }) => [path, JSON.parse(body).title])).toEqual([
      ['/push/root', expect.stringContaining('balance below')],
    ])
    const other = await admin(5)
    await make({ ...own, target: 'mail' }, other)
    await round()
    expect(await history(other)).toMatchObject([{ state: 'sent', attempts: 1 }])
    expect(await mail.mail(mail.received.length - 1)).toMatchObject({ to: [`${other.username}@example.com`] })
    await setOptions(app, { MessagePusherAddress: '', MessagePusherToken: '' })
    await pusher.close()
  })

  test('goes to no address of a local network for users, whatever their names resolve to', async () => {
    const user = await app.make.user({ quota: 5 })
    await make({ ...own, url: 'https://example.com/hook' }, user)
    const moved = app.seal.seal(receiver.url, 'webhook-url')
    await app.app.store.db.updateTable('notification_rules').set({ url_sealed: moved }).execute()
    const before = receiver.received.length
    await round()
    expect(receiver.received.length).toBe(before)
    expect(await history(user)).toMatchObject([{ state: 'waiting', attempts: 1 }])
  })

  test('whose URL cannot be read fails and is repeated, and stops no other', async () => {
    const [broken, other] = [await admin(5), await admin(5)]
    const { id } = await make(webhook(), broken)
    await app.app.store.db.updateTable('notification_rules').set({ url_sealed: 'not sealed' }).where('id', '=', id).execute()
    await make(webhook(), other)
    await round()
    expect(await history(broken)).toMatchObject([{ state: 'waiting', attempts: 1, error: en.notification_unreadable }])
    expect(await history(other)).toMatchObject([{ state: 'sent', attempts: 1 }])
  })

  test('of a deleted rule ends', async () => {
    const user = await admin(5)
    const { id } = await make(webhook(), user)
    receiver.response(500)
    await round()
    await app.data(contract.notification.remove, { id }, user)
    clock.advance(10_000)
    await send()
    expect(await history(user)).toMatchObject([{ state: 'failed', error: en.no_such_notification_rule }])
  })

  test('is deleted after its time', async () => {
    const user = await admin(5)
    const token = await app.make.accessToken(user)
    await make(webhook(), user)
    await round()
    clock.advance(91 * 86_400_000)
    await runJob('clean-notifications')
    expect(await history(token)).toEqual([])
  })
})

describe('a test', () => {
  test('makes one attempt and says how it ended', async () => {
    const user = await admin(500_000)
    const { id } = await make(webhook({ is_on: false }), user)
    expect(await app.data(contract.notification.test, { id }, user)).toMatchObject({
      state: 'sent',
      is_test: true,
      text: 'This is a test of the notification rule "low".',
    })
    receiver.response(404)
    const failed = await app.data(contract.notification.test, { id }, user)
    expect(failed).toMatchObject({ state: 'failed', attempts: 1, error: en.webhook_rejected.replace('{status}', '404') })
    clock.advance(600_000)
    await send()
    expect((await history(user))[0]).toMatchObject({ id: failed.id, attempts: 1 })
  })

  test('by mail goes to the own address, a few times at most', async () => {
    const user = await admin()
    const { id } = await make({ ...own, target: 'mail' }, user)
    expect(await app.data(contract.notification.test, { id }, user)).toMatchObject({
      state: 'sent',
      address: `${user.username}@example.com`,
    })
    expect((await mail.mail(mail.received.length - 1)).to).toEqual([`${user.username}@example.com`])
    const nowhere = await app.make.user()
    const { id: other } = await make({ ...own, target: 'mail' }, nowhere)
    expect(await app.call(contract.notification.test, { id: other }, nowhere)).toMatchObject({
      success: false,
      message: en.mail_own_missing,
    })
  })
})
