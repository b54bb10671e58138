import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { contract } from '@sluice/contract'
import type { ChannelTestTable, LogTable } from '../../apps/server/src/db/schema.ts'
import { filesIn, loadConsole } from '../../apps/server/src/http/console-files.ts'
import { type TestApp, type TestUser, testApp } from '../../apps/server/test/app.ts'
import { chatResponse, chatStream, json, type Received, type Script } from '../../apps/server/test/fake-upstream.ts'
import type { OidcServer } from '../../apps/server/test/oidc-server.ts'
import { type OutsideServices, type Person, startOutsideServices } from '../../apps/server/test/outside-services.ts'
import { formsOf, responseAs } from './channel-vendors.ts'
import { type Publication, type Published, publish } from './published.ts'
import { acceptCharges, refuseCharges } from './set-asides.ts'
import { insertTask, type TaskToInsert } from './task-rows.ts'
import { startVideoVendor, type VideoState } from './video-vendor.ts'

// Runs under Bun, one for each worker: starts real servers for the tests, which run under Node. Each has its own port, database and
// scripted upstream.

const folder = process.env['E2E_CONSOLE'] ?? join(import.meta.dir, '../../apps/console/dist')
const consoleFiles = await loadConsole(filesIn(folder))
const apps = new Map<string, TestApp>()
const outside = new Map<TestApp, OutsideServices>()
const authorized = new Map<TestApp, (request: Received) => boolean>()
const openIdProviders = new Map<TestApp, OidcServer>()
const publishedApps = new Map<TestApp, Published>()
const videoVendors = new Map<TestApp, (state: VideoState) => void>()

export interface OpenOptions {
  readonly keepsDefaultPassword?: boolean
  /** Root has no password yet, and logs in by the link that the start prints. */
  readonly hasSetupLink?: boolean
  /** Mail, GitHub, Lark, WeChat and the bot check are servers on loopback, and set up in the options. */
  readonly hasServices?: boolean
  readonly storedOptions?: Readonly<Record<string, string>> | null
  /** Origins of consoles that are served elsewhere. */
  readonly consoleOrigins?: readonly string[]
  /** Path below which a proxy publishes the server. */
  readonly basePath?: string
  /** Proxies on this machine are trusted. */
  readonly isBehindProxy?: boolean
}

/** @throws Error if the test did not ask for services */
function servicesOf(app: TestApp): OutsideServices {
  const services = outside.get(app)
  if (services === undefined) throw new Error('this server has no services: use `hasServices`')
  return services
}

/** Columns of a channel that no call of the management API sets. */
interface ChannelRow {
  readonly id: number
  readonly name?: string
  readonly status?: number
  readonly response_time?: number
  readonly test_time?: number
  readonly balance?: number
  readonly balance_updated_time?: number
  readonly created_time?: number
  readonly type?: number
  readonly base_url?: string
  readonly models?: string
  readonly groups?: string
  readonly key_sealed?: string
  readonly config_sealed?: string
  readonly settings_sealed?: string
}

interface UserRow {
  readonly id: number
  readonly username?: string
  readonly display_name?: string
  readonly groups?: string
  readonly email?: string
  readonly inviter_id?: number
  readonly github_id?: string
  readonly status?: number
  readonly used_quota?: number
  readonly request_count?: number
}

interface TokenRow {
  readonly id: number
  readonly name?: string
  readonly models?: string
  readonly status?: number
  readonly used_quota?: number
  readonly remain_quota?: number
  readonly created_time?: number
  readonly expired_time?: number
}

interface RedemptionRow {
  readonly id: number
  readonly name?: string
  readonly status?: number
  readonly created_time?: number
  readonly redeemed_time?: number
  readonly expired_time?: number
}

interface Agreement {
  readonly provider: 'github' | 'lark'
  readonly person: Person
  readonly challenge: string
}

/** Rows of one statement, below the most parameters that it may have. */
const copiedAtOnce = 1_000

/** Commands of tests to their server, in addition to its API. */
const commands = {
  user: (app: TestApp, options: Parameters<TestApp['make']['user']>[0]) => app.make.user(options),
  channel: (app: TestApp, options: Parameters<TestApp['make']['channel']>[0]) => app.make.channel(options),
  logs: async ({ app }: TestApp, rows: readonly Omit<LogTable, 'id'>[]) => {
    await app.store.db
      .insertInto('logs')
      .values([...rows])
      .execute()
    return null
  },
  userRow: async ({ app }: TestApp, { id, ...row }: UserRow) => {
    await app.store.db.updateTable('users').set(row).where('id', '=', id).execute()
    return null
  },
  channelRow: async ({ app }: TestApp, { id, ...row }: ChannelRow) => {
    await app.store.db.updateTable('channels').set(row).where('id', '=', id).execute()
    return null
  },
  /** Creates tokens of one account with these names, without the checks of the form. */
  tokens: async ({ make, app }: TestApp, { owner, names }: { readonly owner: TestUser; readonly names: readonly string[] }) => {
    const ids: number[] = []
    for (const name of names) {
      const { id } = await make.token(owner)
      await app.store.db.updateTable('tokens').set({ name }).where('id', '=', id).execute()
      ids.push(id)
    }
    return ids
  },
  /** Copies a token until its owner has this many more, named `token 1` and so on: their keys are of no use. */
  manyTokens: async ({ make, app, seal }: TestApp, { owner, count }: { readonly owner: TestUser; readonly count: number }) => {
    const { id } = await make.token(owner)
    const { id: _, ...row } = await app.store.db.selectFrom('tokens').selectAll().where('id', '=', id).executeTakeFirstOrThrow()
    for (let first = 1; first <= count; first += copiedAtOnce) {
      const length = Math.min(copiedAtOnce, count - first + 1)
      const copies = Array.from({ length }, (_unused, nth) => {
        const key_lookup = `copy ${first + nth}`
        return { ...row, key_lookup, key_sealed: seal.seal(`${first + nth}`, `token:${key_lookup}`), name: `token ${first + nth}` }
      })
      await app.store.db.insertInto('tokens').values(copies).execute()
    }
    return null
  },
  tokenRow: async ({ app }: TestApp, { id, ...row }: TokenRow) => {
    await app.store.db.updateTable('tokens').set(row).where('id', '=', id).execute()
    return null
  },
  redemptionRow: async ({ app }: TestApp, { id, ...row }: RedemptionRow) => {
    await app.store.db.updateTable('redemptions').set(row).where('id', '=', id).execute()
    return null
  },
  channelTests: async ({ app }: TestApp, rows: readonly Omit<ChannelTestTable, 'id'>[]) => {
    await app.store.db
      .insertInto('channel_tests')
      .values([...rows])
      .execute()
    return null
  },
  /** Tasks as they were left, without their reservations; nothing asks about them. */
  tasks: async (app: TestApp, rows: readonly TaskToInsert[]) => {
    for (const row of rows) await insertTask(app, row)
    return null
  },
  refuseCharges,
  acceptCharges,
  script: async ({ upstream }: TestApp, scripts: readonly Script[]) => {
    upstream.script(...scripts)
    return null
  },
  /** Lets the upstream make videos, and sets how far those are that have not ended. */
  videos: async (app: TestApp, state: VideoState) => {
    const set = videoVendors.get(app) ?? startVideoVendor(app)
    videoVendors.set(app, set)
    set(state)
    return null
  },
  /** What the form of a channel is filled with, for each type of a group. */
  forms: async (app: TestApp, group: string) => formsOf(group, app),
  /** Lets the upstream respond like the vendor of a type. */
  vendor: async (app: TestApp, type: number) => {
    authorized.set(app, responseAs(app, type))
    return null
  },
  /** Whether the latest request carried the channel's key as the vendor wants it. */
  wasAuthorized: async (app: TestApp, _: null) => {
    const last = app.upstream.received.at(-1)
    return last !== undefined && authorized.get(app)?.(last) === true
  },
  release: async ({ upstream }: TestApp, name: string) => {
    upstream.release(name)
    return null
  },
  received: async ({ upstream }: TestApp, _: null) =>
    upstream.received.map(({ method, path, headers, body }) => ({ method, path, headers, body })),
  inconsistencies: (app: TestApp, _: null) => app.inconsistencies(),
  /** Waits for the mail of this number, from 0. */
  mail: async (app: TestApp, number: number) => (await servicesOf(app).mail.mail(number)).text,
  /** What the message pusher got last. */
  pushed: async (app: TestApp, _: null) => servicesOf(app).pusher.received.at(-1)?.body ?? '',
  /** The next response for the latest release. */
  nextRelease: async (app: TestApp, envelope: Readonly<Record<string, string>>) => {
    servicesOf(app).releases.responseNext(() => Response.json(envelope))
    return null
  },
  /** What a service gives to a person who agrees to a login. */
  oauthCode: async (app: TestApp, { provider, person, challenge }: Agreement) => servicesOf(app)[provider].codeFor(person, challenge),
  /** Publishes the server below a path by a real nginx. @returns the address there. @throws if the machine has no nginx */
  publish: async (app: TestApp, publication: Publication) => {
    const published = await publish(app.url, publication)
    publishedApps.set(app, published)
    return published.url
  },
  /** Starts an OpenID provider, and sets it up in the options. @returns its address */
  openIdProvider: async (app: TestApp, name: string) => {
    // Only here: the provider's code is large, and warns when it is loaded.
    const { startOidcServer } = await import('../../apps/server/test/oidc-server.ts')
    const client = { id: 'sluice', secret: 'the secret of the client' }
    const address = publishedApps.get(app)?.url ?? app.url
    const { issuer, ...provider } = await startOidcServer({ ...client, redirect: `${address}/oauth/oidc` })
    openIdProviders.set(app, { issuer, ...provider })
    const options = { OidcName: name, OidcIssuer: issuer, OidcClientId: client.id, OidcClientSecret: client.secret, OidcEnabled: 'true' }
    for (const [key, value] of Object.entries({ ServerAddress: address, ...options })) {
      await app.data(contract.option.update, { key, value })
    }
    return issuer
  },
  /** Whom the WeChat server knows by a code. */
  wechatCode: async (app: TestApp, { code, id }: { readonly code: string; readonly id: string }) => {
    servicesOf(app).wechatOwners[code] = id
    return null
  },
  /** Logins of an account longer ago than what may change its credentials. */
  agedSessions: async ({ app }: TestApp, userId: number) => {
    await app.store.db
      .updateTable('sessions')
      .set((build) => ({ created_at: build('created_at', '-', 3_600) }))
      .where('user_id', '=', userId)
      .execute()
    return null
  },
} as const

export type Commands = typeof commands

/** Responds like a vendor, with a stream if the request wants one. */
function envelope({ body }: Received): Script {
  return /"stream"\s*:\s*true/.test(body) ? chatStream(['Hello', ' from', ' upstream']) : json(chatResponse())
}

async function open({
  hasServices = false,
  hasSetupLink = false,
  consoleOrigins = [],
  basePath = '',
  isBehindProxy = false,
  storedOptions,
  ...options
}: OpenOptions) {
  const services = hasServices ? await startOutsideServices() : null
  const { addresses: outsideAddresses = {}, env: ofServices = {} } = services ?? {}
  const initial = hasSetupLink ? { INITIAL_ROOT_PASSWORD: '' } : {}
  const proxies = isBehindProxy ? { TRUSTED_PROXIES: '127.0.0.1' } : {}
  const env = { ...ofServices, ...initial, ...proxies, CONSOLE_ORIGINS: consoleOrigins.join(','), BASE_PATH: basePath }
  const app = await testApp({ ...options, consoleFiles, outsideAddresses, env, ...(storedOptions && { storedOptions }) })
  if (services !== null) {
    outside.set(app, services)
    await services.setUp(app)
  }
  app.upstream.fallback(envelope)
  const id = randomUUID()
  apps.set(id, app)
  return { id, url: app.url, upstreamUrl: app.upstream.url, root: app.root, startLines: app.app.startLines }
}

export type Opened = Awaited<ReturnType<typeof open>>

async function close(id: string): Promise<null> {
  const app = apps.get(id)
  apps.delete(id)
  if (app === undefined) return null
  videoVendors.delete(app)
  authorized.delete(app)
  await app.close()
  await outside.get(app)?.close()
  outside.delete(app)
  await openIdProviders.get(app)?.close()
  openIdProviders.delete(app)
  await publishedApps.get(app)?.close()
  publishedApps.delete(app)
  return null
}

async function run(id: string, name: string, input: unknown): Promise<unknown> {
  // Holds: `gateway.ts` sends only commands with the types of this file.
  if (name === 'open') return await open(input as OpenOptions)
  if (name === 'close') return await close(id)
  const app = apps.get(id)
  const command = Object.entries(commands).find(([known]) => known === name)?.[1]
  if (app === undefined || command === undefined) throw new Error(`no server ${id} or no command ${name}`)
  // Holds for the same reason: `gateway.ts` types a command's name and input together.
  return await (command as (app: TestApp, input: unknown) => Promise<unknown>)(app, input)
}

const door = Bun.serve({
  port: 0,
  hostname: '127.0.0.1',
  async fetch(request) {
    const [, id = '', name = ''] = new URL(request.url).pathname.split('/')
    try {
      return Response.json({ data: await run(id, name, await request.json()) })
    } catch (error) {
      return Response.json({ error: error instanceof Error ? (error.stack ?? error.message) : String(error) })
    }
  },
})
console.log(`door: ${door.port}`)
