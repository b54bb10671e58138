import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract, exportColumns } from '@sluice/contract'
import { type Session, type TestApp, type TestUser, testApp } from '../../test/app.ts'
import { exportStepRows } from './export-file.ts'

let app: TestApp
let ann: TestUser
beforeAll(async () => {
  app = await testApp()
  ann = await app.make.user()
})
afterAll(() => app.close())

async function fileOf(address: string, { headers }: Session = app.root, language = 'en') {
  const response = await app.request(address, { headers: { ...headers, 'accept-language': language } })
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(await response.arrayBuffer())
  return { name: response.headers.get('content-disposition'), text, lines: text.split('\r\n') }
}

describe('exported tokens', () => {
  test('are the own ones that match, with the values of the list and without keys', async () => {
    const make = { remain_quota: 7, models: '', subnet: '' }
    await app.data(contract.token.create, { ...make, name: '=ci', expired_time: -1, requests_per_minute: 60 }, ann)
    await app.data(contract.token.create, { ...make, name: 'prod', unlimited_quota: true, expired_time: 4_000_000_000 }, ann)
    const keys = (await app.data(contract.token.list, {}, ann)).map(({ key }) => key)
    const { name, lines } = await fileOf(
      `${contract.token.export.path}?columns=name,key,remain,status,expires,limits&zone=Asia/Shanghai`,
      ann,
    )
    expect(name).toBe('attachment; filename="token.csv"')
    expect(lines).toEqual([
      '\uFEFFName,Remaining,Status,Expires,Limits',
      'prod,Unlimited,Enabled,2096-10-02 15:06:40,No limit',
      "'=ci,7,Enabled,never,60 requests/min",
      '',
    ])
    expect((await fileOf(`${contract.token.export.path}?keyword=PROD`, ann, 'zh-CN')).lines[1]).toStartWith('prod,已启用,0,不限,')
    const json = await fileOf(`${contract.token.export.path}?format=json`, ann)
    expect(JSON.parse(json.text)).toMatchObject([{ name: 'prod' }, { name: '=ci', requests_per_minute: 60 }])
    for (const key of keys) expect(json.text + lines.join()).not.toContain(key)
    expect((await fileOf(contract.token.export.path)).lines).toHaveLength(2)
  })

  test('are written also where an earlier version has stored a time that no date can hold', async () => {
    const late = await app.make.user()
    for (const name of ['first', 'second']) await app.data(contract.token.create, { name }, late)
    const ends = { expired_time: Number.MAX_SAFE_INTEGER, accessed_time: 8_640_000_000_001 }
    await app.app.store.db.updateTable('tokens').set(ends).where('name', '=', 'first').execute()
    const { lines } = await fileOf(`${contract.token.export.path}?columns=name,expires`, late)
    expect(lines).toEqual(['\uFEFFName,Expires', 'second,never', `first,${Number.MAX_SAFE_INTEGER}`, ''])
  })
})

describe('exported channels', () => {
  test('are those that match the filters, without secrets', async () => {
    const secrets = {
      key: 'sk-upstream-secret',
      headers: '{"x-other":"header-secret {key}"}',
      proxy: 'http://ann:proxy-secret@192.0.2.1:8080',
    }
    const channels = { type: 1, models: 'gpt-4o', group: 'vip', ...secrets, system_prompt: 'a secret prompt' }
    await app.data(contract.channel.create, { ...channels, name: 'first' })
    await app.data(contract.channel.create, { ...channels, name: 'second', group: 'other' })
    const { lines, text } = await fileOf(`${contract.channel.export.path}?columns=id,name,type,status,response&group=vip`)
    expect(lines[0]).toBe('\uFEFFID,Name,Type,Status,Response time')
    expect(lines[1]).toMatch(/^\d+,first,OpenAI,Enabled,$/)
    expect(lines).toHaveLength(3)
    const json = (await fileOf(`${contract.channel.export.path}?format=json`)).text
    expect(JSON.parse(json)).toMatchObject([{ name: 'second' }, { name: 'first' }])
    expect(text + json).not.toContain('secret')
    expect((await fileOf(contract.channel.export.path, ann)).text).toContain('"success":false')
  })
})

describe('exported redemption codes', () => {
  test('are all codes, over several steps, each with its code', async () => {
    const codes: string[] = []
    for (let batch = 0; batch <= exportStepRows / 100; batch++)
      codes.push(...(await app.data(contract.redemption.create, { name: `batch ${batch}`, quota: 5, count: 100 })))
    const { lines } = await fileOf(`${contract.redemption.export.path}?columns=key`)
    expect(lines[0]).toBe('\uFEFFCode')
    expect(new Set(lines.slice(1, -1))).toEqual(new Set(codes))
    expect((await fileOf(`${contract.redemption.export.path}?keyword=batch%202&columns=name,status,redeemed`)).lines.slice(0, 2)).toEqual([
      '\uFEFFName,Status,Redeemed',
      'batch 2,Unused,not yet redeemed',
    ])
    const rows: unknown = JSON.parse((await fileOf(`${contract.redemption.export.path}?format=json`)).text)
    expect(rows).toHaveLength(codes.length)
    expect((await fileOf(contract.redemption.export.path, ann)).text).toContain('"success":false')
  })
})

describe('exported accounts', () => {
  test('are those that match, with the words of the list', async () => {
    const { lines } = await fileOf(`${contract.user.export.path}?keyword=${ann.username}&columns=username,role,status`, app.root, 'zh')
    expect(lines).toEqual(['\uFEFF用户名,角色,状态', `${ann.username},普通用户,已启用`, ''])
    const [row] = JSON.parse((await fileOf(`${contract.user.export.path}?format=json&keyword=${ann.username}`)).text)
    expect(row).toMatchObject({ username: ann.username, role: 1 })
    expect(row).not.toHaveProperty('password')
    expect((await fileOf(contract.user.export.path, ann)).text).toContain('"success":false')
  })
})

test('a file without chosen columns has all of them', async () => {
  for (const [path, columns] of [
    [contract.token.export.path, exportColumns.token],
    [contract.channel.export.path, exportColumns.channel],
    [contract.redemption.export.path, exportColumns.redemption],
    [contract.user.export.path, exportColumns.user],
  ] as const)
    expect((await fileOf(`${path}?columns=nonsense`)).lines[0]?.split(',')).toHaveLength(Object.keys(columns).length)
})
