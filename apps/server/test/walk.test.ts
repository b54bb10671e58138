import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { contract, type Endpoint, type ErrorCode, en, errors, optionKeys, options, zh } from '@sluice/contract'
import { type MadeUser, nobody, type Session, type TestApp, testApp } from './app.ts'

/** Every call of the contract by its name, `noun.call`. */
const endpoints: ReadonlyArray<readonly [string, Endpoint]> = Object.entries(contract).flatMap(([noun, calls]) =>
  Object.entries(calls).map(([name, endpoint]): [string, Endpoint] => [`${noun}.${name}`, endpoint]),
)

let app: TestApp
let ann: MadeUser
let banned: MadeUser
beforeAll(async () => {
  app = await testApp()
  ann = await app.make.user()
  banned = await app.make.user({ role: 10, status: 2 })
})
afterAll(() => app.close())

async function send(
  endpoint: Endpoint,
  { as = nobody, body, slash = true, query = '' }: { as?: Session; body?: string; slash?: boolean; query?: string } = {},
): Promise<Response> {
  const [path = '', flag] = endpoint.path.split('?')
  const plain = path.replace(/:\w+/g, '7').replace(/\/$/, '')
  const isBody = endpoint.method === 'POST' || endpoint.method === 'PUT'
  const search = [flag === undefined ? '' : `${flag}=1`, query].filter((part) => part !== '').join('&')
  return await app.request(`${plain}${slash ? '/' : ''}?${search}`, {
    method: endpoint.method,
    headers: as.headers,
    ...(isBody ? { body: body ?? '{}' } : {}),
  })
}

/** A digest of everything that is stored, to see that nothing was written. */
async function stored(): Promise<string> {
  const { db } = app.app.store
  const tables = await Promise.all([
    db.selectFrom('users').selectAll().execute(),
    db.selectFrom('tokens').selectAll().execute(),
    db.selectFrom('channels').selectAll().execute(),
    db.selectFrom('options').selectAll().execute(),
    db.selectFrom('ledger').selectAll().execute(),
  ])
  return JSON.stringify(tables)
}

describe('who may call', () => {
  for (const [name, endpoint] of endpoints.filter(([, { access }]) => access !== 'public')) {
    test(`${name} is refused to visitors with a 401, to bad access tokens and banned accounts with a 200, and writes nothing`, async () => {
      const before = await stored()
      const visitor = await send(endpoint)
      expect(visitor.status).toBe(401)
      expect(await visitor.json()).toMatchObject({ success: false })
      for (const headers of [{ authorization: 'Bearer nonsense' }, { authorization: "' OR 1=1 --" }, banned.headers]) {
        const response = await send(endpoint, { as: { headers } })
        expect(response.status).toBe(200)
        expect(await response.json()).toMatchObject({ success: false })
      }
      expect(await stored()).toBe(before)
    })
  }

  for (const [name, endpoint] of endpoints.filter(([, { access }]) => access === 'admin' || access === 'root')) {
    test(`${name} is refused to ordinary users`, async () => {
      const before = await stored()
      const response = await send(endpoint, { as: ann })
      expect(response.status).toBe(200)
      expect(await response.json()).toEqual({ success: false, message: en.permission_denied })
      expect(await stored()).toBe(before)
    })
  }
})

const hostile: ReadonlyArray<readonly [string, string]> = [
  ['nothing', ''],
  ['no JSON', '{"a":'],
  ['a list', '[]'],
  ['null', 'null'],
  [
    'wrong types',
    '{"id":"x","name":7,"key":[],"type":"1","models":{},"status":"on","username":{},"password":5,"remain_quota":"1e9","value":null}',
  ],
  [
    'floats and negatives',
    '{"id":1.5,"name":"n","key":"k","type":-1,"models":"m","remain_quota":0.5,"weight":-3,"priority":0.1,"expired_time":-7}',
  ],
  ['huge numbers', '{"id":1e308,"name":"n","key":"k","type":9e99,"models":"m","remain_quota":9007199254740993}'],
  [
    'huge texts',
    JSON.stringify({
      id: 1,
      name: 'n'.repeat(100_000),
      key: 'k'.repeat(100_000),
      type: 1,
      models: 'm,'.repeat(50_000),
      username: 'u'.repeat(100_000),
      password: 'p'.repeat(100_000),
    }),
  ],
  [
    'odd letters',
    JSON.stringify({
      id: 1,
      name: '\u0000\uD800🙂%_\\\'"',
      username: '\u202E',
      password: '\u0000'.repeat(9),
      key: '\n\r\n',
      type: 1,
      models: '🙂',
    }),
  ],
  ['deep nesting', `${'{"a":'.repeat(5_000)}1${'}'.repeat(5_000)}`],
  ['prototype tricks', '{"__proto__":{"role":100},"constructor":{"prototype":{}},"id":1,"name":"n","role":100,"quota":1,"user_id":2}'],
]

describe('hostile input', () => {
  for (const [name, endpoint] of endpoints) {
    test(`${name} answers every kind of nonsense in the envelope and never with a 500`, async () => {
      for (const [kind, body] of hostile) {
        const query = `keyword=${encodeURIComponent("%_\\' OR 1=1")}&p=-1&type=NaN&order=;drop&start_timestamp=NaN&model=${'x'.repeat(3000)}`
        const response = await send(endpoint, { as: app.root, body, query })
        const text = await response.text()
        expect([kind, response.status < 500]).toEqual([kind, true])
        expect([kind, typeof JSON.parse(text).success]).toEqual([kind, 'boolean'])
        expect(text).not.toMatch(/SQLITE|sqlite|constraint failed| at .*\.ts:/)
        if (name === 'account.logout' || name === 'account.updateSelf') await restoreRoot()
      }
      expect(({} as Record<string, unknown>)['role']).toBeUndefined()
    })
  }

  /** Some calls end the session they are made with. */
  async function restoreRoot(): Promise<void> {
    const response = await app.request('/api/user/login', {
      method: 'POST',
      body: JSON.stringify({ username: 'root', password: app.root.password }),
    })
    const cookie = response.headers.get('set-cookie')?.split(';')[0]
    if (cookie !== undefined) Object.assign(app.root.headers, { cookie })
  }
})

describe('addresses', () => {
  for (const [name, endpoint] of endpoints) {
    test(`${name} is served with and without its final slash, without a redirect`, async () => {
      const [withSlash, without] = [await send(endpoint, { slash: true }), await send(endpoint, { slash: false })]
      expect([withSlash.status, without.status].some((status) => status >= 300 && status < 400)).toBe(false)
      expect(withSlash.status).toBe(without.status)
      expect(withSlash.status).not.toBe(404)
    })
  }

  test('unknown paths and methods are a 404 in the OpenAI form', async () => {
    for (const [method, path] of [
      ['GET', '/api/nonsense'],
      ['PATCH', '/api/token/'],
      ['GET', '/api'],
      ['POST', '/api/status'],
    ] as const) {
      const response = await app.request(path, { method })
      expect(response.status).toBe(404)
      expect(await response.json()).toMatchObject({ error: { type: 'invalid_request_error', code: 'unknown_url' } })
    }
  })
})

/** The text of all sources of the server. */
function serverSources(): string {
  const folder = join(import.meta.dir, '../src')
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  )
  return files.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
}

describe('tables', () => {
  const sources = serverSources()
  const contractSources = ['parts', 'token', 'channel', 'account', 'option', 'log']
    .map((name) => readFileSync(join(import.meta.dir, `../../../packages/contract/src/${name}.ts`), 'utf8'))
    .join('\n')

  test('every error has a text in both languages, and every text is used', () => {
    const codes = Object.keys(errors) as ErrorCode[]
    expect(codes.filter((code) => !(code in en) || !(code in zh))).toEqual([])
    const unused = Object.keys(en).filter((key) => !sources.includes(`'${key}'`) && !contractSources.includes(`'${key}'`))
    expect(unused).toEqual([])
  })

  test('every error is thrown somewhere', () => {
    expect(Object.keys(errors).filter((code) => !sources.includes(`'${code}'`))).toEqual([])
  })

  test('both languages name the same parameters', () => {
    const names = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map((match) => match[1] ?? '').sort()
    for (const [key, text] of Object.entries(en)) expect([key, names(zh[key as keyof typeof zh])]).toEqual([key, names(text)])
  })

  test('every option reads its own fallback, and is read somewhere', () => {
    for (const key of optionKeys) expect([key, options[key].parse(options[key].fallback)]).not.toEqual([key, null])
    expect(optionKeys.filter((key) => !new RegExp(`\\b${key}\\b`).test(sources))).toEqual([])
  })

  test('every call of the contract is named by a test of its own', () => {
    const folder = join(import.meta.dir, '../src')
    const tests = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.test.ts'))
    const text = tests.map((file) => readFileSync(join(folder, file), 'utf8')).join('\n')
    expect(endpoints.map(([name]) => name).filter((name) => !text.includes(`contract.${name}`))).toEqual([])
  })
})
