import { expect, test } from 'bun:test'
import { account, channel, log, model, oauth, option, status, task, token, user } from '@sluice/contract'
import { QueryClient } from '@tanstack/react-query'
import {
  captureInFlight,
  derivedOptions,
  editRead,
  forgetReads,
  invalidateUsage,
  markChanged,
  onceOptions,
  readKey,
  refetchNoun,
  writeRead,
} from './reads.ts'

const read = () => Promise.resolve(null)

const keys = {
  self: readKey(account.self, {}),
  models: readKey(account.availableModels, {}),
  prices: readKey(model.list, {}),
  taskFields: readKey(task.fields, { kind: 'videos', model: 'sora-2' }),
  channel: readKey(channel.get, { id: 1 }),
  channels: derivedOptions(channel.list, ['list', { keyword: '' }], read).queryKey,
  users: derivedOptions(user.list, ['list', { keyword: '' }], read).queryKey,
} as const

/** The reads that a change of the endpoint's noun makes stale. */
function staleAfter(endpoint: Parameters<typeof markChanged>[1]): readonly string[] {
  const client = new QueryClient()
  for (const key of Object.values(keys)) client.setQueryData(key, {}, { updatedAt: 1_000 })
  markChanged(client, endpoint)
  return Object.entries(keys).flatMap(([name, key]) => (client.getQueryState(key)?.isInvalidated === true ? [name] : []))
}

test('a change of a channel makes its reads, the models of the account, the task parameters of them and the page of models stale, and not the account', () => {
  expect(staleAfter(channel.update)).toEqual(['models', 'prices', 'taskFields', 'channel', 'channels'])
})

test('a change of an account makes all reads of accounts stale, and the prices of their groups', () => {
  expect(staleAfter(user.update)).toEqual(['self', 'models', 'prices', 'taskFields', 'users'])
})

test('a change of an option makes prices and channels stale', () => {
  expect(staleAfter(option.update)).toEqual(['prices', 'taskFields', 'channel', 'channels'])
})

test('what was requested before the response of a change and came after it is read again, and what the response wrote is kept', async () => {
  const client = new QueryClient()
  const details = readKey(option.details, {})
  const read = Promise.withResolvers<string>()
  const before = client.fetchQuery({ queryKey: details, queryFn: () => read.promise })
  const inFlight = captureInFlight(client)
  client.setQueryData(readKey(option.list, {}), [])
  read.resolve('from before the change')
  await before
  markChanged(client, option.update, inFlight)
  expect(client.getQueryState(details)?.isInvalidated).toBe(true)
  expect(client.getQueryState(readKey(option.list, {}))?.isInvalidated).toBe(false)
})

test('a request that was charged makes the balance, the log, the tokens and the tasks stale, whatever they are read for', () => {
  const client = new QueryClient()
  const stale = [
    readKey(account.self, {}),
    derivedOptions(log.listSelf, ['list', {}], read).queryKey,
    derivedOptions(log.seriesSelf, ['bars', {}], read).queryKey,
    derivedOptions(token.search, ['palette', 'blue'], read).queryKey,
    readKey(task.get, { id: 1 }),
  ]
  const kept = [readKey(model.list, {}), readKey(status.get, {})]
  for (const key of [...stale, ...kept]) client.setQueryData(key, {})
  invalidateUsage(client)
  const isStale = (key: readonly unknown[]) => client.getQueryState(key)?.isInvalidated
  expect(stale.map(isStale)).toEqual(stale.map(() => true))
  expect(kept.map(isStale)).toEqual(kept.map(() => false))
})

test('a query that is made of calls is no read of the call itself, and belongs to the same noun', async () => {
  const client = new QueryClient()
  const derivedKey = derivedOptions(log.series, ['bars', {}], read).queryKey
  client.setQueryData(readKey(log.series, {}), [])
  expect(client.getQueryData(derivedKey)).toBeUndefined()
  client.setQueryData(derivedKey, null)
  await refetchNoun(client, log.list)
  expect(client.getQueryState(derivedKey)?.isInvalidated).toBe(true)
})

test('what is sent once is not made stale by a change of its noun; another account keeps the exchange of its login and the status only', () => {
  const client = new QueryClient()
  const exchange = onceOptions(oauth.github, { code: 'a' }, read).queryKey
  const preview = onceOptions(option.preview, { kind: 'html', text: 'a' }, read).queryKey
  const state = readKey(status.get, {})
  for (const key of [exchange, preview, state, readKey(account.self, {})]) client.setQueryData(key, {})
  markChanged(client, option.update)
  expect(client.getQueryState(preview)?.isInvalidated).toBe(false)
  forgetReads(client)
  expect(
    client
      .getQueryCache()
      .getAll()
      .map(({ queryKey }) => queryKey),
  ).toEqual([exchange, state])
})

test('the response of a change edits only what has been read, and writes a read anew', () => {
  const client = new QueryClient()
  const key = readKey(option.list, {})
  const append = (rows: readonly string[]) => [...rows, 'added']
  expect(editRead(client, key, append)).toBeUndefined()
  expect(client.getQueryData(key)).toBeUndefined()
  writeRead(client, key, [])
  expect(editRead(client, key, append)).toEqual(['added'])
})
