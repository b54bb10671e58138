import { expect, test } from 'bun:test'
import { account, channel, model, option, task, user } from '@sluice/contract'
import { QueryClient } from '@tanstack/react-query'
import { markChanged, noteAnswer, readKey } from './reads.ts'

const keys = {
  self: readKey(account.self, {}),
  models: readKey(account.availableModels, {}),
  prices: readKey(model.list, {}),
  orderFields: readKey(task.fields, { kind: 'videos', model: 'sora-2' }),
  channel: readKey(channel.get, { id: 1 }),
  channels: ['channel', 'list', channel.list.path, { keyword: '' }],
  users: ['user', 'list', user.list.path, { keyword: '' }],
} as const

/** The reads that a change of the endpoint's noun makes stale. */
function staleAfter(endpoint: Parameters<typeof markChanged>[1]): readonly string[] {
  const client = new QueryClient()
  for (const key of Object.values(keys)) client.setQueryData(key, {}, { updatedAt: 1_000 })
  markChanged(client, endpoint)
  return Object.entries(keys).flatMap(([name, key]) => (client.getQueryState(key)?.isInvalidated === true ? [name] : []))
}

test('a change of a channel makes its reads, the models of the account, what can be ordered of them and the page of models stale, and not the account', () => {
  expect(staleAfter(channel.update)).toEqual(['models', 'prices', 'orderFields', 'channel', 'channels'])
})

test('a change of an account makes all reads of accounts stale, and the prices of their groups', () => {
  expect(staleAfter(user.update)).toEqual(['self', 'models', 'prices', 'orderFields', 'users'])
})

test('a change of an option makes prices and channels stale', () => {
  expect(staleAfter(option.update)).toEqual(['prices', 'orderFields', 'channel', 'channels'])
})

test('what was requested before the answer of a change and came after it is read again, and what the answer wrote is kept', async () => {
  const client = new QueryClient()
  const details = readKey(option.details, {})
  const read = Promise.withResolvers<string>()
  const before = client.fetchQuery({ queryKey: details, queryFn: () => read.promise })
  const answered = noteAnswer(client)
  client.setQueryData(readKey(option.list, {}), [])
  read.resolve('from before the change')
  await before
  markChanged(client, option.update, answered)
  expect(client.getQueryState(details)?.isInvalidated).toBe(true)
  expect(client.getQueryState(readKey(option.list, {}))?.isInvalidated).toBe(false)
})
