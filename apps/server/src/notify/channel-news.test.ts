import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../../test/app.ts'
import { removeAll, runOver, type SetClock, setClock, setOptions } from '../../test/channel-scene.ts'
import { type FakeMailServer, startMailServer } from '../../test/fake-mail-server.ts'
import { type FakeService, fakePusher } from '../../test/fake-services.ts'
import { chatResponse, json } from '../../test/fake-upstream.ts'
import { until } from '../../test/server-process.ts'

let app: TestApp
let clock: SetClock
let mail: FakeMailServer
let pusher: FakeService
beforeAll(async () => {
  clock = setClock()
  mail = await startMailServer({ isPlain: true })
  pusher = fakePusher('push-token')
  app = await testApp({ clock })
  await setOptions(app, { AutomaticDisableChannelEnabled: true, AutomaticEnableChannelEnabled: true, ChannelDisableThreshold: 5 })
  await set({ SMTPServer: '127.0.0.1', SMTPPort: String(mail.port), SMTPFrom: 'gateway@example.com' })
  await app.app.store.db.updateTable('users').set({ email: 'root@example.com' }).where('id', '=', 1).execute()
})
afterAll(async () => {
  for (const one of [app, mail, pusher]) await one.close()
})

async function set(values: Readonly<Record<string, string>>): Promise<void> {
  for (const [key, value] of Object.entries(values)) await app.data(contract.option.update, { key, value })
}

const badKey = json({ error: { message: 'Incorrect API key provided', code: 'invalid_api_key' } }, 401)

/** One round of channel tests, in which the only channel responds according to the script. */
async function testWith(script: typeof badKey): Promise<void> {
  app.upstream.script(script)
  await app.data(contract.channel.testAll, { scope: 'all' })
  await runOver(app)
}

/** The messages that the pusher received. */
const pushed = () => pusher.received.map(({ body }): Readonly<Record<string, string>> => JSON.parse(body))

test('root is notified by mail of a channel that was disabled or enabled automatically, in both languages', async () => {
  const id = await app.make.channel()
  await testWith(badKey)
  const off = await mail.mail(0)
  expect(off.to).toEqual(['root@example.com'])
  expect(off.text).toContain(`(${id}) was disabled automatically. Reason: Incorrect API key provided`)
  expect(off.text).toContain('已被自动禁用')
  await testWith(json(chatResponse()))
  expect((await mail.mail(1)).text).toContain('was enabled again')
})

test('the message pusher is used if one is set, and mail if the pusher fails', async () => {
  clock.advance(120_000)
  await set({ MessagePusherAddress: `${pusher.url}/push/root`, MessagePusherToken: 'push-token' })
  await testWith(badKey)
  await until(() => pusher.received.length === 1)
  expect(pusher.received[0]?.path).toBe('/push/root')
  expect(pushed()[0]).toMatchObject({ token: 'push-token', url: '', channel: '' })
  expect(pushed()[0]?.['title']).toContain('was disabled')
  expect(pushed()[0]?.['content']).toBe(pushed()[0]?.['description'])
  const mailsBefore = mail.received.length
  await set({ MessagePusherToken: 'another' })
  await testWith(json(chatResponse()))
  expect((await mail.mail(mailsBefore)).text).toContain('was enabled again')
  pusher.responseNext(() => new Response('down', { status: 500 }))
  clock.advance(120_000)
  await testWith(badKey)
  expect((await mail.mail(mailsBefore + 1)).text).toContain('was disabled')
})

test('the same news within a minute is sent once', async () => {
  await removeAll(app)
  await set({ MessagePusherToken: 'push-token' })
  const id = await app.make.channel()
  const before = pusher.received.length
  for (let rounds = 0; rounds < 3; rounds++) {
    await testWith(badKey)
    await app.data(contract.channel.update, { id, status: 1 })
  }
  clock.advance(61_000)
  await testWith(badKey)
  await until(() => pusher.received.length >= before + 2)
  expect(
    pushed()
      .slice(before)
      .every(({ title }) => title?.includes(`(${id}) was disabled`)),
  ).toBe(true)
  expect(pusher.received.length).toBe(before + 2)
})
