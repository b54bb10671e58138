import { expect, test } from 'bun:test'
import { safeStorage } from './storage.ts'

function backing(initial: Record<string, string> = {}) {
  const values = new Map(Object.entries(initial))
  return {
    values,
    getItem: (key: string) => values.get(key) ?? null,
    setItem: (key: string, value: string) => void values.set(key, value),
    removeItem: (key: string) => void values.delete(key),
    key: (index: number) => [...values.keys()][index] ?? null,
    get length() {
      return values.size
    },
  }
}

test('reads back what it wrote', () => {
  const kept = backing()
  const storage = safeStorage(() => kept)
  storage.writeJson('ui-theme', 'dark')
  expect(storage.readJson('ui-theme')).toBe('dark')
  expect(kept.values.get('ui-theme')).toBe('"dark"')
})

test('keeps the values of a scope apart from those of others', () => {
  const kept = backing({ 'ui-theme': '"light"', '/b:ui-draft:1': '{}' })
  const storage = safeStorage(() => kept, '/a:')
  expect(storage.readJson('ui-theme')).toBeUndefined()
  storage.writeJson('ui-draft:2', {})
  expect(kept.values.get('/a:ui-draft:2')).toBe('{}')
  expect(storage.keys('ui-draft:')).toEqual(['ui-draft:2'])
  storage.remove('ui-draft:2')
  expect([...kept.values.keys()]).toEqual(['ui-theme', '/b:ui-draft:1'])
})

test('bad JSON reads as nothing', () => {
  const kept = backing({ status: '{"half' })
  expect(safeStorage(() => kept).readJson('status')).toBeUndefined()
})

test('lists the keys of a kind, those that only the page keeps too', () => {
  const kept = backing({ user: '{}', 'ui-draft:1': '{}' })
  const isFull = () => {
    throw new Error('QuotaExceededError')
  }
  const storage = safeStorage(() => Object.assign(kept, { setItem: isFull }))
  storage.writeText('ui-draft:2', '{}')
  expect(storage.keys('ui-draft:')).toEqual(['ui-draft:2', 'ui-draft:1'])
})

test('a full store falls back to memory', () => {
  const kept = backing()
  const storage = safeStorage(() => ({
    ...kept,
    setItem: () => {
      throw new Error('QuotaExceededError')
    },
  }))
  storage.writeText('aff', 'abc')
  expect(storage.readText('aff')).toBe('abc')
  storage.remove('aff')
  expect(storage.readText('aff')).toBeNull()
})

test('a browser without storage still works within the page', () => {
  const storage = safeStorage(() => {
    throw new Error('SecurityError')
  })
  expect(storage.readText('user')).toBeNull()
  storage.writeText('user', '{}')
  expect(storage.readJson('user')).toEqual({})
})
