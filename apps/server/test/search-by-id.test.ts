import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from './app.ts'

// What scripts need: the id of a row that they have made, and the row with an id before all others in a search.

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

const channel = { type: 1, models: 'gpt-4o', base_url: '', key: 'sk-1' }
const idsOf = (rows: readonly { readonly id: number }[]): readonly number[] => rows.map(({ id }) => id)

describe('a new row', () => {
  test('has its id in the response: an account', async () => {
    const { id } = await app.data(contract.user.create, { username: 'scripted', password: 'a good password', display_name: '' })
    expect(await app.data(contract.user.get, { id })).toMatchObject({ id, username: 'scripted' })
  })

  test('has its id in the response: channels, one for each key', async () => {
    const { id, ids } = await app.data(contract.channel.create, { ...channel, name: 'alone' })
    expect(ids).toEqual([id])
    expect(await app.data(contract.channel.get, { id })).toMatchObject({ id, name: 'alone' })
    const many = await app.data(contract.channel.create, { ...channel, name: 'many', key: 'sk-1\nsk-2\nsk-3' })
    expect([many.ids.length, many.id]).toEqual([3, many.ids[0] ?? 0])
    for (const one of many.ids) expect(await app.data(contract.channel.get, { id: one })).toMatchObject({ name: 'many' })
  })
})

describe('a search for a number', () => {
  /** Every page of a search, by numbers and behind the last row. */
  async function pagesOf(search: (page: { p: number; after: number; size: number }) => Promise<readonly { readonly id: number }[]>) {
    const byNumber: number[] = []
    for (let p = 0; ; p += 1) {
      const rows = await search({ p, after: 0, size: 5 })
      byNumber.push(...idsOf(rows))
      if (rows.length < 5) break
    }
    const behind: number[] = []
    for (let after = 0; ; ) {
      const rows = await search({ p: 0, after, size: 5 })
      behind.push(...idsOf(rows))
      if (rows.length < 5) break
      after = behind.at(-1) ?? 0
    }
    return { byNumber, behind }
  }

  test('finds the channel with this id first, and every other one once', async () => {
    const channelIds = await Promise.all(
      Array.from(
        { length: 12 },
        async (_, number) => (await app.data(contract.channel.create, { ...channel, name: `row ${number} 1` })).id,
      ),
    )
    const pages = await pagesOf((page) => app.data(contract.channel.search, { keyword: '1', ...page }))
    for (const ids of [pages.byNumber, pages.behind]) {
      expect(ids.slice(0, 2)).toEqual([1, Math.max(...channelIds)])
      expect(ids.toSorted((one, other) => one - other)).toEqual([1, ...channelIds].toSorted((one, other) => one - other))
    }
    expect(idsOf(await app.data(contract.channel.search, { keyword: '1', size: 1 }))).toEqual([1])
    expect(idsOf(await app.data(contract.channel.search, { keyword: '1', status: 2 }))).toEqual([])
  })

  test('finds the account with this id first', async () => {
    const [first] = await app.data(contract.user.search, { keyword: '' })
    for (let number = 0; number < 12; number += 1) await app.make.user()
    const id = (await app.data(contract.user.create, { username: 'named3', password: 'a good password', display_name: '' })).id
    const pages = await pagesOf((page) => app.data(contract.user.search, { keyword: '3', ...page }))
    for (const ids of [pages.byNumber, pages.behind]) {
      expect(ids[0]).toBe(3)
      expect(ids).toContain(id)
      expect(new Set(ids).size).toBe(ids.length)
    }
    expect(first).toBeDefined()
    expect(idsOf(await app.data(contract.user.search, { keyword: '3', order: 'quota' }))[0]).toBe(3)
  })

  test('finds the redemption code with this id first', async () => {
    await app.data(contract.redemption.create, { name: 'number 2', quota: 1, count: 12 })
    const pages = await pagesOf((page) => app.data(contract.redemption.search, { keyword: '2', ...page }))
    for (const ids of [pages.byNumber, pages.behind]) expect(ids).toEqual([2, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 1])
  })
})

test.each([
  ['ChatLink', 'chat_link'],
  ['TopUpLink', 'top_up_link'],
] as const)('%s is without the blanks that were pasted around it', async (key, member) => {
  await app.data(contract.option.update, { key, value: '  https://a.example/x/ \n' })
  expect(await app.data(contract.status.get, {})).toMatchObject({ [member]: 'https://a.example/x' })
  await app.data(contract.option.update, { key, value: '   ' })
  expect(await app.data(contract.status.get, {})).toMatchObject({ [member]: '' })
})

test('the key’s form of Vertex is said in Chinese to those who read it', async () => {
  const response = await app.request('/api/channel/', {
    method: 'POST',
    headers: { ...app.root.headers, 'accept-language': 'zh-CN', 'content-type': 'application/json' },
    body: JSON.stringify({ ...channel, name: 'v', type: 42, key: 'a b' }),
  })
  expect((await response.json()) as object).toMatchObject({ success: false, message: expect.stringMatching(/服务账号 JSON|API 密钥/) })
})
