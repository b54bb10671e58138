import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract, en, importRowsMax, logType, zh } from '@sluice/contract'
import { type Session, type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import type { Clock } from '../../lib/clock.ts'

const exportFile = contract.channel.exportFile
const exportKeys = contract.channel.exportKeys
const importFile = contract.channel.importFile

let ms = 1_800_000_000_000
const clock: Clock = { nowMs: () => ms, monotonicMs: () => ms }
const inChinese = ({ headers }: Session): Session => ({ headers: { ...headers, 'accept-language': 'zh-CN,zh;q=0.9' } })

let app: TestApp
let other: TestApp
let boss: TestUser
beforeAll(async () => {
  app = await testApp({ clock })
  other = await testApp()
  boss = await app.make.user({ role: 10 })
})
afterAll(async () => {
  await app.close()
  await other.close()
})

/** Everything that the form of a channel can set. */
const form = {
  name: 'whole',
  type: 1,
  key: 'secret-of-key',
  models: 'gpt-4o,claude',
  model_mapping: '{"gpt-4o":"claude"}',
  base_url: 'https://vendor.example',
  other: 'of the type',
  group: 'default,vip',
  tag: 'europe',
  config: '{"ak":"access","region":"eu-west-1","sk":"secret-of-config"}',
  priority: -3,
  weight: 7,
  in_flight_max: 5,
  proxy: 'http://me:secret-of-proxy@proxy.example:3128',
  headers: '{"X-Team":"secret-of-header"}',
  system_prompt: 'Be brief.',
  first_byte_seconds: 10,
  idle_seconds: 20,
  total_seconds: 30,
  test_model: 'claude',
  auto_disable: false,
  content_of_key: false,
  proxy_methods: '',
  proxy_paths: '',
  allowed_members: '',
  rewrites_off: 'tool_names,cache_marks',
  cost_factor: 0.8,
  cost_prices: '{"claude":{"ratio":1.5}}',
} as const

const newest = async (on: TestApp) => (await on.data(contract.channel.list, { size: 100 }))[0]

async function allRows(on: TestApp) {
  return await on.app.store.db.selectFrom('channels').selectAll().orderBy('id').execute()
}

describe('an export of channels', () => {
  test('has everything that an administrator sets, and no secrets', async () => {
    expect(Object.keys(form).sort()).toEqual(Object.keys(contract.channel.create.input.shape).sort())
    await app.data(contract.channel.create, form)
    const id = (await newest(app))?.id ?? 0
    const file = await app.data(exportFile, { ids: [id] }, boss)
    expect(file).toMatchObject({ sluice: 'channels', version: 1 })
    const { key: _key, ...set } = form
    expect(file.channels).toEqual([
      {
        ...set,
        status: 1,
        config: '{"ak":"access","region":"eu-west-1"}',
        proxy: 'http://me:***@proxy.example:3128',
        headers: '{"X-Team":""}',
      },
    ])
    expect(JSON.stringify(file)).not.toContain('secret')
  })

  test('with keys has all secrets, for root only', async () => {
    const [channel] = (await app.data(exportKeys, { keyword: 'whole' })).channels
    expect(channel).toEqual({ ...form, status: 1 })
    for (const as of [boss, await app.make.user()])
      expect(await app.call(exportKeys, {}, as)).toEqual({ success: false, message: en.permission_denied })
  })

  test('with keys needs a login of the last ten minutes, and an access token never suffices', async () => {
    expect((await app.call(exportKeys, {}, await app.make.accessToken(app.root))).message).toBe(en.session_required)
    ms += 601_000
    expect((await app.call(exportKeys, {})).message).toBe(en.reauthentication_required)
    expect((await app.call(exportFile, {})).success).toBe(true)
  })

  test('with keys is logged with the ids of its channels, and without their keys', async () => {
    const rows = await other.data(contract.channel.list, {})
    expect(rows).toEqual([])
    for (const name of ['a', 'b', 'c']) await other.data(contract.channel.create, { name, type: 1, key: `secret-${name}`, models: 'm' })
    const ids = (await other.data(contract.channel.list, {})).map(({ id }) => id).sort((a, b) => a - b)
    await other.data(exportKeys, {})
    const [row] = await other.data(contract.log.list, { type: logType.admin })
    expect(row?.content).toContain(`exported 3 channels with their keys: ${ids[0]}-${ids[2]}`)
    expect(JSON.stringify(await other.app.store.db.selectFrom('logs').selectAll().execute())).not.toContain('secret-')
  })

  test('has the channels of the search and the filters, newest first', async () => {
    const names = async (filters: object) => (await other.data(exportFile, filters)).channels.map(({ name }) => name)
    expect(await names({})).toEqual(['c', 'b', 'a'])
    expect(await names({ keyword: 'b' })).toEqual(['b'])
    expect(await names({ type: 3 })).toEqual([])
    expect(await names({ group: 'default', status: 1 })).toEqual(['c', 'b', 'a'])
  })
})

describe('an import of channels', () => {
  test('brings back all that was exported with keys, in the same order', async () => {
    const target = await testApp()
    try {
      const file = await other.data(exportKeys, {})
      const report = await target.data(importFile, { file })
      expect(report.from).toBe('sluice')
      expect(report.rows.map(({ name, state, status, reason }) => [name, state, status, reason])).toEqual([
        ['c', 'new', 1, ''],
        ['b', 'new', 1, ''],
        ['a', 'new', 1, ''],
      ])
      const { exported_at: _at, ...again } = await target.data(exportKeys, {})
      const { exported_at: _before, ...before } = file
      expect(again).toEqual(before)
      const ids = report.rows.flatMap((row) => row.ids)
      const [log] = await target.data(contract.log.list, { type: logType.admin })
      expect(JSON.stringify(await target.data(contract.log.list, {}))).toContain('imported 3 channels')
      expect(log).toBeDefined()
      // What "Undo" does.
      for (const id of ids) await target.data(contract.channel.remove, { id })
      expect(await allRows(target)).toEqual([])
    } finally {
      await target.close()
    }
  })

  test('brings back every setting of a channel', async () => {
    const file = { sluice: 'channels', version: 1, channels: [{ ...form, status: 3 }] }
    await app.data(importFile, { file }, boss)
    const stored = (await newest(app))?.id ?? 0
    const as = await logInAgain()
    expect((await app.data(exportKeys, { ids: [stored] }, as)).channels).toEqual([{ ...form, status: 3 }])
  })

  test('only says what it would add in a dry run', async () => {
    const before = await allRows(app)
    const report = await app.data(importFile, { file: [form, { ...form, name: 'unheard of' }], from: 'sluice', dry_run: true }, boss)
    expect(report.rows.map(({ name, state, ids }) => [name, state, ids])).toEqual([
      ['whole', 'exists', []],
      ['unheard of', 'new', []],
    ])
    expect(await allRows(app)).toEqual(before)
  })

  test('disables what lacks its key or another secret, and says so', async () => {
    const { key: _key, ...bare } = form
    const cases = [
      [{ ...bare, headers: '', proxy: '' }, en.import_note_no_key],
      [{ ...form, proxy: 'http://me:***@proxy.example:3128', headers: '{"X-Team":""}' }, 'secrets are missing (X-Team, proxy)'],
    ] as const
    for (const [row, note] of cases) {
      const { rows } = await app.data(importFile, { file: [row], from: 'sluice' }, boss)
      expect(rows[0]?.status).toBe(2)
      expect(rows[0]?.notes.join()).toContain(note)
      expect((await newest(app))?.status).toBe(2)
    }
    expect((await newest(app))?.proxy).toBe('http://me@proxy.example:3128')
    // A server of one's own needs none.
    const ollama = { name: 'ollama', type: 8, base_url: 'https://ollama.example', models: 'llama' }
    expect((await app.data(importFile, { file: [ollama], from: 'sluice' }, boss)).rows[0]).toMatchObject({ status: 1, notes: [] })
  })

  test('refuses rows by the rules of the form, each with its reason in the language of the caller, and adds the others', async () => {
    const good = { name: 'good', type: 1, key: 'k', models: 'm' }
    const bad = [
      [{ ...good, base_url: 'http://169.254.169.254' }, 'base_url_forbidden'],
      [{ ...good, base_url: app.url }, 'base_url_forbidden'],
      [{ ...good, proxy: 'http://169.254.169.254:80' }, 'proxy_forbidden'],
      [{ ...good, model_mapping: '{"a":1}' }, 'model_mapping_invalid'],
      [{ ...good, type: 999 }, 'channel_type_unknown'],
      [{ ...good, type: 8 }, 'channel_base_url_required'],
      [{ ...good, key: 'a||b', base_url: 'https://gateway.example' }, 'channel_key_incomplete'],
      [{ ...good, models: '' }, 'channel_models_required'],
      [{ ...good, headers: '{"Authorization":"x"}' }, 'channel_headers_invalid'],
      [{ ...good, status: 9 }, 'status_invalid'],
      ['text', 'import_row_unreadable'],
      [null, 'import_row_unreadable'],
    ] as const
    const before = (await allRows(app)).length
    const input = { file: [...bad.map(([row]) => row), good], from: 'sluice' as const }
    const { rows } = await app.data(importFile, input, inChinese(boss))
    expect(rows.map(({ state, reason }) => [state, reason])).toEqual([...bad.map(([, key]) => ['invalid', zh[key]]), ['new', '']])
    expect((await allRows(app)).length).toBe(before + 1)
  })

  test('reads what one-api and new-api respond, with their types', async () => {
    const ofOneApi = {
      id: 4,
      type: 36,
      key: '',
      status: 1,
      name: 'of a vendor',
      models: 'a-chat-model',
      group: 'default',
      base_url: null,
      config: '',
    }
    const first = await app.data(importFile, { file: { success: true, message: '', data: [ofOneApi] }, dry_run: true }, boss)
    expect(first).toMatchObject({
      from: 'one-api',
      rows: [{ name: 'of a vendor', type: 36, state: 'new', status: 2, notes: [en.import_note_no_key] }],
    })
    const ofNewApi = { ...ofOneApi, type: 43, auto_ban: 0, tag: null, channel_info: { is_multi_key: false }, key: 'k1\nk2' }
    const file = { success: true, data: { items: [ofNewApi, { ...ofNewApi, type: 2 }], total: 2 } }
    const { from, rows } = await app.data(importFile, { file }, boss)
    expect(from).toBe('new-api')
    expect(rows).toMatchObject([
      { type: 36, count: 2, state: 'new', status: 1 },
      { state: 'invalid', reason: 'no channel type corresponds to type 2' },
    ])
    expect(rows[0]?.notes).toContain('split into 2 channels, one per key')
    expect(rows[0]?.ids).toHaveLength(2)
    expect(await newest(app)).toMatchObject({ name: 'of a vendor', type: 36, auto_disable: false, content_of_key: false, used_quota: 0 })
  })

  test('refuses files of something else, of another version and with too many rows, and adds nothing', async () => {
    const before = (await allRows(app)).length
    const fault = async (file: unknown) => (await app.call(importFile, { file }, boss)).message
    for (const file of [null, 7, 'text', {}, { data: {} }, { data: { data: { data: { data: [] } } } }, { sluice: 'channels' }])
      expect(await fault(file)).toBe(en.channel_file_unknown)
    expect(await fault({ sluice: 'channels', version: 2, channels: [] })).toContain('version 2')
    const many = Array.from({ length: importRowsMax + 1 }, () => form)
    expect(await fault(many)).toContain(`at most ${importRowsMax}`)
    const keys = Array.from({ length: 600 }, (_, index) => `k${index}`).join('\n')
    expect(await fault([1, 2].map(() => ({ name: 'n', type: 1, key: keys, models: 'm' })))).toContain('1000')
    expect((await allRows(app)).length).toBe(before)
  })

  test('rejects hostile rows with reasons', async () => {
    const deep = JSON.parse(`${'{"data":'.repeat(30)}1${'}'.repeat(30)}`)
    expect((await app.call(importFile, { file: deep }, boss)).message).toBe(en.channel_file_unknown)
    const values = [[], {}, true, -1, 1e300, 'x\0y', '\ud800', '__proto__', 'a'.repeat(70_000)]
    for (const from of ['sluice', 'one-api', 'new-api', 'ezlinkai'] as const)
      for (const member of ['name', 'type', 'key', 'status', 'models', 'config', 'headers', 'proxy', 'model_mapping', 'priority', 'weight'])
        for (const value of values) {
          const row = { name: 'hostile', type: 1, key: 'k', models: 'm', [member]: value }
          const response = await app.call(importFile, { file: [row], from, dry_run: value !== 'x\0y' && value !== '\ud800' }, boss)
          expect([from, member, value, response.message]).not.toEqual([from, member, value, en.internal_error])
        }
  }, 60_000)
})

/** Root, by a session that has just begun. */
async function logInAgain() {
  const body = JSON.stringify({ username: 'root', password: app.root.password })
  const response = await app.request('/api/user/login', { method: 'POST', body, headers: { 'content-type': 'application/json' } })
  return { headers: { cookie: response.headers.get('set-cookie')?.split(';')[0] ?? '' } }
}
