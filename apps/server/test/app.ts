import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { accessTokenPrefix, type DataOf, type Endpoint, type Envelope, type InputOf, type TokenLimitName } from '@sluice/contract'
import { openSeal } from '../src/admin/open-seal.ts'
import { createSessions } from '../src/api/account/sessions.ts'
import { type App, startApp } from '../src/app.ts'
import { connectStore } from '../src/db/connect-store.ts'
import { storePlace } from '../src/db/store-place.ts'
import { type Env, readEnv } from '../src/env.ts'
import type { ConsoleFiles } from '../src/http/console-files.ts'
import type { schedule } from '../src/jobs/schedule.ts'
import { verify } from '../src/ledger/verify.ts'
import { type Clock, nowSeconds, systemClock } from '../src/lib/clock.ts'
import { randomBase62 } from '../src/lib/id.ts'
import type { Seal } from '../src/lib/seal.ts'
import { createLog } from '../src/log.ts'
import type { OutsideAddresses } from '../src/outside/addresses.ts'
import type { MailNetwork } from '../src/outside/smtp.ts'
import { type FakeUpstream, startFakeUpstream } from './fake-upstream.ts'
import { createReadyDatabase, type Engine, sqliteImage } from './stores.ts'

/** Cheap hashes, because no test is about the cost of guessing a password. */
const passwordCost = { memoryCost: 8, timeCost: 1 }
const secretCost = { log2N: 4, r: 1, p: 1 }

export const rootPassword = 'root-password'
const secret = 'a master key for the tests'

interface TestAppOptions {
  readonly clock?: Clock
  readonly env?: Readonly<Record<string, string>>
  /** The root account keeps the built-in password. */
  readonly keepsDefaultPassword?: boolean
  readonly consoleFiles?: ConsoleFiles
  /** Addresses of external services that the test fakes. */
  readonly outsideAddresses?: Partial<OutsideAddresses>
  readonly mailNetwork?: Partial<MailNetwork>
  /** Replaces the name server. */
  readonly lookUp?: (host: string) => Promise<readonly string[]>
  /** Replaces the list of local networks: the fake upstream is in one. */
  readonly isLocal?: (address: string) => boolean
  /** Replaces timers. */
  readonly schedule?: typeof schedule
  /** Missing = the engine of the run. */
  readonly engine?: Engine
  /** Options that an earlier run of the server stored. */
  readonly storedOptions?: Readonly<Record<string, string>>
}

/** Credentials of a call: a cookie, an access token, or none. */
export interface Session {
  readonly headers: Readonly<Record<string, string>>
}
export const nobody: Session = { headers: {} }

interface UserOptions {
  readonly role?: number
  readonly status?: number
  readonly quota?: number
  readonly groups?: string
  readonly password?: string
}

export interface TestUser extends Session {
  readonly id: number
  readonly username: string
  readonly password: string
}

interface TokenOptions {
  readonly remain?: number
  readonly isUnlimited?: boolean
  readonly models?: string
  readonly subnet?: string
  readonly expiredTime?: number
  readonly status?: number
  readonly limits?: Readonly<Partial<Record<TokenLimitName, number>>>
  readonly ownWorkOnly?: boolean
}

interface ChannelOptions {
  readonly type?: number
  readonly models?: string
  readonly groups?: string
  readonly priority?: number
  readonly weight?: number
  readonly baseUrl?: string
  readonly mapping?: Readonly<Record<string, string>>
  readonly key?: string
  readonly config?: Readonly<Record<string, string>>
  readonly other?: string
}

export interface TestApp {
  readonly url: string
  readonly app: App
  readonly upstream: FakeUpstream
  /** The server's own, for rows that a test writes itself. */
  readonly seal: Seal
  readonly root: TestUser
  readonly make: {
    user(options?: UserOptions): Promise<TestUser>
    /** @returns the key as clients send it, and the id */
    token(user: TestUser, options?: TokenOptions): Promise<{ readonly id: number; readonly key: string }>
    channel(options?: ChannelOptions): Promise<number>
    /** Credentials with a new personal access token of the user. */
    personalToken(user: TestUser, scopes: readonly string[], expiredTime?: number): Promise<Session>
    /** Credentials with the user's system access token instead of a session. */
    accessToken(user: TestUser): Promise<Session>
  }
  /** Makes one call of the contract; failures are envelopes too. */
  call<E extends Endpoint>(endpoint: E, input: InputOf<E>, as?: Session): Promise<Envelope<DataOf<E>>>
  /** Makes one call of the contract that must succeed. @returns the data @throws Error with the message of a failure */
  data<E extends Endpoint>(endpoint: E, input: InputOf<E>, as?: Session): Promise<DataOf<E>>
  /** Sends any request to a path of the server. */
  request(path: string, init?: RequestInit): Promise<Response>
  /** Violations of the ledger's rules. */
  inconsistencies(): Promise<readonly string[]>
  close(): Promise<void>
}

/** The real server on a free port, with a temporary database and a fake upstream. */
export async function testApp(options: TestAppOptions = {}): Promise<TestApp> {
  const {
    clock,
    env = {},
    keepsDefaultPassword = false,
    consoleFiles,
    outsideAddresses = {},
    mailNetwork = {},
    lookUp,
    isLocal,
    schedule,
    engine,
    storedOptions,
  } = options
  const dataDir = mkdtempSync(join(tmpdir(), 'sluice-test-'))
  const database = await createReadyDatabase(engine)
  const initial = keepsDefaultPassword ? { ALLOW_DEFAULT_PASSWORD: '1' } : { INITIAL_ROOT_PASSWORD: rootPassword }
  const settings: Env = readEnv({
    PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    DATABASE_URL: database.url,
    SLUICE_SECRET: secret,
    LOG_LEVEL: 'silent',
    // Tests send far more requests than people do, all from one address.
    RATE_LIMITS: 'off',
    CHANNEL_PAUSE_MS: '0',
    ...initial,
    ...env,
  })
  if (storedOptions !== undefined) await storeOptions(settings, storedOptions)
  const log = createLog(settings.logLevel)
  const app = await startApp({
    env: settings,
    log,
    consoleFiles: consoleFiles ?? null,
    passwordCost,
    secretCost,
    ...(settings.databaseUrl === '' && storedOptions === undefined ? { databaseImage: await sqliteImage() } : {}),
    outsideAddresses,
    mailNetwork,
    ...(lookUp === undefined ? {} : { lookUp }),
    ...(isLocal === undefined ? {} : { isLocal }),
    ...(schedule === undefined ? {} : { schedule }),
    ...(clock === undefined ? {} : { clock }),
  })
  const upstream = await startFakeUpstream()
  const url = `http://127.0.0.1:${app.port}`
  const { db } = app.store
  const seal = await openSeal(db, settings)
  let count = 0

  // A clock that jumps lets the server close idle connections just when the next request would use one.
  const keepalive = clock === undefined

  async function send(endpoint: Endpoint, input: object, as: Session): Promise<Response> {
    const [path = '', flag] = endpoint.path.split('?')
    const rest: Record<string, unknown> = { ...input }
    const filled = path.replace(/:(\w+)/g, (_, name: string) => {
      const value = rest[name]
      delete rest[name]
      return encodeURIComponent(String(value))
    })
    const isBody = endpoint.method === 'POST' || endpoint.method === 'PUT'
    const query = new URLSearchParams(isBody ? [] : Object.entries(rest).map(([name, value]): [string, string] => [name, String(value)]))
    if (flag !== undefined) query.set(flag, 'true')
    const body = isBody ? { body: JSON.stringify(rest) } : {}
    return await fetch(`${url}${filled}?${query}`, {
      method: endpoint.method,
      keepalive,
      headers: { 'content-type': 'application/json', ...as.headers },
      ...body,
    })
  }

  async function call<E extends Endpoint>(endpoint: E, input: InputOf<E>, as: Session = root): Promise<Envelope<DataOf<E>>> {
    const response = await send(endpoint, input as object, as)
    // Holds: every response of the management API is an envelope; hostile.test.ts checks it.
    return (await response.json()) as Envelope<DataOf<E>>
  }

  async function data<E extends Endpoint>(endpoint: E, input: InputOf<E>, as: Session = root): Promise<DataOf<E>> {
    const envelope = await call(endpoint, input, as)
    if (!envelope.success) throw new Error(envelope.message)
    return envelope.data
  }

  const sessions = createSessions({ db, clock: clock ?? systemClock, seal, isSecondFactorRequired: () => false })

  /** Begins a session without a login, which would be counted and logged. */
  async function signIn(id: number): Promise<Session> {
    return { headers: { cookie: `session=${await sessions.begin({ id }, { userAgent: 'test', address: '127.0.0.1', way: 'password' })}` } }
  }

  async function user({
    role = 1,
    status = 1,
    quota = 1_000_000,
    groups = 'default',
    password = 'a good password',
  }: UserOptions = {}): Promise<TestUser> {
    count += 1
    const username = `user${count}`
    const { id } = await db
      .insertInto('users')
      .values({
        username,
        display_name: `User ${count}`,
        password_hash: await Bun.password.hash(password, { algorithm: 'argon2id', ...passwordCost }),
        role,
        status: 1,
        groups,
        access_token_lookup: null,
        created_time: 0,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    if (quota > 0) await app.ledger.post({ userId: id, kind: 'grant', ref: `test:${id}`, amount: quota })
    const session = await signIn(id)
    if (status !== 1) await db.updateTable('users').set({ status }).where('id', '=', id).execute()
    return { id, username, password, ...session }
  }

  async function token(owner: TestUser, options: TokenOptions = {}): Promise<{ id: number; key: string }> {
    const {
      remain = 500_000,
      isUnlimited = false,
      models = '',
      subnet = '',
      expiredTime = -1,
      status = 1,
      limits = {},
      ownWorkOnly = false,
    } = options
    const key = randomBase62(48)
    const lookup = seal.lookup(key, 'token')
    const { id } = await db
      .insertInto('tokens')
      .values({
        user_id: owner.id,
        key_lookup: lookup,
        key_sealed: seal.seal(key, `token:${lookup}`),
        name: `token${count++}`,
        status,
        created_time: 0,
        accessed_time: 0,
        expired_time: expiredTime,
        remain_quota: remain,
        unlimited_quota: isUnlimited ? 1 : 0,
        models,
        subnet,
        own_work_only: ownWorkOnly ? 1 : 0,
        ...limits,
      })
      .returning('id')
      .executeTakeFirstOrThrow()
    return { id, key: `sk-${key}` }
  }

  async function channel(options: ChannelOptions = {}): Promise<number> {
    const {
      type = 1,
      models = 'gpt-4o-mini',
      groups = 'default',
      priority = 0,
      weight = 0,
      baseUrl = upstream.url,
      mapping,
      key = 'upstream-key',
      config,
      other = '',
    } = options
    const { contract } = await import('@sluice/contract')
    const model_mapping = mapping === undefined ? '' : JSON.stringify(mapping)
    await data(contract.channel.create, {
      name: `channel${count++}`,
      type,
      key,
      base_url: baseUrl,
      models,
      group: groups,
      priority,
      weight,
      model_mapping,
      config: config === undefined ? '' : JSON.stringify(config),
      other,
      // Tests are about channels as they were before these settings, unless they set them.
      content_of_key: true,
      ...(type === 43 && { proxy_methods: 'GET,POST,PUT,PATCH,DELETE', proxy_paths: '/' }),
    })
    const row = await db.selectFrom('channels').select('id').orderBy('id', 'desc').executeTakeFirstOrThrow()
    return row.id
  }

  async function accessToken({ id }: TestUser): Promise<Session> {
    const token = randomBase62(43)
    await db
      .updateTable('users')
      .set({ access_token_lookup: seal.lookup(token, 'access-token'), access_token_used_time: nowSeconds(clock ?? systemClock) })
      .where('id', '=', id)
      .execute()
    return { headers: { authorization: token } }
  }

  async function personalToken({ id }: TestUser, scopes: readonly string[], expiredTime = -1): Promise<Session> {
    const token = `${accessTokenPrefix}${randomBase62(43)}`
    const lookup = seal.lookup(token, 'personal-token')
    const row = {
      user_id: id,
      lookup,
      name: 'test',
      scopes: scopes.join(','),
      created_time: 0,
      expired_time: expiredTime,
      used_time: nowSeconds(clock ?? systemClock),
    }
    await db.insertInto('access_tokens').values(row).execute()
    return { headers: { authorization: `Bearer ${token}` } }
  }

  const root: TestUser = keepsDefaultPassword
    ? { id: 1, username: 'root', password: '123456', ...nobody }
    : { id: 1, username: 'root', password: rootPassword, ...(await signIn(1)) }

  return {
    url,
    app,
    upstream,
    seal,
    root,
    make: { user, token, channel, accessToken, personalToken },
    call,
    data,
    request: (path, init) => fetch(`${url}${path}`, { keepalive, ...init }),
    async inconsistencies() {
      await app.ledger.drain()
      const { checks } = await verify(db, { withLogs: true })
      return checks.flatMap(({ broken }) => broken)
    },
    async close() {
      await upstream.close()
      await app.stop()
      await database.drop()
      rmSync(dataDir, { recursive: true, force: true })
    },
  }
}

async function storeOptions(env: Env, options: Readonly<Record<string, string>>): Promise<void> {
  const store = await connectStore(storePlace(env), { report: (what, error) => console.error(what, error) })
  const rows = Object.entries(options).map(([key, value]) => ({ key, value, set_by_role: 100 }))
  await store.db.insertInto('options').values(rows).execute()
  await store.close()
}
