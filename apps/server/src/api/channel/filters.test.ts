import { afterAll, beforeAll, expect, test } from 'bun:test'
import { contract } from '@sluice/contract'
import { type TestApp, testApp } from '../../../test/app.ts'
import { setStatus } from '../../../test/channel-scene.ts'

let app: TestApp
beforeAll(async () => {
  app = await testApp()
})
afterAll(() => app.close())

test('lists and searches of channels are filtered by status, type and one group of their lists', async () => {
  const createChannel = async (name: string, change: object, status = 1) => {
    await app.data(contract.channel.create, { name, type: 1, key: 'k', models: 'm', ...change })
    const [newest] = await app.data(contract.channel.list, { size: 1 })
    await setStatus(app, newest?.id ?? 0, status)
  }
  await createChannel('one', { group: 'default,vip' })
  await createChannel('two', { group: 'vip', type: 36 }, 3)
  await createChannel('three', { group: 'VIP' }, 2)
  const names = async (filters: object) => (await app.data(contract.channel.list, filters)).map(({ name }) => name)
  expect(await names({})).toEqual(['three', 'two', 'one'])
  expect(await names({ status: 3 })).toEqual(['two'])
  expect(await names({ type: 1 })).toEqual(['three', 'one'])
  expect(await names({ group: 'vip' })).toEqual(['two', 'one'])
  expect(await names({ group: 'vip', status: 1 })).toEqual(['one'])
  for (const group of ['vi', 'default,vip', '%', '_ip']) expect(await names({ group })).toEqual(group === 'default,vip' ? ['one'] : [])
  const matches = await app.data(contract.channel.search, { keyword: 'o', type: 36 })
  expect(matches.map(({ name }) => name)).toEqual(['two'])
})
