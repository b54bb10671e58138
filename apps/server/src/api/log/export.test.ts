import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type Session, type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { plainLog } from '../../ledger/log-entry.ts'
import { exportStepRows, stepBehind } from '../export-file.ts'
import { listLogs } from './queries.ts'

let app: TestApp
let ann: TestUser
const rowCount = exportStepRows * 2 + 7
beforeAll(async () => {
  app = await testApp()
  ann = await app.make.user()
  const rows = Array.from({ length: rowCount }, (_, index) =>
    plainLog({
      ...{ userId: ann.id, username: ann.username, createdAt: 1_760_000_000 + Math.floor(index / 3), type: 2, content: `row ${index}` },
      ...{
        tokenName: index === 0 ? '=1+1,"x"' : 'ci',
        modelName: 'gpt-4o',
        quota: index,
        promptTokens: 2,
        completionTokens: 0,
        channelId: 7,
      },
    }),
  )
  await Promise.all(rows.map((row) => app.app.ledger.writeLog(row)))
})
afterAll(() => app.close())

const noFilters = {
  ...{ userId: null, username: '', token_name: '', model_name: '', channel: 0 },
  ...{ type: 0, request_id: '', outcome: '' as const, error_code: '', duration: '' as const, start_timestamp: 0, end_timestamp: 0 },
}

const all = contract.log.export.path
const own = contract.log.exportSelf.path

async function exported(query: string, { headers }: Session = app.root, more: Readonly<Record<string, string>> = {}) {
  const response = await app.request(query, { headers: { ...headers, ...more } })
  const bytes = await response.arrayBuffer()
  const text = new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes)
  return { response, text, lines: text.split('\r\n') }
}

describe('the exported log', () => {
  test('has every matching row once, newest first, over all steps', async () => {
    const { response, text, lines } = await exported(`${all}?columns=detail&username=${ann.username}`)
    expect(response.headers.get('content-type')).toBe('text/csv; charset=utf-8')
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="log.csv"')
    expect(text.startsWith('\uFEFFDetail\r\n')).toBe(true)
    const numbers = lines.slice(1, -1).map((line) => Number(line.replace('row ', '')))
    expect(numbers).toHaveLength(rowCount)
    expect(new Set(numbers).size).toBe(rowCount)
    const times = numbers.map((number) => Math.floor(number / 3))
    expect(times).toEqual([...times].sort((a, b) => b - a))
  })

  test('has the chosen columns in their order, in the language and the time zone of the caller', async () => {
    const query = `${all}?columns=time,type,quota,nonsense,prompt,completion&end_timestamp=1760000000&zone=Europe/Berlin`
    const { lines } = await exported(query, app.root, { 'accept-language': 'zh-CN' })
    expect(lines[0]).toBe('\uFEFF时间,类型,费用,输入,输出')
    expect(lines[1]).toMatch(/^2025-10-09 10:53:20,消费,[12]?,2,$/)
    expect(lines).toHaveLength(5)
  })

  test('contains no formula that a spreadsheet would run', async () => {
    const { text } = await exported(`${all}?columns=token&end_timestamp=1760000000`)
    expect(text).toContain("'=1+1,")
  })

  test('of an ordinary user has the own rows only, and neither channel nor user', async () => {
    const bob = await app.make.user()
    expect((await exported(own, bob)).lines).toHaveLength(2)
    const { lines } = await exported(`${own}?columns=channel,user,quota&end_timestamp=1760000000`, ann)
    expect(lines[0]).toBe('\uFEFFQuota')
    expect((await exported(all, bob)).text).toContain('"success":false')
  })

  test('goes on when the row that a step ended with is deleted before the next one is read', async () => {
    const read = async (last: { readonly created_at: number; readonly id: number } | null) =>
      await listLogs(app.app.store.db, { ...noFilters, userId: ann.id }, stepBehind(last))
    const first = await read(null)
    const last = first.at(-1) ?? { created_at: 0, id: 0 }
    await app.app.store.db.deleteFrom('logs').where('id', '=', last.id).execute()
    const rest = await read(last)
    expect([first.length, rest.length]).toEqual([exportStepRows, exportStepRows])
    expect(new Set([...first, ...rest].map(({ id }) => id)).size).toBe(exportStepRows * 2)
  })

  test('is an array of the rows of the list in JSON, with one row a line', async () => {
    const bob = await app.make.user()
    expect((await exported(`${own}?format=json`, bob)).text).toBe('[]\n')
    const query = 'end_timestamp=1760000000&size=100'
    const { response, text } = await exported(`${all}?format=json&columns=quota&${query}`)
    expect(response.headers.get('content-disposition')).toBe('attachment; filename="log.json"')
    expect(JSON.parse(text)).toEqual(await app.data(contract.log.list, { end_timestamp: 1_760_000_000, size: 100 }))
    expect(text.trim().split('\n')).toHaveLength(5)
    expect(JSON.parse((await exported(`${own}?format=json&${query}`, ann)).text)[0]).not.toHaveProperty('failed_attempts')
  })

  test('refuses an unknown time zone in an envelope', async () => {
    expect((await exported(`${all}?zone=Nowhere/Else`)).text).toContain('"success":false')
  })
})
