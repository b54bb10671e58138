import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract, en, type InputOf } from '@sluice/contract'
import { sql } from 'kysely'
import { type TestApp, type TestUser, testApp } from '../../../test/app.ts'
import { plainLog } from '../../ledger/log-entry.ts'
import { logColumns } from '../../ledger/queries.ts'

let app: TestApp
let ann: TestUser
let bob: TestUser
beforeAll(async () => {
  app = await testApp()
  ann = await app.make.user()
  bob = await app.make.user()
  for (let number = 1; number <= 25; number++) {
    const owner = number % 5 === 0 ? bob : ann
    await app.app.ledger.writeLog(
      plainLog({
        userId: owner.id,
        username: owner.username,
        createdAt: 1_000 + number,
        type: number % 2 === 0 ? 2 : 4,
        content: `row ${number}`,
        tokenName: number % 3 === 0 ? 'ci' : 'prod',
        modelName: 'gpt-4o',
        quota: number,
        promptTokens: 2,
        completionTokens: 1,
        channelId: 7,
      }),
    )
  }
})
afterAll(() => app.close())

test('rows are listed newest first, ten a page, with every field filled', async () => {
  const rows = await app.data(contract.log.list, {})
  expect(rows.map(({ content }) => content)).toEqual(Array.from({ length: 10 }, (_, index) => `row ${25 - index}`))
  expect(rows[0]).toMatchObject({ channel: 7, username: bob.username, is_stream: false, request_id: '' })
  expect(await app.data(contract.log.list, { p: 2 })).toHaveLength(5)
})

test('an administrator filters by everything', async () => {
  const count = async (filters: object) => (await app.data(contract.log.list, filters)).length
  expect(await count({ username: bob.username })).toBe(5)
  expect(await count({ type: 4, start_timestamp: 1_024, end_timestamp: 1_025 })).toBe(1)
  expect(await count({ token_name: 'ci' })).toBe(8)
  expect(await count({ channel: 8 })).toBe(0)
  expect(await count({ model_name: 'gpt-4o', username: 'nobody' })).toBe(0)
})

const usernames = () => ({ '': '', ann: ann.username, bob: bob.username })

/** Every filter alone and with every other, with each type, from the first row and after another. */
const sets = [{}, { token_name: 'ci' }, { model_name: 'gpt-4o' }, { channel: 7 }] as const
const pairs = sets.flatMap((one, index) => sets.slice(index).map((other) => ({ ...one, ...other })))

test.each(['', 'ann', 'bob'] as const)('each pair of filters finds the rows that match both, for an account %p', async (name) => {
  const all = await app.data(contract.log.list, { size: 100 })
  const [first] = all
  for (const pair of pairs)
    for (const type of [0, 2, 4]) {
      const username = usernames()[name]
      const matches = all.filter(
        (row) =>
          (username === '' || row.username === username) &&
          (type === 0 || row.type === type) &&
          Object.entries(pair).every(([column, value]) => Object.entries(row).some(([key, is]) => key === column && is === value)),
      )
      const query = { ...pair, type, username, size: 100 }
      expect(await app.data(contract.log.list, query)).toEqual(matches)
      expect(await app.data(contract.log.list, { ...query, after: first?.id ?? 0 })).toEqual(matches.filter(({ id }) => id !== first?.id))
      const owner = name === 'ann' ? ann : bob
      const own = await app.data(contract.log.listSelf, { ...pair, type, size: 100 }, owner)
      const ownMatches = all
        .filter((row) => row.username === owner.username && (type === 0 || row.type === type))
        .filter((row) => !('token_name' in pair) || row.token_name === pair.token_name)
        .map(({ id }) => id)
      expect(own.map(({ id }) => id)).toEqual(ownMatches)
      const behind = await app.data(contract.log.listSelf, { ...pair, type, size: 100, after: ownMatches[0] ?? 0 }, owner)
      expect(behind.map(({ id }) => id)).toEqual(ownMatches.slice(1))
    }
})

test('a user sees only the own rows, whatever the filters are', async () => {
  const filters: object = { username: ann.username, channel: 3 }
  const rows = await app.data(contract.log.listSelf, filters, bob)
  expect(new Set(rows.map(({ username }) => username))).toEqual(new Set([bob.username]))
  expect(rows).toHaveLength(5)
})

test('the sums count consumption only, and of the own rows only', async () => {
  const even = [2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24]
  expect(await app.data(contract.log.stat, {})).toMatchObject({
    quota: even.reduce((sum, number) => sum + number, 0),
    token: even.length * 3,
  })
  expect(await app.data(contract.log.statSelf, {}, bob)).toMatchObject({ quota: 30, token: 6 })
  expect(await app.data(contract.log.statSelf, { start_timestamp: 9_999_999_999 }, bob)).toMatchObject({ quota: 0, token: 0 })
})

test('a request is found by its id, among the own rows only, and its total with it', async () => {
  const requestId = '019a7b1c-2f3e-7c4d-9a5b-6c7d8e9f0a1b'
  // As long as the name of a model may be.
  const modelName = `org/${'m'.repeat(252)}`
  const row = {
    userId: ann.id,
    username: ann.username,
    createdAt: 500,
    type: 2,
    content: 'one request',
    requestId,
    quota: 70,
    promptTokens: 9,
  }
  await app.app.ledger.writeLog(plainLog({ ...row, completionTokens: 2, modelName }))
  const contents = (rows: readonly { readonly content: string }[]) => rows.map(({ content }) => content)
  expect(contents(await app.data(contract.log.list, { request_id: ` ${requestId} ` }))).toEqual(['one request'])
  expect(contents(await app.data(contract.log.listSelf, { request_id: requestId }, ann))).toEqual(['one request'])
  expect(await app.data(contract.log.listSelf, { request_id: requestId }, bob)).toEqual([])
  for (const other of [{ type: 4 }, { model_name: 'gpt-4o' }, { start_timestamp: 501 }, { end_timestamp: 499 }, { username: bob.username }])
    expect(await app.data(contract.log.list, { request_id: requestId, ...other })).toEqual([])
  const [match] = await app.data(contract.log.list, { request_id: requestId, type: 2, model_name: modelName })
  expect(await app.data(contract.log.list, { request_id: requestId, after: match?.id ?? 0 })).toEqual([])
  expect(await app.data(contract.log.list, { request_id: requestId.slice(0, -1) })).toEqual([])
  expect(contents((await app.data(contract.log.tail, { request_id: requestId })).rows)).toEqual(['one request'])
  expect(await app.data(contract.log.stat, { request_id: requestId })).toEqual({ quota: 70, token: 11, rpm: 0, tpm: 0 })
  expect(await app.data(contract.log.statSelf, { request_id: requestId }, bob)).toMatchObject({ quota: 0, token: 0 })
  const file = await app.request(`${contract.log.export.path}?request_id=${requestId}&columns=detail,request`, {
    headers: app.root.headers,
  })
  expect((await file.text()).trim().split('\n').slice(1)).toEqual([`one request,${requestId}`])
})

test('empty fields of a console mean no filter', async () => {
  const response = await app.request('/api/log/self/?p=0&type=&token_name=&model_name=&start_timestamp=NaN&end_timestamp=', {
    headers: bob.headers,
  })
  expect(((await response.json()) as { data: unknown[] }).data).toHaveLength(5)
})

test('pages after the last row that was read do not shift while rows arrive', async () => {
  const contents = (rows: readonly { readonly content: string }[]) => rows.map(({ content }) => content)
  const first = await app.data(contract.log.list, { size: 4 })
  expect(contents(first)).toEqual(['row 25', 'row 24', 'row 23', 'row 22'])
  const newcomer = { userId: ann.id, username: ann.username, createdAt: 2_000, type: 4, content: 'newcomer' }
  await app.app.ledger.writeLog(plainLog(newcomer))
  const second = await app.data(contract.log.list, { size: 3, after: first.at(-1)?.id ?? 0 })
  expect(contents(second)).toEqual(['row 21', 'row 20', 'row 19'])
  // A row of an earlier request that ended later is sorted by its time.
  await app.app.ledger.writeLog(plainLog({ ...newcomer, createdAt: 1_018, content: 'a long answer' }))
  const third = await app.data(contract.log.list, { size: 3, after: second.at(-1)?.id ?? 0 })
  expect(contents(third)).toEqual(['a long answer', 'row 18', 'row 17'])
  expect(contents(await app.data(contract.log.listSelf, { size: 2, after: second.at(-1)?.id ?? 0 }, bob))).toEqual(['row 15', 'row 10'])
})

test('beyond its end a list is empty, by pages and by rows, and a page has at most 100 rows', async () => {
  for (const p of [100, 9_999, 10_001, 123_456_789]) expect(await app.data(contract.log.list, { p })).toEqual([])
  const all = await app.data(contract.log.list, { size: 5_000 })
  expect(all.length).toBeLessThanOrEqual(100)
  expect(await app.data(contract.log.list, { after: all.at(-1)?.id ?? 0 })).toEqual([])
  expect(await app.data(contract.log.list, { after: 999_999 })).toEqual([])
})

test('a search pages like a list, and returns up to 100 rows without a size', async () => {
  const matches = await app.data(contract.log.search, { keyword: 'row' })
  expect(matches.length).toBe(25)
  const by = async (page: object) => (await app.data(contract.log.search, { keyword: 'row', ...page })).map(({ id }) => id)
  const ids = matches.map(({ id }) => id)
  expect(await by({ size: 10 })).toEqual(ids.slice(0, 10))
  expect(await by({ size: 10, p: 2 })).toEqual(ids.slice(20))
  expect(await by({ size: 7, after: ids[9] })).toEqual(ids.slice(10, 17))
})

test('the channel and the attempts of a request are shown to administrators only', async () => {
  const admin = await app.make.user({ role: 10 })
  const served = { type: 2, content: '', modelName: 'gpt-4o', upstreamModel: 'gpt-4o-2024', channelId: 7, attempts: 3, requestId: 'r' }
  for (const { id: userId, username } of [ann, admin])
    await app.app.ledger.writeLog(plainLog({ userId, username, createdAt: 2_000, ...served }))
  const all = { channel: 7, upstream_model: 'gpt-4o-2024', attempts: 3 }
  const none = { channel: 0, upstream_model: '', attempts: 0 }
  const [own] = await app.data(contract.log.listSelf, {}, ann)
  const [match] = await app.data(contract.log.searchSelf, { keyword: '2' }, ann)
  expect([own, match]).toEqual([expect.objectContaining(none), expect.objectContaining(none)])
  expect((await app.data(contract.log.listSelf, {}, admin))[0]).toMatchObject(all)
  expect((await app.data(contract.log.list, { username: ann.username }, admin))[0]).toMatchObject(all)
})

test('requests are found by how long they took, alone or with other filters, and summed up', async () => {
  const carl = await app.make.user()
  const took = [
    [250, 0],
    [251, 100],
    [500, 251],
    [200_000, 64_001],
  ] as const
  for (const [index, [elapsedMs, firstByteMs]] of took.entries())
    await app.app.ledger.writeLog(
      plainLog({
        ...{ userId: carl.id, username: carl.username, createdAt: 3_000 + index, type: 2, content: String(index) },
        ...{ modelName: index > 1 ? 'o1' : 'gpt-4o', quota: 10, promptTokens: 1, endReason: 'complete', elapsedMs, firstByteMs },
      }),
    )
  await app.app.ledger.writeLog(plainLog({ userId: carl.id, username: carl.username, createdAt: 3_009, type: 4, content: 'no request' }))
  const own = async (filters: InputOf<typeof contract.log.listSelf>) =>
    (await app.data(contract.log.listSelf, filters, carl)).map(({ content }) => content)
  expect(await own({ duration: 'elapsed_250' })).toEqual(['0'])
  expect(await own({ duration: 'elapsed_500' })).toEqual(['2', '1'])
  expect(await own({ duration: 'elapsed_more' })).toEqual(['3'])
  expect(await own({ duration: 'first_byte_250' })).toEqual(['1'])
  expect(await own({ duration: 'first_byte_500' })).toEqual(['2'])
  expect(await own({ duration: 'elapsed_500', model_name: 'o1', start_timestamp: 3_001 })).toEqual(['2'])
  expect(await own({ duration: 'elapsed_500', end_timestamp: 3_001 })).toEqual(['1'])
  expect(await own({ duration: 'elapsed_500', outcome: 'failed' })).toEqual([])
  const [first] = await app.data(contract.log.list, { duration: 'elapsed_500', username: carl.username, size: 1 })
  const next = await app.data(contract.log.list, { duration: 'elapsed_500', username: carl.username, after: first?.id ?? 0 })
  expect(next.map(({ content }) => content)).toEqual(['1'])
  expect(await app.data(contract.log.statSelf, { duration: 'elapsed_500' }, carl)).toMatchObject({ quota: 20, token: 2 })
})

test('requests are found by how they ended, alone or with other filters, and summed up', async () => {
  const [carl, dora] = [await app.make.user(), await app.make.user()]
  const ends = ['complete', 'failed', 'client_gone', 'timed_out', 'failed', '']
  for (const owner of [carl, dora])
    for (const [index, endReason] of ends.entries())
      await app.app.ledger.writeLog(
        plainLog({
          ...{ userId: owner.id, username: owner.username, createdAt: 3_000 + index, type: endReason === '' ? 4 : 2 },
          ...{ content: `${owner.username} ${index}`, modelName: index > 3 ? 'o1' : 'gpt-4o', quota: 10, promptTokens: 1, endReason },
        }),
      )
  const numbers = (rows: readonly { readonly content: string }[]) => rows.map(({ content }) => Number(content.split(' ')[1]))
  const own = async (filters: InputOf<typeof contract.log.listSelf>) => numbers(await app.data(contract.log.listSelf, filters, carl))
  expect(await own({ outcome: 'failed' })).toEqual([4, 1])
  expect(await own({ outcome: 'failures' })).toEqual([4, 3, 1])
  expect(await own({ outcome: 'broken' })).toEqual([4, 3, 2, 1])
  expect(await own({ outcome: 'broken', model_name: 'gpt-4o', start_timestamp: 3_002 })).toEqual([3, 2])
  expect(await own({ outcome: 'broken', type: 4 })).toEqual([])
  expect(await own({ outcome: 'crashed' })).toEqual([])
  const all = async (filters: InputOf<typeof contract.log.list>) => numbers(await app.data(contract.log.list, filters))
  expect(await all({ outcome: 'failed' })).toEqual([4, 4, 1, 1])
  expect(await all({ outcome: 'failures' })).toEqual([4, 4, 3, 3, 1, 1])
  expect(await all({ outcome: 'failed', username: dora.username, end_timestamp: 3_003 })).toEqual([1])
  const [first] = await app.data(contract.log.list, { outcome: 'failures', size: 1 })
  expect(await all({ outcome: 'failures', after: first?.id ?? 0 })).toEqual([4, 3, 3, 1, 1])
  expect(await app.data(contract.log.stat, { outcome: 'failures' })).toEqual({ quota: 60, token: 6, rpm: 0, tpm: 0 })
  expect(await app.data(contract.log.statSelf, { outcome: 'client_gone' }, carl)).toMatchObject({ quota: 10, token: 1 })
  const { rows } = await app.data(contract.log.tail, { outcome: 'timed_out' })
  expect(numbers(rows)).toEqual([3, 3])
})

test('requests that failed are found by a username that accounts had one after the other, added up or not yet', async () => {
  const write = async (userId: number, username: string) =>
    await app.app.ledger.writeLog(
      plainLog({ ...{ userId, username, createdAt: 7_000 + userId, content: 'failed', type: 2, endReason: 'failed' } }),
    )
  const [carl, dora] = [await app.make.user(), await app.make.user()]
  const findUserIds = async (username: string) => {
    const rows = await app.data(contract.log.list, { outcome: 'failures', username })
    return rows.map(({ created_at: time }) => time - 7_000)
  }
  await write(carl.id, 'handed-on')
  await write(carl.id, 'own')
  expect(await findUserIds('handed-on')).toEqual([carl.id])
  // A total sums the rows before it.
  await app.data(contract.log.stat, {})
  expect(await findUserIds('handed-on')).toEqual([carl.id])
  await write(dora.id, 'handed-on')
  expect(await findUserIds('handed-on')).toEqual([dora.id, carl.id])
  await app.data(contract.log.stat, {})
  expect(await findUserIds('handed-on')).toEqual([dora.id, carl.id])
  expect(await findUserIds('own')).toEqual([carl.id])
  expect(await findUserIds('handed')).toEqual([])
  // More rows than are looked at one by one, as after an import.
  const columns = sql.raw(logColumns)
  await sql`INSERT INTO logs (${columns}) WITH RECURSIVE copies (number) AS (SELECT 1 UNION ALL SELECT number + 1 FROM copies WHERE number < 20001)
    SELECT ${columns} FROM logs CROSS JOIN copies WHERE id = (SELECT MIN(id) FROM logs)`.execute(app.app.store.db)
  await write(dora.id, 'late')
  expect(await findUserIds('late')).toEqual([dora.id])
  expect(await findUserIds('handed-on')).toEqual([dora.id, carl.id])
})

test('requests that failed are found by their error code, alone or with other filters, and summed up', async () => {
  const [carl, dora] = [await app.make.user(), await app.make.user()]
  const failed = { endReason: 'failed', content: 'failed: upstream_timeout' }
  const rows = [
    failed,
    { ...failed, content: 'failed: channel_auth_failed' },
    { ...failed, modelName: 'o1' },
    { content: 'used', endReason: 'complete' },
  ]
  for (const owner of [carl, dora])
    for (const [index, row] of rows.entries())
      await app.app.ledger.writeLog(
        plainLog({
          ...{ userId: owner.id, username: owner.username, createdAt: 9_000 + index, type: 2, quota: 10, modelName: 'gpt-4o' },
          ...row,
        }),
      )
  const own = async (filters: InputOf<typeof contract.log.listSelf>) =>
    (await app.data(contract.log.listSelf, filters, carl)).map((row) => row.created_at - 9_000)
  expect(await own({ error_code: 'upstream_timeout' })).toEqual([2, 0])
  expect(await own({ error_code: 'upstream_timeout', model_name: 'o1' })).toEqual([2])
  expect(await own({ error_code: 'upstream_timeout', outcome: 'failures', end_timestamp: 9_001 })).toEqual([0])
  // These two exclude each other.
  expect(await own({ error_code: 'upstream_timeout', outcome: 'client_gone' })).toEqual([])
  expect(await own({ error_code: 'upstream' })).toEqual([])
  const all = async (filters: InputOf<typeof contract.log.list>) => await app.data(contract.log.list, filters)
  expect(await all({ error_code: 'channel_auth_failed' })).toHaveLength(2)
  expect(await all({ error_code: 'channel_auth_failed', username: dora.username })).toMatchObject([{ username: dora.username }])
  expect(await app.data(contract.log.stat, { error_code: 'upstream_timeout' })).toMatchObject({ quota: 40 })
  expect(await app.data(contract.log.statSelf, { error_code: 'upstream_timeout' }, carl)).toMatchObject({ quota: 20 })
  expect((await app.data(contract.log.tail, { error_code: 'channel_auth_failed' })).rows).toHaveLength(2)
})

describe('one row', () => {
  test('is read by its id, with every member of the list', async () => {
    const [row] = await app.data(contract.log.list, { username: bob.username })
    if (row === undefined) throw new Error('there is no row')
    expect(await app.data(contract.log.read, { id: row.id })).toEqual(row)
    const own = await app.data(contract.log.readSelf, { id: row.id }, bob)
    expect(own).toMatchObject({ id: row.id, content: row.content, channel: 0 })
    expect(own).not.toHaveProperty('failed_attempts')
  })

  test('of another account, and one that does not exist, are refused with the same words', async () => {
    const [row] = await app.data(contract.log.list, { username: bob.username })
    const others = await app.call(contract.log.readSelf, { id: row?.id ?? 0 }, ann)
    expect(others).toMatchObject({ success: false, message: en.no_such_log })
    expect(await app.call(contract.log.readSelf, { id: 999_999 }, ann)).toEqual(others)
    expect(await app.call(contract.log.read, { id: 999_999 })).toMatchObject({ success: false, message: en.no_such_log })
    expect((await app.call(contract.log.read, { id: row?.id ?? 0 }, ann)).success).toBe(false)
  })
})
