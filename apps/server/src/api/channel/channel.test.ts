import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { vendors } from '@sluice/vendors/registry/list'
import { type TestApp, testApp } from '../../../test/app.ts'
import { setStatus } from '../../../test/channel-scene.ts'
import { chatResponse, json } from '../../../test/fake-upstream.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

/** A body as compatible consoles send it. */
const form = {
  name: 'first',
  type: 1,
  key: 'sk-upstream-secret',
  base_url: '',
  other: '',
  model_mapping: '',
  models: 'gpt-4o,gpt-4o-mini',
  groups: ['default'],
  group: 'default',
  config: '{"region":"","sk":"","ak":"","user_id":"","vertex_ai_project_id":"","vertex_ai_adc":""}',
}

async function newest() {
  const [row] = await app.data(contract.channel.list, {})
  if (row === undefined) throw new Error('there is no channel')
  return row
}

test('a new channel is listed with every field filled and its key never shown', async () => {
  await app.data(contract.channel.create, form)
  const row = await newest()
  expect(row).toMatchObject({
    name: 'first',
    type: 1,
    key: '',
    status: 1,
    weight: 0,
    priority: 0,
    models: 'gpt-4o,gpt-4o-mini',
    group: 'default',
    base_url: '',
    other: '',
    model_mapping: '',
    response_time: 0,
  })
  const stored = await app.app.store.db.selectFrom('channels').selectAll().where('id', '=', row.id).executeTakeFirst()
  expect(JSON.stringify(stored)).not.toContain('sk-upstream-secret')
})

test('a tag is kept without the spaces around it, changed and taken away, and searches find it', async () => {
  await app.data(contract.channel.create, { ...form, name: 'tagged', tag: '  North Sea ' })
  const row = await newest()
  expect(row.tag).toBe('North Sea')
  const searchNames = async () => (await app.data(contract.channel.search, { keyword: 'north sea' })).map(({ name }) => name)
  expect(await searchNames()).toEqual(['tagged'])
  expect((await app.data(contract.channel.update, { id: row.id, name: 'still tagged' })).tag).toBe('North Sea')
  expect((await app.call(contract.channel.update, { id: row.id, tag: 'x'.repeat(65) })).message).toBe(en.channel_tag_too_long)
  expect((await app.data(contract.channel.update, { id: row.id, tag: '' })).tag).toBe('')
  expect(await searchNames()).toEqual([])
})

test('one channel is created for each line of keys', async () => {
  const before = (await app.data(contract.channel.search, { keyword: 'batch' })).length
  await app.data(contract.channel.create, { ...form, name: 'batch', key: ' k1 \r\n\nk2\nk3\n' })
  expect((await app.data(contract.channel.search, { keyword: 'batch' })).length - before).toBe(3)
})

test('missing and wrong fields are refused with the messages of the form, in its order', async () => {
  const message = async (change: object) => (await app.call(contract.channel.create, { ...form, ...change })).message
  expect(await message({ name: '' })).toBe(en.channel_name_and_key_required)
  expect(await message({ key: ' \n ' })).toBe(en.channel_name_and_key_required)
  expect(await message({ models: '' })).toBe(en.channel_models_required)
  expect(await message({ model_mapping: '{bad' })).toBe(en.model_mapping_invalid)
  expect(await message({ model_mapping: '{"a":1}' })).toBe(en.model_mapping_invalid)
  for (const base_url of ['not a url', 'ftp://host', 'javascript:alert(1)', 'https://host?x=1', 'https://user:pass@host'])
    expect(await message({ base_url })).toBe(en.base_url_invalid)
  expect(await message({ type: 999 })).toBe(en.channel_type_unknown)
  expect(await message({ type: 8 })).toBe(en.channel_base_url_required)
  expect(await message({ weight: -1 })).toBe(en.weight_invalid)
  expect(await message({ models: 'a b' })).toBe(en.model_name_invalid)
  expect(await message({ config: '[]' })).toBe(en.config_invalid)
})

test('a refusal names the member of the form that it is about', async () => {
  const refuse = async (change: object, field: string) =>
    expect(await app.call(contract.channel.create, { ...form, ...change })).toMatchObject({ success: false, field })
  await refuse({ key: ' \n ' }, 'key')
  await refuse({ key: Array.from({ length: 1001 }, (_, index) => `k${index}`).join('\n') }, 'key')
  await refuse({ type: 999 }, 'type')
  await app.data(contract.channel.create, { ...form, base_url: 'https://example.com' })
  const { id } = await newest()
  expect(await app.call(contract.channel.update, { id, models: '' })).toMatchObject({ field: 'models' })
  expect(await app.call(contract.channel.update, { id, base_url: 'https://example.org' })).toMatchObject({ field: 'key' })
})

test('addresses of machine metadata and of this server are refused in every spelling', async () => {
  const targets = [
    'http://169.254.169.254',
    'http://[fe80::1]',
    'http://0xA9FEA9FE',
    'http://2852039166',
    'http://[::ffff:169.254.169.254]',
    'http://metadata.google.internal',
    'http://metadata.google.internal.',
    'http://0.0.0.0:9',
    `http://127.0.0.1:${app.app.port}`,
    `http://localhost:${app.app.port}`,
    'http://[64:ff9b::a9fe:a9fe]',
    'http://[fd00:ec2::254]',
  ]
  for (const base_url of targets)
    expect([base_url, (await app.call(contract.channel.create, { ...form, base_url })).message]).toEqual([base_url, en.base_url_forbidden])
  expect((await app.call(contract.channel.create, { ...form, base_url: 'http://192.168.1.5:11434' })).success).toBe(true)
})

test('a partial edit changes only the fields that are sent, including zeros', async () => {
  await app.data(contract.channel.create, { ...form, name: 'partial', priority: 5, weight: 3, base_url: 'https://example.com/' })
  const row = await newest()
  expect(row.base_url).toBe('https://example.com')
  expect(await app.data(contract.channel.update, { id: row.id, status: 2 })).toEqual({ ...row, status: 2 })
  expect(await app.data(contract.channel.update, { id: row.id, priority: 0 })).toEqual({ ...row, status: 2, priority: 0 })
  expect(await app.data(contract.channel.update, { id: row.id, weight: 0 })).toEqual({ ...row, status: 2, priority: 0, weight: 0 })
  expect((await app.call(contract.channel.update, { id: row.id, models: '' })).message).toBe(en.channel_models_required)
  expect((await app.call(contract.channel.update, { id: row.id, weight: -1 })).message).toBe(en.weight_invalid)
})

test('a full edit with an empty key and blank secrets keeps the stored ones', async () => {
  await app.data(contract.channel.create, {
    ...form,
    name: 'kept',
    key: 'first-key',
    base_url: app.upstream.url,
    config: '{"region":"eu","sk":"very-secret"}',
  })
  const row = await newest()
  const empty = { region: '', sk: '', ak: '', user_id: '', vertex_ai_project_id: '', vertex_ai_adc: '' }
  expect(JSON.parse(row.config)).toEqual({ ...empty, region: 'eu' })
  await app.data(contract.channel.update, { ...row, name: 'kept 2', config: '{"region":"us","sk":""}' })
  app.upstream.script(json({}, 401))
  await app.call(contract.channel.test, { id: row.id })
  expect(app.upstream.received.at(-1)?.headers['authorization']).toBe('Bearer first-key')
  expect(JSON.parse((await app.data(contract.channel.get, { id: row.id })).config)).toEqual({ ...empty, region: 'us' })
})

test('a new address needs the key again, so that an administrator cannot have a stored key sent to another server', async () => {
  await app.data(contract.channel.create, { ...form, name: 'moved', base_url: 'https://vendor.example/v1' })
  const { id } = await newest()
  const edit = (change: object) => app.call(contract.channel.update, { id, ...change })
  for (const change of [
    { base_url: app.upstream.url },
    { base_url: 'http://vendor.example/v1' },
    { base_url: 'https://vendor.example:8443/v1' },
    { base_url: 'https://vendor.example.evil.example' },
    // Hosts of several tenants name the account in the path.
    { base_url: 'https://vendor.example/v1/another-account' },
    { base_url: 'https://vendor.example/another/v1' },
    { base_url: 'https://vendor.example/v1/%2e%2e/another' },
    { base_url: '' },
    { base_url: app.upstream.url, key: '  ' },
  ]) {
    expect([change, (await edit(change)).message]).toEqual([change, en.channel_key_reentry_required])
  }
  expect((await newest()).base_url).toBe('https://vendor.example/v1')
  for (const base_url of [
    'https://VENDOR.example/v2',
    'https://vendor.example',
    'https://vendor.example/v1/',
    'https://vendor.example/v1/chat/completions',
  ])
    expect([base_url, (await edit({ base_url })).success]).toEqual([base_url, true])
  expect((await edit({ base_url: app.upstream.url, key: 'another-key' })).success).toBe(true)
  app.upstream.script(json({}, 401))
  await app.call(contract.channel.test, { id })
  expect(app.upstream.received.at(-1)?.headers['authorization']).toBe('Bearer another-key')
})

test('a new type without a base URL means a new address, and needs the key again', async () => {
  await app.data(contract.channel.create, { ...form, name: 'typed', type: 1 })
  const { id } = await newest()
  const other = vendors.find(({ type, routes: { baseUrl } }) => type !== 1 && baseUrl !== null)?.type ?? 0
  expect((await app.call(contract.channel.update, { id, type: other })).message).toBe(en.channel_key_reentry_required)
  await app.data(contract.channel.update, { id, base_url: 'https://own.example', key: 'own-key' })
  expect((await app.call(contract.channel.update, { id, type: other })).success).toBe(true)
})

test('secret members of the configuration and values of headers are needed again together with the key', async () => {
  const config = '{"sk":"secret-part"}'
  await app.data(contract.channel.create, {
    ...form,
    name: 'parts',
    base_url: 'https://vendor.example',
    config,
    headers: '{"x-org":"secret"}',
  })
  const { id } = await newest()
  const moved = { id, base_url: 'https://evil.example', key: 'new-key' }
  expect((await app.call(contract.channel.update, moved)).message).toBe(en.channel_key_reentry_required)
  expect((await app.call(contract.channel.update, { ...moved, config })).message).toBe(en.channel_key_reentry_required)
  expect((await app.call(contract.channel.update, { ...moved, config, headers: '{"x-org":""}' })).message).toBe(
    en.channel_key_reentry_required,
  )
  expect((await app.call(contract.channel.update, { ...moved, config: '{"sk":""}', headers: '' })).message).toBe(
    en.channel_key_reentry_required,
  )
  expect((await app.call(contract.channel.update, { ...moved, config, headers: '{"x-org":"another"}' })).success).toBe(true)
})

test('a new proxy needs the key again if it could read it, because the address has no encryption', async () => {
  await app.data(contract.channel.create, { ...form, name: 'plain', base_url: 'http://plain.example' })
  const plain = (await newest()).id
  expect((await app.call(contract.channel.update, { id: plain, proxy: 'http://evil.example:8080' })).message).toBe(
    en.channel_key_reentry_required,
  )
  expect((await app.call(contract.channel.update, { id: plain, proxy: 'http://evil.example:8080', key: 'k' })).success).toBe(true)
  expect((await app.call(contract.channel.update, { id: plain, proxy: '' })).success).toBe(true)
  await app.data(contract.channel.create, { ...form, name: 'encrypted', base_url: 'https://vendor.example' })
  const encrypted = (await newest()).id
  expect((await app.call(contract.channel.update, { id: encrypted, proxy: 'http://evil.example:8080' })).success).toBe(true)
})

test('a search finds an id or a part of the name', async () => {
  await app.data(contract.channel.create, { ...form, name: 'needle in hay' })
  const { id } = await newest()
  expect((await app.data(contract.channel.search, { keyword: 'dle in' })).map((row) => row.id)).toEqual([id])
  expect((await app.data(contract.channel.search, { keyword: String(id) })).map((row) => row.id)).toContain(id)
})

test('a removed channel is not found, and a missing channel cannot be changed', async () => {
  await app.data(contract.channel.create, { ...form, name: 'short-lived' })
  const { id } = await newest()
  await app.data(contract.channel.remove, { id })
  for (const response of [
    await app.call(contract.channel.get, { id }),
    await app.call(contract.channel.remove, { id }),
    await app.call(contract.channel.update, { id, priority: 1 }),
  ]) {
    expect(response).toEqual({ success: false, message: 'Channel not found', field: 'id' })
  }
})

test('the usage of a channel is in its row in every call', async () => {
  const id = await app.make.channel({ models: 'o3-mini', groups: 'served' })
  const user = await app.make.user({ groups: 'served' })
  const { key } = await app.make.token(user)
  app.upstream.script(json(chatResponse('hello', { prompt_tokens: 100, completion_tokens: 50 })))
  const body = JSON.stringify({ model: 'o3-mini', messages: [{ role: 'user', content: 'hi' }] })
  await app.request('/v1/chat/completions', { method: 'POST', headers: { authorization: `Bearer ${key}` }, body })
  await app.app.ledger.drain()
  const { used_quota } = await app.data(contract.account.self, {}, user)
  // 100 × 0.55 + 50 × 2.2
  expect(used_quota).toBe(165)
  expect(await app.data(contract.channel.get, { id })).toMatchObject({ id, used_quota })
  expect(await newest()).toMatchObject({ id, used_quota })
  expect(await app.data(contract.channel.search, { keyword: String(id) })).toContainEqual(expect.objectContaining({ id, used_quota }))
  await app.data(contract.channel.remove, { id })
  const { db } = app.app.store
  const usage = await db.selectFrom('channel_usage').select('channel_id').orderBy('channel_id').execute()
  const channels = await db.selectFrom('channels').select('id as channel_id').orderBy('id').execute()
  expect(usage).toEqual(channels)
})

test('the list of all models has ids, and the catalogue has the models of each vendor', async () => {
  expect((await app.data(contract.channel.models, {})).map(({ id }) => id)).toContain('gpt-4o')
  expect((await app.data(contract.catalogue.models, {}))['1']).toContain('gpt-4o')
  expect(await app.data(contract.catalogue.groups, {})).toEqual(['default', 'svip', 'vip'])
})

test('a user is offered the models of the channels of the own groups', async () => {
  const ann = await app.make.user({ groups: 'private' })
  expect(await app.data(contract.account.availableModels, {}, ann)).toEqual([])
  await app.data(contract.channel.create, { ...form, group: 'private,default', models: 'o3,gpt-4o' })
  expect(await app.data(contract.account.availableModels, {}, ann)).toEqual(['gpt-4o', 'o3'])
})

test('of a kind of task, those are offered that make it, by the name that their vendor has for them', async () => {
  const ben = await app.make.user({ groups: 'studio' })
  const offered = async (kind?: string) => await app.data(contract.account.availableModels, { kind } as never, ben)
  await app.data(contract.channel.create, { ...form, group: 'studio', models: 'gpt-4o,sora-2,clip', model_mapping: '{"clip":"sora-2"}' })
  await app.make.channel({ type: 45, groups: 'studio', models: 'suno_music' })
  expect(await offered()).toEqual(['clip', 'gpt-4o', 'sora-2', 'suno_music'])
  expect(await offered('videos')).toEqual(['clip', 'sora-2'])
  expect(await offered('songs')).toEqual(['suno_music'])
  expect(await offered('poems')).toEqual(['clip', 'gpt-4o', 'sora-2', 'suno_music'])
})

test('all disabled channels are removed at once, whoever disabled them, and counted', async () => {
  const ids = [await app.make.channel(), await app.make.channel(), await app.make.channel()]
  for (const [index, status] of [1, 2, 3].entries()) await setStatus(app, ids[index] ?? 0, status)
  const others = await app.data(contract.channel.search, { keyword: '' })
  const disabled = others.filter(({ status }) => status !== 1)
  expect(await app.data(contract.channel.removeDisabled, {})).toBe(disabled.length)
  expect((await app.data(contract.channel.search, { keyword: '' })).map(({ id }) => id)).toEqual(
    others.filter(({ status }) => status === 1).map(({ id }) => id),
  )
  expect(await app.data(contract.channel.removeDisabled, {})).toBe(0)
})

test('more channels than one call may create are refused, and none is created', async () => {
  const key = Array.from({ length: 1_001 }, (_, line) => `k${line}`).join('\n')
  expect((await app.call(contract.channel.create, { ...form, name: 'too many', key })).message).toBe(
    'You can create at most 1000 channels at once',
  )
  expect(await app.data(contract.channel.search, { keyword: 'too many' })).toEqual([])
})

/** Keys of every shape that such a type requires; one of them has several lines. */
const longKeys = ['region|project|{\n"client_email": "a",\n"private_key": "b"\n}', 'ak|sk|us-east-1']

for (const { type, name, models, key } of vendors.filter((vendor) => vendor.key.fields !== undefined)) {
  test(`a key of ${name} is one key, whatever lines it has`, async () => {
    const channel = {
      ...form,
      type,
      name: `one of ${type}`,
      key: longKeys.find((one) => key.isValid?.(one) !== false) ?? '',
      models: models.names[0] ?? 'm',
    }
    await app.data(contract.channel.create, { ...channel, base_url: 'https://example.com' })
    expect(await app.data(contract.channel.search, { keyword: `one of ${type}` })).toHaveLength(1)
  })
}

test('fields that only the server sets cannot be set by callers, as they can on other servers', async () => {
  const owned = {
    used_quota: 9,
    balance: 9,
    balance_updated_time: 9,
    created_time: 9,
    test_time: 9,
    response_time: 9,
    key_sealed: 'x',
    id: 4_711,
  }
  const fields: object = { ...owned, status: 3 }
  await app.data(contract.channel.create, { ...form, name: 'assigned', ...fields })
  const row = await newest()
  expect(row).toMatchObject({
    name: 'assigned',
    status: 1,
    used_quota: 0,
    balance: 0,
    balance_updated_time: 0,
    test_time: 0,
    response_time: 0,
  })
  expect(row.id).not.toBe(4_711)
  await app.data(contract.channel.update, { ...fields, id: row.id })
  expect(await app.data(contract.channel.get, { id: row.id })).toEqual(row)
  app.upstream.script(json({}, 401))
  await app.app.store.db.updateTable('channels').set({ base_url: app.upstream.url }).where('id', '=', row.id).execute()
  await app.data(contract.channel.update, { id: row.id, priority: 1 })
  await app.call(contract.channel.test, { id: row.id })
  expect(app.upstream.received.at(-1)?.headers['authorization']).toBe('Bearer sk-upstream-secret')
})

test('the response to an edit does not contain the key, as it did on other servers', async () => {
  await app.data(contract.channel.create, {
    ...form,
    name: 'silent',
    config: '{"ak":"id","sk":"very-secret","vertex_ai_adc":"{\\"private_key\\":1}"}',
  })
  const { id } = await newest()
  const responses = JSON.stringify([
    await app.call(contract.channel.update, { id, status: 2 }),
    await app.call(contract.channel.list, {}),
    await app.call(contract.channel.search, { keyword: 'silent' }),
    await app.call(contract.channel.get, { id }),
  ])
  for (const secret of ['sk-upstream-secret', 'very-secret', 'private_key']) expect(responses).not.toContain(secret)
})

test('wildcards in a search are ordinary characters', async () => {
  await app.data(contract.channel.create, { ...form, name: '100%_sure' })
  const { id } = await newest()
  for (const keyword of ['100%_sure', '%_', '0%']) {
    expect((await app.data(contract.channel.search, { keyword })).map((row) => row.id)).toEqual([id])
  }
  expect(await app.data(contract.channel.search, { keyword: '1__%' })).toEqual([])
})

test('changes of channels are logged with the actor and the names of changed fields, never with a secret', async () => {
  const boss = await app.make.user({ role: 10 })
  const newestDeeds = async (count: number): Promise<readonly string[]> => {
    await app.app.ledger.drain()
    const rows = await app.data(contract.log.list, { type: 3, username: boss.username })
    return rows.slice(0, count).map(({ content }) => content.replaceAll(boss.username, 'boss'))
  }
  await app.data(contract.channel.create, { ...form, name: 'watched', key: 'secret-1\nsecret-2', config: '{"sk":"secret-3"}' }, boss)
  const { id, ...row } = await newest()
  const edit = { key: 'secret-4', config: '{"sk":"secret-5"}', group: 'vip', priority: 7 }
  await app.data(contract.channel.update, { id, ...edit }, boss)
  await app.data(contract.channel.update, { ...row, id, group: 'vip', priority: 7, config: '{"sk":""}' }, boss)
  await app.data(contract.channel.update, { id, status: 2 }, boss)
  await app.data(contract.channel.remove, { id }, boss)
  await setStatus(app, id - 1, 3)
  const count = await app.data(contract.channel.removeDisabled, {}, boss)
  const deeds = await newestDeeds(6)
  expect(deeds).toEqual([
    `boss deleted all ${count} disabled channels`,
    `boss deleted the channel ${id} (watched)`,
    `boss changed status of the channel ${id} (watched)`,
    `boss changed config, group, key, priority of the channel ${id} (watched)`,
    'boss created 2 channels named watched',
  ])
  expect(deeds.join()).not.toContain('secret')
})
