import { afterAll, beforeAll, beforeEach, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { removeAll } from '../../../test/channel-scene.ts'
import { chatResponse, json } from '../../../test/fake-upstream.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())
beforeEach(() => removeAll(app))

const form = (change: object = {}) => ({ type: 1, key: 'typed-key', base_url: app.upstream.url, models: 'gpt-4o,o3', ...change })
const tried = (change: object = {}) => app.call(contract.channel.testForm, form(change))
const seen = () => app.upstream.received.at(-1)

test('a channel is tested before it is saved: with the key, the mapping and the headers of its form', async () => {
  app.upstream.script(json(chatResponse()))
  const change = { model: 'o3', model_mapping: '{"o3":"o3-mini"}', headers: '{"X-Team":"blue"}', key: 'typed-key\nanother' }
  expect(await app.data(contract.channel.testForm, form(change))).toEqual({ model: 'o3', time: expect.any(Number) })
  expect(seen()?.headers).toMatchObject({ authorization: 'Bearer typed-key', 'x-team': 'blue' })
  expect(JSON.parse(seen()?.body ?? '')).toMatchObject({ model: 'o3-mini' })
  expect(await app.data(contract.channel.list, {})).toEqual([])
})

test('a failed test of a form reports the reason, without the key', async () => {
  app.upstream.script(json({ error: { message: 'typed-key is wrong' } }, 401))
  const { success, message } = await tried()
  expect([success, message]).toEqual([false, expect.stringContaining('is wrong')])
  expect(message).not.toContain('typed-key')
})

test('the form of a stored channel is tested with its stored key, and stores nothing', async () => {
  const id = await app.make.channel({ key: 'stored-key', models: 'gpt-4o' })
  app.upstream.script(json(chatResponse()))
  expect(await tried({ id, key: '', model: 'o3' })).toMatchObject({ success: true, data: { model: 'o3' } })
  expect(seen()?.headers['authorization']).toBe('Bearer stored-key')
  expect(await app.data(contract.channel.get, { id })).toMatchObject({ models: 'gpt-4o', test_time: 0 })
  expect(await app.data(contract.channel.tests, { ids: String(id) })).toEqual([])
})

test('a stored key is never sent to another address than its own', async () => {
  const id = await app.make.channel({ key: 'stored-key' })
  const before = app.upstream.received.length
  expect((await tried({ id, key: '', base_url: 'http://127.0.0.1:9' })).message).toBe(en.channel_key_reentry_required)
  expect((await tried({ id, key: '', base_url: `${app.upstream.url}/another-account` })).message).toBe(en.channel_key_reentry_required)
  expect((await tried({ id, key: '', proxy: 'http://127.0.0.1:9' })).message).toBe(en.channel_key_reentry_required)
  expect(app.upstream.received.length).toBe(before)
})

test('a form that could not be saved is not tested', async () => {
  const before = app.upstream.received.length
  expect((await tried({ key: ' ' })).message).toBe(en.channel_key_required)
  expect((await tried({ type: 4_711 })).message).toBe(en.channel_type_unknown)
  expect((await tried({ base_url: 'http://169.254.169.254' })).message).toBe(en.base_url_forbidden)
  expect((await tried({ proxy: 'http://169.254.169.254:80' })).message).toBe(en.proxy_forbidden)
  expect((await tried({ type: 8, base_url: '' })).message).toBe(en.channel_base_url_required)
  expect((await tried({ id: 99_999 })).message).toBe('Channel not found')
  expect(app.upstream.received.length).toBe(before)
})
