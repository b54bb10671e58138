import { describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { peerTypes } from '@sluice/vendors/peer-types'
import { detectDialect, dialects } from './dialects.ts'
import { parseLocation } from './location.ts'
import { engineTexts, pageText, wholeText } from './source-queries.ts'

describe('a source', () => {
  test('can be a file, with or without the options that one-api appends', () => {
    for (const given of ['./one-api.db', 'sqlite:./one-api.db', 'sqlite://./one-api.db', './one-api.db?_busy_timeout=5000'])
      expect(parseLocation(given)).toEqual({ engine: 'sqlite', address: './one-api.db', label: resolve('one-api.db') })
  })

  test('can be a server, whose name has no credentials', () => {
    expect(parseLocation('postgres://me:pass@db:5432/oneapi?sslmode=disable')).toEqual({
      engine: 'postgres',
      address: 'postgres://me:pass@db:5432/oneapi?sslmode=disable',
      label: 'postgres://db:5432/oneapi',
    })
    expect(parseLocation('postgresql://me@db/oneapi')?.engine).toBe('postgres')
    expect(parseLocation('mysql://me:pass@db/oneapi')?.label).toBe('mysql://db/oneapi')
  })

  test('can be the text of SQL_DSN, with any characters in the password', () => {
    expect(parseLocation('root:p@ss:w/rd@tcp(localhost:3306)/oneapi?charset=utf8mb4')).toEqual({
      engine: 'mysql',
      address: 'mysql://root:p%40ss%3Aw%2Frd@localhost:3306/oneapi',
      label: 'mysql://localhost:3306/oneapi',
    })
    expect(parseLocation('root@tcp(db:3306)/oneapi')?.address).toBe('mysql://root:@db:3306/oneapi')
  })

  test('cannot be anything else', () => {
    for (const given of ['', 'redis://db', 'mysql://', 'postgres://db', 'postgres://db/']) expect(parseLocation(given)).toBeNull()
  })
})

describe('engines', () => {
  test('quote names that are SQL keywords, and page after the last id', () => {
    expect(pageText('mysql', 'tokens', ['id', 'key'])).toBe('SELECT `id`, `key` FROM `tokens` WHERE `id` > ? ORDER BY `id` LIMIT 1000')
    expect(pageText('postgres', 'users', ['id', 'group'])).toBe(
      'SELECT "id", "group" FROM "users" WHERE "id" > $1 ORDER BY "id" LIMIT 1000',
    )
    expect(wholeText('sqlite', 'options', ['key', 'value'])).toBe('SELECT "key", "value" FROM "options"')
    expect(engineTexts.mysql.columns).toContain('DATABASE()')
  })
})

describe('products', () => {
  const tables = (more: Readonly<Record<string, readonly string[]>>) => {
    const base = { users: ['id'], tokens: ['id', 'key'], channels: ['id'], logs: ['id'] }
    return new Map(Object.entries({ ...base, ...more }).map(([name, columns]) => [name, new Set(columns)]))
  }

  test('are distinguished by their tables', () => {
    expect(detectDialect(tables({}))).toBe('one-api-0.6.8')
    expect(detectDialect(tables({ users: ['id', 'oidc_id'] }))).toBe('one-api')
    expect(detectDialect(tables({ logs: ['id', 'elapsed_time'] }))).toBe('one-api')
    expect(detectDialect(tables({ users: ['id', 'oidc_id'], tokens: ['id', 'key', 'model_limits_enabled'] }))).toBe('new-api')
    expect(detectDialect(tables({ users: ['id', 'google_id'] }))).toBe('ezlinkai')
    expect(detectDialect(tables({ group_configs: ['id'] }))).toBe('ezlinkai')
    expect(detectDialect(new Map([['users', new Set(['id'])]]))).toBeNull()
  })

  test('each have a table of channel types, with the same numbers for common types', () => {
    expect(Object.keys(peerTypes).sort()).toEqual([...dialects].sort())
    for (const dialect of dialects) for (const type of [1, 3, 14, 15, 24, 25]) expect(peerTypes[dialect][type]?.type).toBe(type)
    const typeOf = (dialect: (typeof dialects)[number]) => peerTypes[dialect][43]?.type ?? null
    expect(dialects.map(typeOf)).toEqual([43, 43, 36, null])
    expect(peerTypes.ezlinkai[32]).toBeUndefined()
    expect(peerTypes['one-api'][46]).toBeUndefined()
  })

  test('have addresses for servers with OpenAI’s protocol that have no type number here, and for a vendor with another default', () => {
    expect(peerTypes['new-api'][49]).toEqual({ type: 34, baseUrl: 'https://api.coze.cn' })
    for (const types of Object.values(peerTypes)) {
      for (const peer of Object.values(types)) {
        if (peer?.baseUrl !== undefined)
          expect(peer).toMatchObject({ type: peer.type === 34 ? 34 : 8, baseUrl: expect.stringMatching(/^https:\/\/[^/]+(\/[\w/-]+)?$/) })
      }
    }
  })
})
