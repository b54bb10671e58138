import { expect, test } from 'bun:test'
import { account, channel, user } from '@sluice/contract'
import { QueryClient } from '@tanstack/react-query'
import { markChanged, readKey } from './reads.ts'

const keys = {
  self: readKey(account.self, {}),
  models: readKey(account.availableModels, {}),
  channel: readKey(channel.get, { id: 1 }),
  channels: ['channel', 'list', channel.list.path, { keyword: '' }],
  users: ['user', 'list', user.list.path, { keyword: '' }],
} as const

/** The reads that a change of the endpoint's noun makes stale. */
function staleAfter(endpoint: Parameters<typeof markChanged>[1]): readonly string[] {
  const client = new QueryClient()
  for (const key of Object.values(keys)) client.setQueryData(key, {}, { updatedAt: 1_000 })
  markChanged(client, endpoint, 2_000)
  return Object.entries(keys).flatMap(([name, key]) => (client.getQueryState(key)?.isInvalidated === true ? [name] : []))
}

test('a change of a channel makes its reads and the models of the account stale, and not the account', () => {
  expect(staleAfter(channel.update)).toEqual(['models', 'channel', 'channels'])
})

test('a change of an account makes all reads of accounts stale', () => {
  expect(staleAfter(user.update)).toEqual(['self', 'models', 'users'])
})
