import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract, en } from '@sluice/contract'
import { type Session, type TestApp, testApp } from './app.ts'
import { json } from './fake-upstream.ts'

/**
 * Calls of compatible consoles, with the bodies that they send: a form is filled from a row of the server, and the whole row is sent back
 * with the edits.
 */

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

type Row = Record<string, unknown>

async function get(path: string, as: Session = app.root): Promise<Row> {
  const response = await app.request(path, { headers: as.headers })
  const { success, data, message } = (await response.json()) as { success: boolean; data: Row; message: string }
  if (!success) throw new Error(message)
  return data
}

async function put(path: string, body: object, as: Session = app.root): Promise<{ success: boolean; message: string; data?: Row }> {
  const headers = { 'content-type': 'application/json', ...as.headers }
  const response = await app.request(path, { method: 'PUT', headers, body: JSON.stringify(body) })
  return (await response.json()) as { success: boolean; message: string; data?: Row }
}

interface Config {
  readonly ak?: string
  readonly sk?: string
  readonly region?: string
  readonly vertex_ai_project_id?: string
  readonly vertex_ai_adc?: string
}

/** What the channel form of the default console v0.6.8 sends when it is saved without edits. */
function savedChannelForm(row: Row): Row {
  // Holds: the member is text in every row.
  const config = row['config'] === '' ? {} : (JSON.parse(String(row['config'])) as Config)
  let key = row['key']
  if (key === '') {
    if (config.ak !== '' && config.sk !== '' && config.region !== '') key = `${config.ak}|${config.sk}|${config.region}`
    else if (config.region !== '' && config.vertex_ai_project_id !== '' && config.vertex_ai_adc !== '')
      key = `${config.region}|${config.vertex_ai_project_id}|${config.vertex_ai_adc}`
  }
  return { ...row, key, groups: String(row['group']).split(','), config: JSON.stringify(config) }
}

async function keyInUse(id: number): Promise<string> {
  app.upstream.script(json({}, 401))
  await app.call(contract.channel.test, { id })
  return String(app.upstream.received.at(-1)?.headers['authorization'])
}

async function newestChannel(): Promise<number> {
  const [row] = await app.data(contract.channel.list, {})
  if (row === undefined) throw new Error('there is no channel')
  return row.id
}

for (const config of [
  undefined,
  '',
  '{}',
  '{"region":"eu"}',
  '{"region":"eu","sk":"secret","ak":"id"}',
  '{"region":null}',
  '{"plugin":"x"}',
]) {
  test(`a channel that was stored with the configuration ${config} keeps its key when its form is saved`, async () => {
    const channel = { name: 'kept', type: 1, key: 'the-key', models: 'gpt-4o-mini', base_url: app.upstream.url }
    await app.data(contract.channel.create, config === undefined ? channel : { ...channel, config })
    const id = await newestChannel()
    const row = await get(`/api/channel/${id}`)
    const members = { region: '', sk: '', ak: '', user_id: '', vertex_ai_project_id: '', vertex_ai_adc: '' }
    expect(Object.keys(JSON.parse(String(row['config'])))).toEqual(expect.arrayContaining(Object.keys(members)))
    expect((await put('/api/channel/', { ...savedChannelForm(row), name: 'renamed' })).success).toBe(true)
    expect(await get(`/api/channel/${id}`)).toEqual({ ...row, name: 'renamed' })
    expect(await keyInUse(id)).toBe('Bearer the-key')
  })
}

test('a key of missing parts only changes nothing, one with a missing part is refused, and neither creates a channel', async () => {
  const channel = { name: 'joined', type: 1, key: 'the-key', models: 'gpt-4o-mini', base_url: app.upstream.url }
  await app.data(contract.channel.create, channel)
  const id = await newestChannel()
  for (const key of ['undefined|undefined|undefined', 'null|null|null', '||', 'undefined', ' | undefined | ']) {
    expect((await put('/api/channel/', { id, key })).success).toBe(true)
    expect((await app.call(contract.channel.create, { ...channel, key })).success).toBe(false)
  }
  for (const key of ['AKIA|undefined|us-east-1', 'AKIA|secret|', '|secret|us-east-1', 'AKIA|null|us-east-1']) {
    expect((await put('/api/channel/', { id, key })).message).toBe(en.channel_key_incomplete)
    expect((await app.call(contract.channel.create, { ...channel, key })).message).toBe(en.channel_key_incomplete)
  }
  expect(await keyInUse(id)).toBe('Bearer the-key')
  expect(await app.data(contract.channel.search, { keyword: 'joined' })).toHaveLength(1)
})

test('a balance that is edited twice in one form has the last value', async () => {
  const ann = await app.make.user({ quota: 600_000 })
  const form = await get(`/api/user/${ann.id}`)
  const balance = async () => (await get(`/api/user/${ann.id}`))['quota']
  for (const quota of [600_000, 1_100_000, 600_000, 600_000, 700_000, 700_000, 600_000]) {
    expect(await put('/api/user/', { ...form, password: '', quota })).toMatchObject({ success: true })
    expect(await balance()).toBe(quota)
  }
  expect(await app.inconsistencies()).toEqual([])
})

test('a form that is saved without a change of its quota does not undo the change of another form', async () => {
  const ann = await app.make.user({ quota: 600_000 })
  const [first, second] = [await get(`/api/user/${ann.id}`), await get(`/api/user/${ann.id}`)]
  await put('/api/user/', { ...first, quota: 1_100_000 })
  await put('/api/user/', { ...second, display_name: 'Ann' })
  expect(await get(`/api/user/${ann.id}`)).toMatchObject({ quota: 1_100_000, display_name: 'Ann' })
  await put('/api/user/', { ...second, quota: 500_000 })
  expect((await get(`/api/user/${ann.id}`))['quota']).toBe(1_000_000)
})

test('a token whose quota is edited twice in one form has the last value', async () => {
  const ann = await app.make.user()
  const { id } = await app.make.token(ann, { remain: 600_000, models: 'gpt-4o-mini', subnet: '10.0.0.0/8' })
  const form = await get(`/api/token/${id}`, ann)
  for (const remain_quota of [600_000, 1_100_000, 600_000, 600_000, 700_000]) {
    expect(await put('/api/token/', { ...form, id, remain_quota }, ann)).toMatchObject({ success: true, data: { remain_quota } })
  }
  expect(await get(`/api/token/${id}`, ann)).toMatchObject({ remain_quota: 700_000, models: 'gpt-4o-mini', subnet: '10.0.0.0/8' })
})

test('a code and an account keep the fields that an edit does not send', async () => {
  const [key] = await app.data(contract.redemption.create, { name: 'gift', quota: 100, count: 1 })
  const [{ id = 0 } = {}] = await app.data(contract.redemption.search, { keyword: 'gift' })
  expect(await put('/api/redemption/', { id, name: 'present' })).toMatchObject({
    success: true,
    data: { key, name: 'present', quota: 100 },
  })
  expect(await put('/api/redemption/', { id, quota: 7 })).toMatchObject({ success: true, data: { key, name: 'present', quota: 7 } })
  expect(await put('/api/redemption/', { id, name: null, quota: null })).toMatchObject({
    success: true,
    data: { name: 'present', quota: 7 },
  })
  const ann = await app.make.user({ quota: 5, groups: 'vip' })
  const before = await get(`/api/user/${ann.id}`)
  const nulls = { username: null, display_name: null, password: null, email: null, group: null, quota: null }
  expect(await put('/api/user/', { id: ann.id, ...nulls })).toMatchObject({ success: true })
  const { form_id: _, ...kept } = before
  expect(await get(`/api/user/${ann.id}`)).toMatchObject(kept)
})
