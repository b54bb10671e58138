import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'

let app: TestApp
let admin: TestUser
let proxy: number
beforeAll(async () => {
  app = await testApp()
  admin = await app.make.user({ role: 10 })
  proxy = await app.make.channel({ type: 43, models: '', key: 'Bearer key-of-the-proxy' })
})
afterAll(() => app.close())

const form = {
  ...{ name: 'a proxy', type: 43, key: 'Bearer another-key', models: '', group: 'default', base_url: 'https://inner.example' },
  ...{ proxy_methods: 'GET', proxy_paths: '/v1' },
}
const needsRoot = { success: false, message: en.raw_proxy_needs_root }

describe('raw proxies', () => {
  test('are created, changed, enabled, tested and deleted by root only; others see them', async () => {
    const plain = await app.make.channel()
    const { id: disabled } = { id: await app.make.channel({ type: 43, models: '' }) }
    await app.data(contract.channel.update, { id: disabled, status: 2 })
    const file = { sluice: 'channels', version: 1, channels: [form] }
    for (const response of [
      await app.call(contract.channel.create, form, admin),
      await app.call(contract.channel.update, { id: proxy, base_url: 'http://127.0.0.1:1', key: 'Bearer mine' }, admin),
      await app.call(contract.channel.update, { id: proxy, status: 2 }, admin),
      await app.call(contract.channel.update, { id: disabled, status: 1 }, admin),
      await app.call(contract.channel.update, { id: plain, type: 43 }, admin),
      await app.call(contract.channel.update, { id: proxy, type: 1, models: 'gpt-4o' }, admin),
      await app.call(contract.channel.test, { id: proxy, model: '' }, admin),
      await app.call(contract.channel.testForm, { ...form, model: '' }, admin),
      await app.call(contract.channel.remove, { id: proxy }, admin),
    ])
      expect(response).toMatchObject(needsRoot)
    expect((await app.data(contract.channel.importFile, { file, dry_run: true }, admin)).rows).toMatchObject([
      { state: 'invalid', reason: en.raw_proxy_needs_root },
    ])
    await app.data(contract.channel.removeDisabled, {}, admin)
    expect(await app.data(contract.channel.get, { id: disabled }, admin)).toMatchObject({ status: 2, proxy_paths: '/' })
    expect(await app.call(contract.channel.update, { id: disabled, status: 1 })).toMatchObject({ success: true })
    expect(await app.call(contract.channel.create, form)).toMatchObject({ success: true })
    expect((await app.data(contract.channel.importFile, { file, dry_run: true })).rows).toMatchObject([{ state: 'exists' }])
    expect(await app.data(contract.channel.removeDisabled, {})).toBe(0)
  })

  test('need a list of methods and one of paths when they are created', async () => {
    for (const lists of [{ proxy_methods: '' }, { proxy_paths: '' }])
      expect(await app.call(contract.channel.create, { ...form, ...lists })).toMatchObject({
        message: en.raw_proxy_rules_required,
        field: Object.keys(lists)[0],
      })
    const plain = await app.make.channel()
    expect((await app.call(contract.channel.update, { id: plain, type: 43 })).message).toBe(en.raw_proxy_rules_required)
    for (const proxy_methods of ['get', 'HEAD', 'CONNECT', 'GET POST'])
      expect((await app.call(contract.channel.create, { ...form, proxy_methods })).message).toBe(en.proxy_methods_invalid)
    for (const proxy_paths of ['v1', '/../x', '/%2e', '/v1//x', '/a?b'])
      expect((await app.call(contract.channel.create, { ...form, proxy_paths })).message).toBe(en.proxy_paths_invalid)
  })

  test('from before there were lists keep all methods and paths, and root is notified', async () => {
    expect((await app.data(contract.option.waiting, {})).open_proxies).toEqual([])
    await app.data(contract.channel.update, { id: proxy, proxy_methods: '', proxy_paths: '' })
    const { name } = await app.data(contract.channel.get, { id: proxy })
    expect((await app.data(contract.option.waiting, {})).open_proxies).toEqual([{ id: proxy, name }])
    await app.data(contract.channel.update, { id: proxy, proxy_methods: 'GET', proxy_paths: '/v1/' })
    expect((await app.data(contract.option.waiting, {})).open_proxies).toEqual([])
  })
})

describe('content that the vendor keeps for the account of the key', () => {
  const newest = async () => (await app.data(contract.channel.list, {}))[0]
  const plain = { ...form, type: 1, key: 'sk-of-the-channel', models: 'gpt-4o-mini', proxy_methods: '', proxy_paths: '' }

  test('cannot be named at a new channel, unless somebody allows it', async () => {
    await app.data(contract.channel.create, plain)
    expect(await newest()).toMatchObject({ content_of_key: false })
    await app.data(contract.channel.create, { ...plain, content_of_key: true })
    expect(await newest()).toMatchObject({ content_of_key: true })
    await app.data(contract.channel.importFile, { file: { sluice: 'channels', version: 1, channels: [plain] } })
    expect(await newest()).toMatchObject({ content_of_key: false })
  })

  test('is opened by root alone, and closed by every administrator (contract.channel.update)', async () => {
    const admin = await app.make.user({ role: 10 })
    const refused = { success: false, message: en.content_of_key_root }
    expect(await app.call(contract.channel.create, { ...plain, content_of_key: true }, admin)).toMatchObject(refused)
    const file = { sluice: 'channels', version: 1, channels: [{ ...plain, content_of_key: true }] }
    const { rows } = await app.data(contract.channel.importFile, { file }, admin)
    expect(rows).toMatchObject([{ state: 'invalid', reason: en.content_of_key_root }])
    expect(await app.call(contract.channel.create, plain, admin)).toMatchObject({ success: true })
    const id = (await newest())?.id ?? 0
    const set = (content_of_key: boolean, by?: typeof admin) => app.call(contract.channel.update, { id, content_of_key }, by)
    expect(await set(true, admin)).toMatchObject(refused)
    expect(await set(true)).toMatchObject({ success: true })
    expect(await set(true, admin)).toMatchObject({ success: true })
    expect(await set(false, admin)).toMatchObject({ success: true })
    expect(await set(true, admin)).toMatchObject(refused)
  })

  test('can still be named at a channel from before that default', async () => {
    await app.data(contract.channel.create, plain)
    const id = (await newest())?.id ?? 0
    await app.app.store.db.updateTable('channels').set({ settings_sealed: '' }).where('id', '=', id).execute()
    expect(await newest()).toMatchObject({ content_of_key: true })
    await app.data(contract.channel.update, { id, name: 'renamed' })
    expect(await newest()).toMatchObject({ content_of_key: true })
  })
})

describe('the type of a channel', () => {
  const strict = {
    ...form,
    type: 20,
    key: 'sk-of-the-channel',
    models: 'maker/m',
    base_url: 'https://reseller.example/v1',
    proxy_methods: '',
    proxy_paths: '',
  }

  test('becomes one that forwards everything by root, or with a new key', async () => {
    const admin = await app.make.user({ role: 10 })
    await app.data(contract.channel.create, strict)
    const id = (await app.data(contract.channel.list, {}))[0]?.id ?? 0
    const edit = (change: object, by?: typeof admin) => app.call(contract.channel.update, { id, ...change }, by)
    expect(await edit({ type: 8 }, admin)).toMatchObject({ success: false, message: en.channel_type_root })
    expect(await edit({ type: 8, key: ' ' }, admin)).toMatchObject({ success: false, message: en.channel_type_root })
    expect(await edit({ type: 1 }, admin)).toMatchObject({ success: true })
    expect(await edit({ type: 8, key: 'sk-of-the-administrator' }, admin)).toMatchObject({ success: true })
    expect(await edit({ type: 20 }, admin)).toMatchObject({ success: true })
    expect(await edit({ type: 8 })).toMatchObject({ success: true })
    expect(await edit({ type: 8, weight: 2 }, admin)).toMatchObject({ success: true })
  })
})
