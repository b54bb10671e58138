import { expect, test } from 'bun:test'
import { changedOf, draftKey, readDraft, removeOldDrafts, writeDraft } from './draft.ts'
import { safeStorage } from './storage.ts'

const hourMs = 3_600_000

function fakeStorage() {
  const items = new Map<string, string>()
  const backing = {
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => void items.set(key, value),
    removeItem: (key: string) => void items.delete(key),
    key: (index: number) => [...items.keys()][index] ?? null,
    get length() {
      return items.size
    },
  }
  return { items, storage: safeStorage(() => backing) }
}

test('only fields that differ from what the form was filled with are changed', () => {
  expect(changedOf({ name: 'a', models: ['x'], weight: '0' }, { name: 'b', models: ['x'], weight: '0' })).toEqual({ name: 'a' })
  expect(changedOf({ models: ['x', 'y'] }, { models: ['x'] })).toEqual({ models: ['x', 'y'] })
})

test('a draft is kept for its account and page, for a day', () => {
  const { storage } = fakeStorage()
  const key = draftKey(7, '/token/add')
  writeDraft(storage, key, { atMs: 0, values: { name: 'a' }, baseline: {} })
  expect(readDraft(storage, key, 24 * hourMs - 1)).toEqual({ atMs: 0, values: { name: 'a' }, baseline: {} })
  expect(readDraft(storage, key, 24 * hourMs)).toBeNull()
  expect(readDraft(storage, draftKey(8, '/token/add'), 1)).toBeNull()
  expect(readDraft(storage, draftKey(7, '/channel/add'), 1)).toBeNull()
})

test('a draft has no secrets', () => {
  const { items, storage } = fakeStorage()
  const hidden = [
    'key',
    'config',
    'headers',
    'proxy',
    'password',
    'current_password',
    'verification_code',
    'SMTPToken',
    'GitHubClientSecret',
  ]
  const values = Object.fromEntries([...hidden, 'name', 'tokens_per_minute'].map((name) => [name, 'typed']))
  writeDraft(storage, draftKey(1, '/channel/add'), { atMs: 0, values, baseline: { key: 'stored', name: 'stored', group: 'stored' } })
  expect(JSON.parse([...items.values()][0] ?? '')).toEqual({
    atMs: 0,
    values: { name: 'typed', tokens_per_minute: 'typed' },
    baseline: { name: 'stored' },
  })
})

test('without changes there is no draft', () => {
  const { items, storage } = fakeStorage()
  const key = draftKey(1, '/channel/add')
  writeDraft(storage, key, { atMs: 0, values: { name: 'a' }, baseline: {} })
  writeDraft(storage, key, { atMs: 1, values: { key: 'secret' }, baseline: {} })
  expect(items.size).toBe(0)
})

test('drafts that are too old or damaged are removed, whoever wrote them', () => {
  const { items, storage } = fakeStorage()
  writeDraft(storage, draftKey(1, '/a'), { atMs: 0, values: { name: 'a' }, baseline: {} })
  writeDraft(storage, draftKey(2, '/a'), { atMs: 2 * hourMs, values: { name: 'b' }, baseline: {} })
  items.set('ui-draft:3:/a', '{"broken')
  items.set('user', '{}')
  removeOldDrafts(storage, 25 * hourMs)
  expect([...items.keys()]).toEqual(['ui-draft:2:/a', 'user'])
})
