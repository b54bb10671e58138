import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract, optionKeys, options } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from './app.ts'
import { endpoints, sendRaw } from './endpoints.ts'

let app: TestApp
let ann: TestUser
/** Secrets that the server must never send, by their names. */
const secrets = new Map<string, string>()

beforeAll(async () => {
  app = await testApp()
  ann = await app.make.user()
  const channelId = await app.make.channel({ key: 'canary-channel-key' })
  secrets.set('the key of a channel', 'canary-channel-key')
  const config = JSON.stringify({ region: 'eu', ak: 'an id, no secret', sk: 'canary-config-sk', vertex_ai_adc: 'canary-config-adc' })
  await app.data(contract.channel.update, { id: channelId, config })
  for (const name of ['sk', 'adc']) secrets.set(`${name} in the configuration of a channel`, `canary-config-${name}`)
  for (const key of optionKeys.filter((name) => options[name].secret)) {
    await app.data(contract.option.update, { key, value: `canary-${key}` })
    secrets.set(`the option ${key}`, `canary-${key}`)
  }
  for (const user of [app.root, ann]) {
    const { headers } = await app.make.accessToken(user)
    secrets.set(`the access token of ${user.username}`, headers['authorization'] ?? '')
    secrets.set(`the password of ${user.username}`, user.password)
  }
  const stored = await app.app.store.db.selectFrom('users').select(['username', 'password_hash', 'access_token_lookup']).execute()
  for (const { username, password_hash, access_token_lookup } of stored) {
    secrets.set(`the hash of the password of ${username}`, password_hash)
    if (access_token_lookup !== null) secrets.set(`the fingerprint of the access token of ${username}`, access_token_lookup)
  }
  const { key } = await app.make.token(ann)
  secrets.set('the key of a token of somebody else', key.slice(3))
  for (const { id_hash } of await app.app.store.db.selectFrom('sessions').select('id_hash').execute())
    secrets.set(`session ${id_hash}`, id_hash)
})
afterAll(() => app.close())

/** Calls that only read. Calls that create a secret may return it once. */
const reading = endpoints.filter(([, { method, sideEffect }]) => method === 'GET' && !sideEffect)

test('there are secrets to look for', () => {
  expect(secrets.size).toBeGreaterThan(10)
  expect([...secrets].filter(([, secret]) => secret.length < 8)).toEqual([])
})

for (const [name, endpoint] of reading) {
  test(`${name} returns no secret, not even to root (W1, W3)`, async () => {
    const admin = await app.make.user({ role: 10 })
    for (const as of [app.root, admin, await app.make.user()]) {
      for (const input of [{ id: 1 }, { id: 2 }, { keyword: 'channel' }, { keyword: 'user' }, { keyword: '1' }]) {
        const text = await (await sendRaw(app, endpoint, { as, input })).text()
        expect([...secrets].filter(([, secret]) => text.includes(secret)).map(([what]) => what)).toEqual([])
      }
    }
  })
}

test('an update that changes nothing returns no secret either (W3)', async () => {
  const text = JSON.stringify(await app.data(contract.channel.update, { id: 1, status: 1 }))
  expect([...secrets].filter(([, secret]) => text.includes(secret)).map(([what]) => what)).toEqual([])
})
