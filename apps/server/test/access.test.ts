import { afterAll, beforeAll, describe, expect, test } from 'bun:test'
import { callScopes, contract, type Endpoint, en, type MessageKey, nounScopes, separateScopes } from '@sluice/contract'
import { nobody, type Session, type TestApp, type TestUser, testApp } from './app.ts'
import { endpoints, envelopeText, sendRaw, stored } from './endpoints.ts'
import { targets } from './targets.ts'

let app: TestApp
beforeAll(async () => {
  // What an option shows to visitors is shown, so that the rows of the contract say who may see it.
  app = await testApp({ storedOptions: { PublicModelsEnabled: 'true', StatusPageEnabled: 'true' } })
})
afterAll(() => app.close())

/** Whether the check of access refuses a caller, and with which response. */
type Outcome = 'let in' | { readonly status: number; readonly says: MessageKey }
const visitorRefused: Outcome = { status: 401, says: 'not_logged_in' }
const tokenRefused: Outcome = { status: 401, says: 'access_token_invalid' }
const bothRefused: Outcome = { status: 200, says: 'session_and_token_invalid' }
const bannedRefused: Outcome = { status: 200, says: 'user_banned' }
const tooLow: Outcome = { status: 200, says: 'permission_denied' }
const sessionNeeded: Outcome = { status: 200, says: 'session_required' }
const factorNeeded: Outcome = { status: 200, says: 'second_factor_required' }
const scopeLacks: Outcome = { status: 200, says: 'scope_missing' }

interface Actor {
  readonly who: string
  /** Role of the account; `null` = there is none. */
  readonly role: number | null
  /** The refusal of this actor whatever its role. */
  readonly refused?: Outcome
  /** An access token: calls that need a session refuse it. */
  readonly isToken?: boolean
  /** Whether a personal access token of the actor includes the scope of a call. Missing = no token with scopes. */
  readonly includes?: (scope: string) => boolean
  readonly signIn: () => Promise<Session>
}

/** A caller, and what must become of its call. */
interface Visit {
  readonly who: string
  readonly outcome: Outcome
  readonly as: Session
}

const roleNeeded = { public: 0, user: 1, admin: 10, root: 100 } as const

async function withStatus(status: number): Promise<Session> {
  const user = await app.make.user({ role: 100 })
  await app.app.store.db.updateTable('users').set({ status }).where('id', '=', user.id).execute()
  return user
}

async function expired(column: 'seen_at' | 'created_at'): Promise<Session> {
  const user = await app.make.user({ role: 100 })
  await app.app.store.db
    .updateTable('sessions')
    .set({ [column]: 1 })
    .where('user_id', '=', user.id)
    .execute()
  return user
}

const withToken = async (role: number): Promise<Session> => app.make.accessToken(await app.make.user({ role }))
const refusedToken = (authorization: string) => async (): Promise<Session> => ({ headers: { authorization } })

const staleConsole = async (): Promise<Session> => ({ headers: { cookie: 'session=x', authorization: 'Bearer nonsense' } })

/** All kinds of callers. Created anew for each call, because some calls end the session or the account of their caller. */
const actors: readonly Actor[] = [
  { who: 'a visitor', role: null, refused: visitorRefused, signIn: async () => nobody },
  { who: 'an ordinary user', role: 1, signIn: () => app.make.user() },
  { who: 'an admin', role: 10, signIn: () => app.make.user({ role: 10 }) },
  { who: 'a root user', role: 100, signIn: () => app.make.user({ role: 100 }) },
  { who: 'the access token of an ordinary user', role: 1, isToken: true, signIn: () => withToken(1) },
  { who: 'the access token of an admin', role: 10, isToken: true, signIn: () => withToken(10) },
  { who: 'the access token of a root user', role: 100, isToken: true, signIn: () => withToken(100) },
  ...personalTokens(1, ['all']),
  ...personalTokens(10, ['all']),
  ...personalTokens(100, ['all'], ['read'], ['nothing:read']),
  { who: 'a personal access token that has expired', role: null, refused: tokenRefused, signIn: () => withPersonal(100, ['all'], 1) },
  { who: 'a banned root user', role: 100, refused: bannedRefused, signIn: () => withStatus(2) },
  { who: 'a deleted root user', role: 100, refused: bannedRefused, signIn: () => withStatus(3) },
  { who: 'a session that was unused for too long', role: 100, refused: visitorRefused, signIn: () => expired('seen_at') },
  { who: 'a session that is too old', role: 100, refused: visitorRefused, signIn: () => expired('created_at') },
  { who: 'an unknown session', role: null, refused: visitorRefused, signIn: async () => ({ headers: { cookie: 'session=x' } }) },
  { who: 'an unknown access token', role: null, refused: tokenRefused, signIn: refusedToken('Bearer nonsense') },
  { who: 'SQL as an access token', role: null, refused: tokenRefused, signIn: refusedToken("' OR 1=1 --") },
  { who: 'an unknown session and an unknown access token', role: null, refused: bothRefused, signIn: staleConsole },
  { who: 'the key of an API token', role: null, refused: tokenRefused, signIn: async () => apiToken() },
]

async function withPersonal(role: number, scopes: readonly string[], expiredTime?: number): Promise<Session> {
  return await app.make.personalToken(await app.make.user({ role }), scopes, expiredTime)
}

function personalTokens(role: number, ...lists: ReadonlyArray<readonly string[]>): readonly Actor[] {
  return lists.map((scopes) => ({
    who: `a personal access token for ${scopes.join(' and ')} of role ${role}`,
    role,
    isToken: true,
    includes: (scope) =>
      (scopes.includes('all') && !separateScopes.some((separate) => separate === scope)) ||
      (scopes.includes('read') && scope.endsWith(':read')),
    signIn: () => withPersonal(role, scopes),
  }))
}

/** An API token is for the relay only, never for the management API. */
async function apiToken(): Promise<Session> {
  const { key } = await app.make.token(await app.make.user({ role: 100 }))
  return { headers: { authorization: `Bearer ${key}` } }
}

function outcomeFor({ role, refused, isToken = false, includes = () => true }: Actor, endpoint: Endpoint): Outcome {
  const { access, needsSession, knowsCaller } = endpoint
  // Whoever is refused elsewhere is a visitor here.
  if (access === 'public' && (!knowsCaller || refused !== undefined)) return 'let in'
  if (refused !== undefined) return refused
  if ((role ?? 0) < roleNeeded[access]) return tooLow
  if (needsSession && isToken) return sessionNeeded
  return includes(callScopes.get(endpoint) ?? '') ? 'let in' : scopeLacks
}

/** Messages that only the check of access sends. */
const doorSays: readonly string[] = [
  en.not_logged_in,
  en.access_token_invalid,
  en.session_and_token_invalid,
  en.user_banned,
  en.permission_denied,
  en.second_factor_required,
]

/** The text of a refusal; `scope` is the one that the call needs. */
const textOf = ({ says }: Exclude<Outcome, 'let in'>, scope = ''): string => en[says].replace('{scope}', scope)

describe('access to a call', () => {
  test('is tested for every call: each has a row in targets.ts', () => {
    const names = endpoints.map(([name]) => name)
    const silent = names.filter((name) => !Object.hasOwn(targets, name))
    // If a call has no row in targets.ts: add the row that says on whom or what it acts.
    expect({ silent, stale: Object.keys(targets).filter((name) => !names.includes(name)) }).toEqual({ silent: [], stale: [] })
  })

  for (const [name, endpoint] of endpoints) {
    test(`${name} (${endpoint.access}) is open to these callers only, and a refused call changes nothing`, async () => {
      const visits: Visit[] = []
      for (const actor of actors) visits.push({ who: actor.who, outcome: outcomeFor(actor, endpoint), as: await actor.signIn() })
      // The store is compared once for all refused callers: reading it whole takes most of the time of this test.
      const before = await stored(app, ['sessions'])
      for (const { who, outcome, as } of visits) {
        if (outcome === 'let in') continue
        const message = textOf(outcome, callScopes.get(endpoint))
        const response = await sendRaw(app, endpoint, { as })
        expect([who, response.status, await response.json()]).toEqual([who, outcome.status, { success: false, message }])
      }
      expect(await stored(app, ['sessions'])).toEqual(before)
      for (const { who, outcome, as } of visits) {
        if (outcome !== 'let in') continue
        const response: { readonly message?: unknown } = JSON.parse(await envelopeText(await sendRaw(app, endpoint, { as })))
        expect([who, doorSays.includes(String(response.message))]).toEqual([who, false])
        expect([who, String(response.message).startsWith(textOf(scopeLacks))]).toEqual([who, false])
      }
    })
  }
})

describe('a personal access token', () => {
  for (const [name, endpoint] of endpoints) {
    const needed = callScopes.get(endpoint)
    if (needed === undefined) continue
    test(`opens ${name} with the scope ${needed} alone, and not with all others together`, async () => {
      const role = Math.max(roleNeeded[endpoint.access], 1)
      const writes = needed.replace(':read', ':write')
      const others = nounScopes.filter((scope) => scope !== needed && scope !== writes)
      const says = async (scopes: readonly string[]) => {
        const as = await withPersonal(role, scopes)
        const response: { readonly message?: unknown } = JSON.parse(await envelopeText(await sendRaw(app, endpoint, { as })))
        return String(response.message)
      }
      expect(await says(others)).toBe(textOf(scopeLacks, needed))
      for (const scopes of [[needed], [writes]]) expect(await says(scopes)).not.toBe(textOf(scopeLacks, needed))
    })
  }

  test('of an account without administrators’ rights has none with any scope', async () => {
    for (const [, endpoint] of endpoints.filter(([, { access }]) => access === 'admin' || access === 'root')) {
      const response = await sendRaw(app, endpoint, { as: await withPersonal(1, ['all']) })
      expect(await response.json()).toEqual({ success: false, message: en.permission_denied })
    }
  })
})

describe('where administrators need a second factor', () => {
  test('one without may make no call of administrators, by session or token, and one with may', async () => {
    const own = await testApp({ storedOptions: { AdminSecondFactorRequired: 'true' } })
    try {
      const [bare, safe] = [await own.make.user({ role: 10 }), await own.make.user({ role: 10 })]
      await own.app.store.db.insertInto('second_factors').values({ user_id: safe.id, is_on: 1 }).execute()
      const calls = endpoints.filter(([, { access, method }]) => access === 'admin' && method === 'GET')
      expect(calls.length).toBeGreaterThan(20)
      for (const [name, endpoint] of calls) {
        for (const as of [bare, await own.make.accessToken(bare), await own.make.personalToken(bare, ['all'])]) {
          expect([name, await (await sendRaw(own, endpoint, { as })).json()]).toEqual([
            name,
            { success: false, message: textOf(factorNeeded) },
          ])
        }
        expect([name, await envelopeText(await sendRaw(own, endpoint, { as: safe }))]).not.toContain(textOf(factorNeeded))
      }
      expect((await sendRaw(own, contract.account.self, { as: bare })).status).toBe(200)
    } finally {
      await own.close()
    }
  })
})

describe('the target of a call', () => {
  for (const [name, endpoint] of endpoints) {
    const target = targets[name]
    if (target?.on === 'token') {
      test(`${name} acts on the caller's own tokens only, whatever the caller's role`, async () => {
        const owner = await app.make.user()
        for (const role of [1, 10, 100]) {
          const { id } = await app.make.token(owner)
          const stranger = await app.make.user({ role })
          const before = await stored(app, ['sessions'])
          const response = await sendRaw(app, endpoint, { as: stranger, input: target.input(id) })
          expect([role, await response.json()]).toMatchObject([role, { success: false }])
          expect([role, await stored(app, ['sessions'])]).toEqual([role, before])
        }
        const { id } = await app.make.token(owner)
        const response = await sendRaw(app, endpoint, { as: owner, input: target.input(id) })
        expect(await response.json()).toMatchObject({ success: true })
      })
    }
    if (target?.on === 'account') {
      test(`${name} acts only on accounts of a lower role than the caller's`, async () => {
        for (const actorRole of [10, 100]) {
          for (const targetRole of [1, 10, 100]) {
            const [as, other] = [await app.make.user({ role: actorRole }), await app.make.user({ role: targetRole })]
            await app.make.accessToken(other)
            const isRootOnRoot = actorRole === 100 && targetRole === 100 && target.rootOnRoot
            await expectActs(endpoint, { as, input: target.input(other), may: actorRole > targetRole || isRootOnRoot })
          }
          const self = await app.make.user({ role: actorRole })
          await expectActs(endpoint, { as: self, input: target.input(self), may: actorRole === 100 && target.rootOnRoot })
        }
      })
    }
  }
})

describe("a call about the caller's own account", () => {
  const own = endpoints.filter(([name, { method, sideEffect }]) => targets[name]?.on === 'caller' && method === 'GET' && !sideEffect)

  for (const [name, endpoint] of own) {
    test(`${name} gives the same response if the query names another account`, async () => {
      await app.make.token(app.root)
      const ann = await app.make.user()
      await app.make.token(ann)
      const plain = await envelopeText(await sendRaw(app, endpoint, { as: ann }))
      const query = 'id=1&user_id=1&userId=1&username=root&owner=1&role=100&channel=1&all=true'
      expect(await envelopeText(await sendRaw(app, endpoint, { as: ann, query }))).toEqual(plain)
    })
  }
})

interface Act {
  readonly as: TestUser
  readonly input: Readonly<Record<string, unknown>>
  readonly may: boolean
}

async function expectActs(endpoint: Endpoint, { as, input, may }: Act): Promise<void> {
  const before = await stored(app, ['sessions'])
  const response = await (await sendRaw(app, endpoint, { as, input })).json()
  expect([input, response]).toMatchObject([input, { success: may }])
  if (!may) expect(await stored(app, ['sessions'])).toBe(before)
}
