import { describe, expect, test } from 'bun:test'
import { resolve } from 'node:path'
import { peerTypes } from '@sluice/vendors/registry/peer-channel-types'
import { detectDialect, unreadLimits } from './detect-dialect.ts'
import { dialects } from './dialects.ts'
import { parseLocation } from './location.ts'
import { engineTexts, pageText, wholeText } from './source-queries.ts'

describe('a source', () => {
  test('can be a file, with or without the options that one-api appends', () => {
    for (const address of ['./one-api.db', 'sqlite:./one-api.db', 'sqlite://./one-api.db', './one-api.db?_busy_timeout=5000'])
      expect(parseLocation(address)).toEqual({ engine: 'sqlite', address: './one-api.db', label: resolve('one-api.db') })
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
    for (const address of ['', 'redis://db', 'mysql://', 'postgres://db', 'postgres://db/']) expect(parseLocation(address)).toBeNull()
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

  const newApi = {
    users: ['id', 'oidc_id', 'aff_quota', 'setting'],
    tokens: ['id', 'key', 'model_limits_enabled', 'deleted_at'],
    channels: ['id', 'auto_ban', 'settings'],
  }

  test('are distinguished by their tables', () => {
    expect(detectDialect(tables({}), null)).toEqual({ dialect: 'one-api-0.6.8' })
    expect(detectDialect(tables({ users: ['id', 'oidc_id'] }), null)).toEqual({ dialect: 'one-api' })
    expect(detectDialect(tables({ logs: ['id', 'elapsed_time'] }), null)).toEqual({ dialect: 'one-api' })
    expect(detectDialect(tables(newApi), null)).toEqual({ dialect: 'new-api' })
    expect(detectDialect(tables({ users: ['id', 'google_id'], group_configs: ['id'] }), null)).toEqual({ dialect: 'ezlinkai' })
    expect(detectDialect(new Map([['users', new Set(['id'])]]), null)).toMatchObject({
      problem: expect.stringContaining('does not have the tables'),
    })
  })

  test('are not guessed from a single mark, nor where a column may limit something and is not read', () => {
    const unclear = (more: Readonly<Record<string, readonly string[]>>) => detectDialect(tables(more), null)
    for (const [table, columns, named] of [
      ['tokens', ['id', 'key', 'deleted_at'], 'tokens.deleted_at'],
      ['channels', ['id', 'auto_ban'], 'channels.auto_ban'],
      ['users', ['id', 'google_id'], 'users.google_id'],
      ['tokens', ['id', 'key', 'daily_limit'], 'tokens.daily_limit'],
      ['users', ['id', 'allowed_models'], 'users.allowed_models'],
    ] as const)
      expect(unclear({ [table]: columns })).toMatchObject({ problem: expect.stringContaining(named) })
    expect(unclear({ ...newApi, tokens: [...newApi.tokens, 'rpm'] })).toMatchObject({ problem: expect.stringContaining('tokens.rpm') })
    expect(detectDialect(tables({ tokens: ['id', 'key', 'daily_limit'] }), 'one-api')).toEqual({ dialect: 'one-api' })
    expect(unreadLimits(tables({ tokens: ['id', 'key', 'daily_limit'] }))).toEqual(['tokens.daily_limit'])
  })

  test('that are not supported are refused by each of their marks, whatever the operator says', () => {
    for (const [table, column] of [
      ['user_groups', 'id'],
      ['prices', 'model'],
      ['tokens', 'setting'],
      ['tokens', 'backup_group'],
      ['channels', 'deleted_at'],
    ] as const) {
      const known = table === 'tokens' || table === 'channels' ? newApi[table] : []
      for (const named of [null, 'new-api'] as const)
        expect(detectDialect(tables({ ...newApi, [table]: [...known, column] }), named)).toMatchObject({
          problem: expect.stringContaining('one-hub (or its fork done-hub), which is not supported'),
        })
    }
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
