import { afterAll, describe, expect, test } from 'bun:test'
import { addRows, addTables, type Row } from '../../test/gateway-database.ts'
import {
  ann,
  annsToken,
  apply,
  change,
  counts,
  key,
  listChannels,
  listTokens,
  listUsers,
  look,
  openPlaces,
  type Place,
  root,
  run,
  up,
  upstreamUrl,
  whole,
} from '../../test/import-place.ts'
import { runServer, startServer } from '../../test/server-process.ts'

// The rules for each kind of row.

const { place, close } = openPlaces()
afterAll(close)

describe('accounts', () => {
  const secondRoot: Row = { ...root, id: 7, username: 'boss', quota: 1_000, used_quota: 400, aff_code: 'ROOT', access_token: null }

  test('the root account of the source is merged into the one here, with its balance and its tokens', async () => {
    const at = await place('one-api-0.6.8', { users: [secondRoot], tokens: [{ ...annsToken, user_id: 7 }] })
    const server = await startServer({ ...at.variables, INITIAL_ROOT_PASSWORD: 'a root password' })
    server.signal('SIGTERM')
    await server.exited
    expect((await apply(at)).code).toBe(0)
    const users = await listUsers(at)
    expect(users).toMatchObject([{ id: 1, username: 'root', role: 100, quota: 500_000_000_001_000, used_quota: 400, default_password: 0 }])
    expect(await listTokens(at)).toMatchObject([{ user_id: 1, name: 'work' }])
    expect((await runServer(['verify'], at.variables)).code).toBe(0)
  })

  test('names, addresses, identities and invite codes that are in use here stay with their accounts', async () => {
    const at = await place('ezlinkai', {
      users: [
        { ...ann, id: 1, username: 'ann', github_id: '12345' },
        { ...ann, id: 2, username: 'Ann', email: 'ann@example.com ', github_id: '12345', aff_code: 'BBBB', access_token: null },
        { ...ann, id: 3, username: '', email: null, github_id: 'octocat', aff_code: 'CCCC', access_token: null },
        { ...ann, id: 4, username: 'n'.repeat(80), email: '', aff_code: null, access_token: null },
        { ...ann, id: 5, username: 'n'.repeat(81), email: '', aff_code: '', access_token: null },
      ],
    })
    const { text, code } = await apply(at)
    expect(code).toBe(0)
    expect((await listUsers(at)).map(({ username, email, github_id, aff_code }) => [username, email, github_id, aff_code])).toEqual([
      ['ann', 'ann@example.com', '12345', 'AAAA'],
      ['Ann', '', '', 'BBBB'],
      ['user3', '', 'octocat', 'CCCC'],
      ['n'.repeat(64), '', '', ''],
      [`${'n'.repeat(56)}-2`, '', '', ''],
    ])
    expect(text).toContain('user 2 "Ann": email was not kept: another account has it')
    expect(text).toContain('user 3 "": renamed to user3')
  })

  const digits = {
    users: [
      { ...ann, github_id: '583231' },
      { ...ann, id: 3, username: 'bob', email: '', aff_code: 'BBBB', access_token: null, github_id: 'octocat' },
    ],
  }

  test.each(['one-api', 'new-api'] as const)('a GitHub login name of digits in a database of %s is not used as an id', async (product) => {
    const at = await place(product, digits)
    expect((await apply(at)).text).toContain('user 2 "ann": github_id was not kept')
    expect((await listUsers(at)).map(({ github_id }) => github_id)).toEqual(['', 'octocat'])
  })

  test('versions of new-api that store the ids of GitHub keep them', async () => {
    const at = await place('new-api', digits)
    addTables(at.path, ['custom_oauth_providers (id integer)'])
    expect((await apply(at)).code).toBe(0)
    expect((await listUsers(at)).map(({ github_id }) => github_id)).toEqual(['583231', 'octocat'])
  })

  const boss: Row = { ...root, id: 7, username: 'boss', quota: 5, aff_code: 'BOSS', access_token: '7'.repeat(32) }
  const admin: Row = { ...ann, id: 8, username: 'admin', role: 10, email: '', aff_code: 'ADMI', access_token: null }
  const listRoles = async (at: Place) => (await listUsers(at)).map(({ username, role }) => [username, role])
  const adminsOf = (text: string) => text.split('\nAdministrators in the source\n')[1]?.split('\n\n')[0]?.split('\n') ?? []

  test('administrators and further root accounts become common users, and the report lists each of them', async () => {
    const at = await place('one-api-0.6.8', { users: [root, ann, boss, admin] })
    const lines = [
      '  user 1 "root": role 100 here too, with its password',
      '  user 7 "boss": role 100 became 1; --with-admins keeps it',
      '  user 8 "admin": role 10 became 1; --with-admins keeps it',
    ]
    expect(adminsOf((await run(at)).text)).toEqual(lines)
    expect(adminsOf((await apply(at)).text)).toEqual(lines)
    const roles = [
      ['root', 100],
      ['ann', 1],
      ['boss', 1],
      ['admin', 1],
    ]
    expect(await listRoles(at)).toEqual(roles)
    // A root account that was added later is a further one too.
    addRows(at.path, { users: [{ ...boss, id: 9, username: 'later', aff_code: 'LATE', access_token: null }] })
    expect(adminsOf((await apply(at)).text)).toEqual(['  user 9 "later": role 100 became 1; --with-admins keeps it'])
    expect(await listRoles(at)).toEqual([...roles, ['later', 1]])
  })

  test('with --with-admins they keep their roles', async () => {
    const at = await place('one-api-0.6.8', { users: [root, ann, boss, admin] })
    expect(adminsOf((await apply(at, '--with-admins')).text)).toEqual([
      '  user 1 "root": role 100 here too, with its password',
      '  user 7 "boss": role 100 here too, with its password and its access token',
      '  user 8 "admin": role 10 here too, with its password',
    ])
    expect(await listRoles(at)).toEqual([
      ['root', 100],
      ['ann', 1],
      ['boss', 100],
      ['admin', 10],
    ])
  })

  test('a password whose hash would occupy the server at each login is not kept', async () => {
    const costly = (cost: string) => `$2a$${cost}$${'x'.repeat(53)}`
    const at = await place('one-api-0.6.8', {
      users: [
        { ...ann, password: costly('31') },
        { ...ann, id: 3, username: 'bob', email: '', aff_code: 'BBBB', access_token: null, password: costly('14') },
      ],
    })
    expect((await apply(at)).text).toContain('password was not kept and must be reset: its bcrypt cost is 31; the maximum is 14')
    expect((await listUsers(at)).map(({ password_hash }) => password_hash)).toEqual(['', costly('14')])
  })

  test('a name that is in use here gets a number', async () => {
    const at = await place('one-api-0.6.8', whole())
    await apply(at)
    const other = await place('one-api-0.6.8', {
      users: [{ ...ann, email: '', aff_code: 'XXXX', access_token: null }],
      tokens: [{ ...annsToken, key: key('x') }],
    })
    await runServer(['import', other.path, '--apply'], at.variables)
    expect((await listUsers(at)).map(({ username }) => username)).toEqual(['root', 'ann', 'ann-2'])
  })

  test('deleted ones and their tokens are not imported; their log rows keep the name', async () => {
    const at = await place('one-api-0.6.8', {
      users: [root, { ...ann, username: 'deleted_0123', status: 3, quota: 50 }],
      tokens: [annsToken],
      logs: [{ id: 1, user_id: 2, created_at: 1_700_000_000, type: 4, content: 'x', username: 'ann' }],
    })
    const { text, code } = await apply(at)
    expect(code).toBe(0)
    expect(counts(text, 'users')).toEqual([2, 1, 0, 1, 0])
    expect(text).toContain('user 2 "deleted_0123": the account was deleted')
    expect(text).toContain('token 5 "work": its account 2 is not here')
    expect(text).toMatch(/of accounts that were not taken +50\n/)
    expect(await look(at, (db) => db.selectFrom('logs').select(['user_id', 'username']).where('type', '=', 4).execute())).toEqual([
      { user_id: 0, username: 'ann' },
    ])
  })

  test('an account that was deleted here is not imported again, and gets no further tokens', async () => {
    const at = await place('one-api-0.6.8', whole())
    await apply(at)
    const server = await startServer(at.variables)
    const body = JSON.stringify({ username: 'ann', password: 'a good password' })
    const login = await fetch(`${server.url}/api/user/login`, { method: 'POST', body })
    const cookie = login.headers.get('set-cookie')?.split(';')[0] ?? ''
    await fetch(`${server.url}/api/user/self`, { method: 'DELETE', headers: { cookie } })
    server.signal('SIGTERM')
    await server.exited
    addRows(at.path, { tokens: [{ ...annsToken, id: 6, key: key('b') }] })
    const again = await apply(at)
    expect(again.code).toBe(0)
    expect(counts(again.text, 'users')).toEqual([2, 0, 2, 0, 0])
    expect(again.text).toContain('token 6 "work": its account 2 is not here')
    expect((await runServer(['verify'], at.variables)).code).toBe(0)
  })

  test('an account with an invalid hash is imported without a password', async () => {
    const broken = [`$2a$99$${'x'.repeat(53)}`, `$2a$10$${'!'.repeat(53)}`, '$2a$10$short']
    const users = broken.map((password, index) => ({
      ...ann,
      id: index + 2,
      username: `ann${index}`,
      aff_code: `c${index}`,
      access_token: null,
      email: `a${index}@example.com`,
      password,
    }))
    const at = await place('one-api-0.6.8', { users })
    const { text, code } = await apply(at)
    expect(code).toBe(0)
    expect(text.match(/password cannot be read/g)).toHaveLength(3)
    expect((await listUsers(at)).map(({ password_hash }) => password_hash)).toEqual(['', '', ''])
  })

  test('negative balances are imported unchanged, empty cells as defaults, and unknown roles and states as the lowest', async () => {
    const at = await place('one-api-0.6.8', {
      users: [
        { ...ann, id: 2, quota: -250 },
        { id: 3, username: 'bare', password: '', role: null, status: null, quota: null, group: null, email: null, inviter_id: null },
        { id: 4, username: 'odd', password: 'plain text', role: 50, status: 9, quota: '9007199254740993' },
        { id: 5, username: 'banned', password: '', role: 10, status: 2, quota: 1, group: 'a, b,,a' },
      ],
    })
    const { text, code } = await apply(at)
    expect(code).toBe(2)
    expect(text).toContain('user 4: its quota cannot be stored exactly')
    expect((await listUsers(at)).map(({ username, role, status, quota, groups }) => [username, role, status, quota, groups])).toEqual([
      ['ann', 1, 1, -250, 'vip'],
      ['bare', 1, 1, 0, 'default'],
      ['banned', 1, 2, 1, 'a,b'],
    ])
    const odd = await place('one-api-0.6.8', { users: [{ id: 4, username: 'odd', password: 'plain text', role: 50, status: 9, quota: 1 }] })
    expect((await run(odd)).text).toContain('user 4 "odd": nobody can log in')
    expect((await apply(odd)).text).toMatch(/password cannot be read.*\n.*role 50 became 1\n.*nobody can log in.*\n.*status 9 became 2/)
    expect(await listUsers(odd)).toMatchObject([{ role: 1, status: 2, password_hash: '' }])
    expect((await runServer(['verify'], at.variables)).code).toBe(0)
  })
})

describe('missing rows', () => {
  const unknownType = { ...up(), id: 9, type: 99 }

  test('a row that is in use there and was refused makes the exit code 2, with and without --apply, unless that is allowed', async () => {
    const at = await place('new-api', { users: [ann], channels: [up(), unknownType] })
    const looked = await run(at)
    expect(looked).toMatchObject({ code: 2, text: expect.stringContaining('1 row was refused, as listed above. The exit code is 2') })
    expect((await run(at, '--allow-missing')).code).toBe(0)
    const applied = await apply(at)
    expect(applied.code).toBe(2)
    expect(applied.text).toMatch(/Refused\n {2}channel 9 "up": no channel type corresponds to type 99\n/)
    expect(applied.text).toContain('The ledger is consistent.')
    // The row is refused by each further run too.
    expect(await apply(at, '--allow-missing')).toMatchObject({ code: 0, text: expect.stringContaining('1 row was refused') })
  })

  test('rows that were deleted there, or have no counterpart here, are left out and do not count as missing', async () => {
    const at = await place('new-api', {
      users: [ann, { ...ann, id: 3, username: 'gone', email: '', aff_code: 'GONE', access_token: null, deleted_at: '2025-01-01 00:00:00' }],
      tokens: [
        { ...annsToken, id: 1, key: key('b'), user_id: 3 },
        { ...annsToken, id: 2, key: key('c'), deleted_at: '2025-01-01 00:00:00' },
        { ...annsToken, id: 3, key: key('d'), user_id: 77 },
      ],
      redemptions: [{ id: 1, user_id: 2, key: 'e'.repeat(32), quota: 5, deleted_at: '2025-01-01 00:00:00' }],
      options: [{ key: 'DrawingEnabled', value: 'true' }],
    })
    const { text, code } = await apply(at)
    expect(code).toBe(0)
    const omitted = (text.split('\nLeft out\n')[1] ?? '').split('\n\n')[0]?.split('\n') ?? []
    expect(omitted.map((line) => line.trim())).toEqual([
      'user 3 "gone": the account was deleted',
      'token 1 "work": its account 3 is not here',
      'token 2 "work": the token was deleted',
      'token 3 "work": its account 77 is not here',
      'redemption 1 "": the code was deleted',
      'option DrawingEnabled: Unknown option',
    ])
    expect(text).not.toContain('Refused')
  })

  test('tokens of a refused account are refused too, and the report says that its balance is not in the sums', async () => {
    const at = await place('one-api-0.6.8', { users: [{ ...ann, quota: '9007199254740993' }], tokens: [annsToken] })
    const { text, code } = await apply(at)
    expect(code).toBe(2)
    expect(text).toContain('token 5 "work": its account 2 was refused')
    expect(text).toContain('whose balance is in none of these sums: 1.')
  })
})

describe('rewards for invitations', () => {
  test('that were not claimed yet become part of the balance, and are in the sums', async () => {
    const users = [
      { ...root, aff_quota: 1_000 },
      { ...ann, aff_quota: 5_000 },
      {
        ...ann,
        id: 3,
        username: 'gone',
        email: '',
        aff_code: 'GONE',
        access_token: null,
        quota: 7,
        aff_quota: 20,
        deleted_at: '2025-01-01',
      },
    ]
    const at = await place('new-api', { users })
    const { text, code } = await apply(at)
    expect(code).toBe(0)
    expect(text).toContain('user 2 "ann": invitation rewards of 5000 were added to its balance')
    expect(text).toMatch(/in the source +500,000,000,076,027\n/)
    expect(text).toMatch(/of these, rewards for invitations +6,020\n/)
    expect(text).toMatch(/of accounts that were taken +500,000,000,076,000\n/)
    expect(text).toMatch(/of accounts that were not taken +27\n/)
    expect(text).toMatch(/in the ledger here, of those taken +500,000,000,076,000\n/)
    expect((await listUsers(at)).map(({ quota }) => quota)).toEqual([500_000_000_001_000, 75_000])
    const again = await apply(at)
    expect(again.text).toContain('The balances agree.')
    expect(again.text).not.toContain('have another balance')
    expect((await runServer(['verify'], at.variables)).code).toBe(0)
  })
})

describe('tokens', () => {
  test('keep their restrictions; a token whose restriction cannot be read is refused', async () => {
    const at = await place('one-api-0.6.8', {
      users: [{ ...ann, id: 2 }],
      tokens: [
        { ...annsToken, id: 1, key: `${'k'.repeat(40)}        `, models: 'gpt-4o, ,gpt-4o-mini', subnet: '10.0.0.0/8, 192.168.1.1' },
        { ...annsToken, id: 2, key: key('b'), remain_quota: -1, unlimited_quota: 1, expired_time: 1_900_000_000 },
        { ...annsToken, id: 3, key: key('c'), remain_quota: -30, status: 4, name: '' },
        { ...annsToken, id: 4, key: key('d'), status: 8 },
        { ...annsToken, id: 5, key: key('e'), subnet: '10.0.0.0/8,somewhere' },
        { ...annsToken, id: 6, key: 'with-a-dash' },
        { ...annsToken, id: 7, key: '' },
        { ...annsToken, id: 8, key: key('f'), user_id: 99 },
        { ...annsToken, id: 9, key: key('g'), expired_time: null, unlimited_quota: null, models: null, subnet: null, remain_quota: null },
      ],
    })
    const { text, code } = await apply(at)
    expect(code).toBe(2)
    expect(counts(text, 'tokens')).toEqual([9, 5, 0, 1, 3])
    const rows = await listTokens(at)
    expect(
      rows.map(({ name, status, expired_time, remain_quota, unlimited_quota, models, subnet }) => [
        name,
        status,
        expired_time,
        remain_quota,
        unlimited_quota,
        models,
        subnet,
      ]),
    ).toEqual([
      ['work', 1, -1, 40_000, 0, 'gpt-4o,gpt-4o-mini', '10.0.0.0/8,192.168.1.1'],
      ['work', 1, 1_900_000_000, 0, 1, '', ''],
      ['token 3', 4, -1, 0, 0, '', ''],
      ['work', 2, -1, 40_000, 0, '', ''],
      ['work', 1, -1, 0, 0, '', ''],
    ])
    expect(text).toContain('token 5 "work": its address range "somewhere" cannot be read')
    expect(text).toContain('token 3 "": limit of -30 became 0')
    const server = await startServer(at.variables)
    const models = await fetch(`${server.url}/v1/models`, { headers: { authorization: `Bearer sk-${key('b')}` } })
    expect(models.status).toBe(200)
    server.signal('SIGTERM')
    await server.exited
  })
})

describe('channels', () => {
  test('get the number of their type here; the report lists what channels here do not have', async () => {
    const at = await place('new-api', {
      channels: [
        { ...up(), id: 1, type: 8, base_url: 'https://one.example/v1/chat/completions' },
        { ...up(), id: 2, type: 8, base_url: 'https://two.example/{model}/generate' },
        { ...up(), id: 3, type: 99 },
        { ...up(), id: 4, type: 48, base_url: '' },
        { ...up(), id: 5, base_url: 'http://169.254.169.254' },
        { ...up(), id: 6, models: '' },
        {
          ...up(),
          id: 7,
          models: 'gpt-4o,gpt-4-gizmo-*',
          model_mapping: '{}',
          weight: null,
          priority: null,
          param_override: '{"temperature":0}',
        },
        { ...up(), id: 8, model_mapping: 'not json' },
        { ...up(), id: 9, key: 'one\ntwo\n', channel_info: '{"is_multi_key": true,"multi_key_size":2}', status: 3 },
        { ...up(), id: 10, key: 'one\ntwo' },
        { ...up(), id: 11, key: '' },
      ],
    })
    const { text, code } = await apply(at)
    expect(code).toBe(2)
    const listed = await listChannels(at)
    expect(listed.map(({ used_quota }) => used_quota)).toEqual([77, 77, 77, 77, 0, 77, 0])
    expect(listed.map(({ name, type, base_url, models, status }) => [name, type, base_url, models, status])).toEqual([
      ['up', 8, 'https://one.example/v1', 'gpt-4o-mini,gpt-4o', 1],
      ['up', 8, 'https://api.x.ai', 'gpt-4o-mini,gpt-4o', 1],
      ['up', 1, upstreamUrl, 'gpt-4o', 1],
      ['up', 1, upstreamUrl, 'gpt-4o-mini,gpt-4o', 3],
      ['up (2)', 1, upstreamUrl, 'gpt-4o-mini,gpt-4o', 3],
      ['up', 1, upstreamUrl, 'gpt-4o-mini,gpt-4o', 1],
      ['up (2)', 1, upstreamUrl, 'gpt-4o-mini,gpt-4o', 1],
    ])
    expect(text).toContain('channel 3 "up": no channel type corresponds to type 99')
    expect(text).toContain('channel 7 "up": dropped models with invalid names: gpt-4-gizmo-*')
    expect(text).toContain('channel 7 "up": dropped param_override')
    expect(text).toContain('channel 9 "up": split into 2 channels')
    expect(counts(text, 'channels')).toEqual([11, 5, 0, 0, 6])
    expect((await runServer(['verify'], at.variables)).code).toBe(0)
  })

  test('keep their settings, checked like those of the channel form, and the status of each key', async () => {
    const at = await place('new-api', {
      channels: [
        {
          ...up(),
          id: 1,
          key: 'one\ntwo\nthree',
          channel_info: '{"is_multi_key":true,"multi_key_status_list":{"1":2,"2":3}}',
          setting: '{"proxy":"http://proxy.example:3128","system_prompt":"Be brief.","force_format":true}',
          header_override: '{"X-Team":"blue"}',
          openai_organization: 'org-1',
          test_model: 'gpt-4o',
          auto_ban: 0,
        },
        { ...up(), id: 2, setting: 'not json', header_override: '{"Host":"evil"}', test_model: 'no model', tag: ' eu ' },
      ],
    })
    const { text, code } = await apply(at)
    expect(code).toBe(0)
    expect((await listChannels(at)).map(({ name, status }) => [name, status])).toEqual([
      ['up', 1],
      ['up (2)', 2],
      ['up (3)', 3],
      ['up', 1],
    ])
    for (const note of ['dropped headers', 'dropped test_model']) expect(text).toContain(`channel 2 "up": ${note}`)
    expect(text).not.toMatch(/channel 1 .*dropped/)
    const server = await startServer({ ...at.variables, INITIAL_ROOT_ACCESS_TOKEN: 'f'.repeat(32) })
    const listed = await fetch(`${server.url}/api/channel/search?keyword=1`, { headers: { authorization: 'f'.repeat(32) } })
    const [first] = ((await listed.json()) as { data: object[] }).data
    expect(first).toMatchObject({
      proxy: 'http://proxy.example:3128',
      system_prompt: 'Be brief.',
      headers: '{"X-Team":"","OpenAI-Organization":""}',
      test_model: 'gpt-4o',
      auto_disable: false,
      tag: '',
    })
    const tagged = await fetch(`${server.url}/api/channel/search?keyword=eu`, { headers: { authorization: 'f'.repeat(32) } })
    expect(await tagged.json()).toMatchObject({ data: [{ id: 4, tag: 'eu' }] })
    server.signal('SIGTERM')
    await server.exited
  })

  test('one number can be different types in two products', async () => {
    const rows = { channels: [{ ...up(), id: 1, type: 43 }] }
    const [proxy, compatible] = [await run(await place('one-api', rows)), await run(await place('new-api', rows), '--dialect', 'one-api')]
    for (const { text } of [proxy, compatible]) {
      expect(counts(text, 'channels')).toEqual([1, 1, 0, 0, 0])
      expect(text).not.toContain('type 43')
    }
    const asItself = await run(await place('new-api', rows))
    expect(asItself.text).toContain('type 43 became 36')
  })
})

describe('codes, options and logs', () => {
  test('codes without a positive quota and deleted ones are not imported, and the others keep their expiry', async () => {
    const code: Row = { user_id: 1, status: 1, name: 'a name that is longer than names may be', quota: 10, created_time: 1 }
    const at = await place('new-api', {
      redemptions: [
        { ...code, id: 1, key: 'a'.repeat(32), quota: -5 },
        { ...code, id: 2, key: 'b'.repeat(32), expired_time: 1_600_000_000 },
        { ...code, id: 3, key: 'c'.repeat(32), expired_time: 4_000_000_000 },
        { ...code, id: 4, key: 'd'.repeat(32), deleted_at: '2025-01-01 00:00:00' },
        { ...code, id: 5, key: 'e'.repeat(32), expired_time: 0 },
      ],
    })
    const { text } = await apply(at)
    expect(counts(text, 'redemptions')).toEqual([5, 3, 0, 1, 1])
    expect(await look(at, (db) => db.selectFrom('redemptions').select(['status', 'expired_time']).orderBy('id').execute())).toEqual([
      { status: 1, expired_time: 1_600_000_000 },
      { status: 1, expired_time: 4_000_000_000 },
      { status: 1, expired_time: -1 },
    ])
  })

  test('options that are set here stay, and invalid values are not imported', async () => {
    const at = await place('one-api-0.6.8', {
      options: [
        { key: 'SystemName', value: 'Theirs' },
        { key: 'RetryTimes', value: '2.5' },
        { key: 'ModelRatio', value: '{broken' },
        { key: 'Notice', value: 'x'.repeat(300_000) },
        { key: 'Footer', value: '<b>x</b><script>1</script>' },
      ],
    })
    const { text } = await apply(at)
    expect(text).toContain('option Notice: The value can have at most')
    const other = await place('one-api-0.6.8', { options: [{ key: 'SystemName', value: 'Others' }] })
    const again = await runServer(['import', other.path, '--apply'], at.variables)
    expect(counts(again.text, 'options')).toEqual([1, 0, 1, 0, 0])
    expect(await look(at, (db) => db.selectFrom('options').selectAll().orderBy('key').execute())).toEqual([
      { key: 'Footer', value: '<b>x</b><script>1</script>', set_by_role: 100, pending: null, pending_by: 0 },
      { key: 'SystemName', value: 'Theirs', set_by_role: 100, pending: null, pending_by: 0 },
    ])
  })

  test('the report lists every option that matters for security, without secrets', async () => {
    const at = await place('one-api-0.6.8', {
      options: [
        { key: 'SMTPServer', value: 'mail.example.com' },
        { key: 'SMTPToken', value: 'hush' },
        { key: 'ServerAddress', value: 'https://gateway.example' },
        { key: 'GitHubClientId', value: 'id' },
        { key: 'GitHubOAuthEnabled', value: 'false' },
        { key: 'RegisterEnabled', value: 'false' },
        { key: 'PasswordRegisterEnabled', value: 'true' },
        { key: 'EmailVerificationEnabled', value: 'true' },
        { key: 'ChatLink', value: 'https://chat.example' },
        { key: 'Notice', value: 'hello' },
        { key: 'RetryTimes', value: '2' },
      ],
    })
    for (const { text } of [await run(at), await apply(at)]) {
      const section = text.split('\nSecurity options, which count as set by root\n')[1]?.split('\n\n')[0]
      expect(section?.split('\n').toSorted()).toEqual([
        '  option ChatLink: "https://chat.example"',
        '  option EmailVerificationEnabled: "true"',
        '  option GitHubClientId: "id"',
        '  option GitHubOAuthEnabled: "false"',
        '  option PasswordRegisterEnabled: "true"',
        '  option RegisterEnabled: "false"',
        '  option SMTPServer: "mail.example.com"',
        '  option SMTPToken: (secret)',
        '  option ServerAddress: "https://gateway.example"',
      ])
    }
  })

  test('login by password stays on until root approves that it is off', async () => {
    const at = await place('one-api-0.6.8', {
      users: [{ ...root, access_token: 'e'.repeat(32) }, ann],
      options: [{ key: 'PasswordLoginEnabled', value: 'false' }],
    })
    for (const { text } of [await run(at), await apply(at)]) {
      expect(text).toContain('  option PasswordLoginEnabled: "false"')
      expect(text).toContain('option PasswordLoginEnabled: it takes effect once root approves it in the console')
    }
    const server = await startServer(at.variables)
    const call = async (path: string, init: RequestInit = {}) => {
      const headers = { 'content-type': 'application/json', ...init.headers }
      // Holds: the calls return envelopes, or the expectations fail.
      return (await (await fetch(`${server.url}${path}`, { ...init, headers })).json()) as {
        readonly success: boolean
        readonly data: unknown
      }
    }
    const logIn = { method: 'POST', body: JSON.stringify({ username: 'ann', password: 'a good password' }) }
    expect(await call('/api/user/login', logIn)).toMatchObject({ success: true })
    expect(await call('/api/option/waiting', { headers: { authorization: 'e'.repeat(32) } })).toMatchObject({
      data: { options: [{ key: 'PasswordLoginEnabled', value: 'false', is_pending: true, in_force: 'true' }] },
    })
    server.signal('SIGTERM')
    await server.exited
  })

  test('a secret is not imported for another server than that of the source', async () => {
    const smtp = [
      { key: 'SMTPServer', value: 'mail.example.com' },
      { key: 'SMTPPort', value: '465' },
      { key: 'SMTPToken', value: 'hush' },
    ]
    const at = await place('one-api-0.6.8', { options: smtp })
    // An administrator of role 10 has set an own mail server before.
    await apply({ ...(await place('one-api-0.6.8', {})), variables: at.variables })
    await change(at, async (db) => {
      await db.insertInto('options').values({ key: 'SMTPServer', value: 'mallory.example', set_by_role: 10 }).execute()
    })
    for (const report of [await run(at), await apply(at)]) {
      expect([report.code, counts(report.text, 'options')]).toEqual([2, [3, 1, 1, 0, 1]])
      expect(report.text).toContain('it would be sent to a different server')
    }
    expect(await look(at, (db) => db.selectFrom('options').select(['key', 'set_by_role']).orderBy('key').execute())).toEqual([
      { key: 'SMTPPort', set_by_role: 100 },
      { key: 'SMTPServer', set_by_role: 10 },
    ])
    const clean = await place('one-api-0.6.8', { options: smtp })
    expect(counts((await apply(clean)).text, 'options')).toEqual([3, 3, 0, 0, 0])
  })

  test('an option that needs another is imported with it and refused without it, with and without --apply', async () => {
    const alone = await place('one-api-0.6.8', { options: [{ key: 'GitHubOAuthEnabled', value: 'true' }] })
    for (const report of [await run(alone), await apply(alone)]) expect(counts(report.text, 'options')).toEqual([1, 0, 0, 0, 1])
    const both = {
      options: [
        { key: 'GitHubOAuthEnabled', value: 'true' },
        { key: 'GitHubClientId', value: 'id' },
        { key: 'GitHubClientSecret', value: 'hush' },
      ],
    }
    const whole = await place('one-api-0.6.8', both)
    for (const report of [await run(whole), await apply(whole)]) expect(counts(report.text, 'options')).toEqual([3, 3, 0, 0, 0])
    const stored = await look(whole, (db) => db.selectFrom('options').selectAll().execute())
    expect(JSON.stringify(stored)).not.toContain('hush')
  })

  test('rows of failed requests, which some products store as a separate type, become requests without a charge', async () => {
    const at = await place('ezlinkai', {
      logs: [
        {
          id: 1,
          user_id: 2,
          created_at: 1,
          type: 5,
          content: 'upstream said no',
          quota: 7,
          duration: 1.5,
          first_word_latency: 0.25,
          is_stream: 1,
          cached_tokens: 3,
        },
        { id: 2, user_id: 2, created_at: 2, type: 77, content: 'what is this' },
      ],
    })
    const { text } = await apply(at)
    expect(counts(text, 'logs')).toEqual([2, 1, 0, 0, 1])
    expect(await look(at, (db) => db.selectFrom('logs').selectAll().where('type', '=', 2).execute())).toMatchObject([
      { type: 2, quota: 0, end_reason: 'failed', elapsed_ms: 1500, first_byte_ms: 250, is_stream: 1, cached_tokens: 3 },
    ])
  })

  test('a log in a separate database is read there in pages, and its import can be skipped', async () => {
    const at = await place('one-api-0.6.8', { users: [{ ...ann, id: 2 }] })
    const rows = Array.from({ length: 2_500 }, (_, index) => ({
      id: index * 2 + 1,
      user_id: 2,
      created_at: 1_700_000_000 + index,
      type: 2,
      quota: 1,
      username: 'ann',
    }))
    const logs = await place('one-api-0.6.8', { logs: rows })
    expect(counts((await apply(at, '--no-logs')).text, 'logs')).toEqual([0, 0, 0, 0, 0])
    expect(counts((await apply(at, '--logs', logs.path)).text, 'logs')).toEqual([2_500, 2_500, 0, 0, 0])
    expect(await look(at, (db) => db.selectFrom('logs').select('id').where('type', '=', 2).execute())).toHaveLength(2_500)
    expect((await runServer(['verify'], at.variables)).code).toBe(0)
  })
})
