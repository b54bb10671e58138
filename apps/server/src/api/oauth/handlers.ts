import { createHash, randomBytes } from 'node:crypto'
import { contract, type DataOf, type OidcService, oidcServices, type Settings, userStatus } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { isUniqueViolation } from '../../db/unique-violation.ts'
import { AppError } from '../../lib/app-error.ts'
import { clientKey } from '../../lib/cidr.ts'
import { randomBase62 } from '../../lib/id.ts'
import type { Seal } from '../../lib/seal.ts'
import type { Audit } from '../audit.ts'
import { authorizeReauthentication, needsConfirmedWays } from '../authorize.ts'
import { type Caller, implement, type Visit } from '../implement.ts'
import { checkLoginRules, checkMayRegister, type IdentityFacts } from './login-rules.ts'
import { isWithoutAddress, type Provider, providers } from './providers.ts'
import { findByIdentity, type IdentityColumn, setIdentity } from './queries.ts'
import { createUnbind } from './unbind.ts'

/** What a service gave the browser for a login. */
interface LoginGrant {
  readonly code: string
  /** PKCE; empty if the login began without a challenge. */
  readonly verifier: string
  readonly consoleOrigin: string | null
  /** For OpenID Connect: the state and the nonce of the login, and the issuer that the provider named beside the code. */
  readonly state: string
  readonly nonce: string
  readonly issuer: string
}

/** An identity as a login service reports it. */
interface Identity {
  readonly id: string
  /** The present login name at the service; empty = none. */
  readonly loginName: string
  readonly name: string
  readonly facts?: IdentityFacts
}

/** Of services without rules. */
const noFacts: IdentityFacts = { mails: [], hostedDomain: '', organizations: [], groups: [] }

type LoginUser = DataOf<typeof contract.account.login>

/** Single-use codes. */
interface Codes {
  issue(code: {
    readonly purpose: 'oauth'
    readonly address: string
    readonly secret: string
    readonly userId: number
    readonly detail: string
  }): Promise<string>
  check(purpose: 'oauth', address: string, secret: string): Promise<{ userId: number; detail: string } | null>
  count(key: string, limit: { readonly max: number; readonly seconds: number }): Promise<number>
}

export interface OauthDeps {
  readonly db: Db
  readonly seal: Seal
  readonly settings: () => Settings
  readonly codes: Codes
  readonly identify: Readonly<Record<keyof typeof providers, (grant: LoginGrant) => Promise<Identity>>>
  /** The address of a provider's page for a login. @throws AppError when the provider's metadata cannot be fetched */
  readonly authorize: Readonly<Record<OidcService, (login: BegunLogin) => Promise<string>>>
  /** Whether no setting of this login service waits for confirmation by root. */
  readonly isConfirmed: (way: keyof typeof providers) => boolean
  /** Uses up a code that was mailed to an address for a signed-in account. @throws AppError */
  readonly spendMailCode: (account: Caller, email: string, code: string) => Promise<void>
  /** @throws AppError when the bot check is on and not passed */
  readonly checkHuman: (token: string, address: string) => Promise<void>
  /** Creates an ordinary account. @throws AppError identity_taken */
  readonly createAccount: (account: NewAccount) => Promise<unknown>
  readonly audit: Audit
  readonly changed: (userId: number) => void
  /** Begins a session, or two-factor authentication. @throws AppError two_factor_login_required */
  readonly signIn: (user: LoginUser, visit: Visit, way: string) => Promise<LoginUser>
}

/** A login that begins. */
interface BegunLogin {
  readonly state: string
  readonly nonce: string
  readonly challenge: string
  readonly consoleOrigin: string | null
}

/** Has no password, and not the mail address that the service reports, because we have not verified it. */
interface NewAccount {
  readonly username: string
  readonly displayName: string
  readonly passwordHash: ''
  readonly email: ''
  readonly inviteCode: ''
  readonly identity: { readonly [Column in IdentityColumn]?: string }
}

/** The caller and the visit of a callback. */
interface CallbackContext {
  readonly caller: Caller | null
  readonly visit: Visit
}

/** Services that send the browser back with a code and the state. */
type CallbackName = 'github' | 'lark' | OidcService

interface CallbackInput {
  readonly code: string
  readonly state: string
  readonly iss?: string
}

/** A state and the cookie that it is bound to: 131 bits each. */
const stateLength = 22

/** Random characters behind `github_` in a username: 47 bits. */
const nameLength = 8
const displayNameMax = 64

/** WeChat codes have six digits and log in their holder: few guesses for each client, and few for all clients together. */
const wechatLimits = {
  byClient: { max: 5, seconds: 60 },
  byAll: { max: 60, seconds: 60 },
  /** Beyond this, the bot check is required if it is on. */
  unchecked: { max: 3, seconds: 600 },
} as const

export const oauthApi = (deps: OauthDeps) => {
  const { db, seal, settings, codes, identify } = deps

  /** The PKCE verifier (RFC 7636). It is derived from the state with the server's key, so it need not be stored. */
  const verifierOf = (state: string): string => seal.lookup(state, 'pkce')
  const challengeOf = (state: string): string => createHash('sha256').update(verifierOf(state)).digest('base64url')
  /** What the identity token of this login must contain, derived likewise. */
  const nonceOf = (state: string): string => seal.lookup(state, 'nonce')

  /** @throws AppError oauth_disabled */
  function checkOn(name: keyof typeof providers): void {
    if (!providers[name].isOn(settings())) throw new AppError('oauth_disabled', { params: { service: providers[name].name } })
  }

  /** @throws AppError oauth_disabled, invalid_parameter */
  function checkOpen(name: keyof typeof providers, code: string): void {
    checkOn(name)
    if (code === '') throw new AppError('invalid_parameter', { params: { name: 'code' } })
  }

  /**
   * A console on another site has the address itself.
   * @throws AppError server_address_missing
   */
  function checkAddress(name: keyof typeof providers, { consoleOrigin }: Visit): void {
    if (consoleOrigin === null && isWithoutAddress(providers[name], settings()))
      throw new AppError('server_address_missing', { params: { service: providers[name].name } })
  }

  /**
   * Imported accounts may have a login name in place of the permanent id. Names can be taken over by others, so a name logs nobody in: its
   * owner is shown how to link the account, instead of getting a second one.
   * @throws AppError identity_not_linked
   */
  async function checkNotByName({ name: service, column }: Provider, { loginName }: Identity): Promise<void> {
    // A name of digits only could equal the id of another person.
    if (loginName === '' || /^\d+$/.test(loginName)) return
    if ((await findByIdentity(db, column, loginName)) !== undefined) throw new AppError('identity_not_linked', { params: { service } })
  }

  async function create(way: keyof typeof providers, identity: Identity): Promise<void> {
    const { prefix, displayName, column } = providers[way]
    const { id, name } = identity
    if (!settings().RegisterEnabled) throw new AppError('register_disabled')
    checkMayRegister(ruledLogin(way, identity), settings())
    const nothing = { passwordHash: '', email: '', inviteCode: '' } as const
    await deps
      .createAccount({
        ...nothing,
        username: `${prefix}_${randomBase62(nameLength).toLowerCase()}`,
        displayName: [...name].slice(0, displayNameMax).join('').trim() || displayName,
        identity: { [column]: id },
      })
      // Another window of this person may have created the account at this moment: then that account is used.
      .catch(unlessTaken)
  }

  async function logIn(way: keyof typeof providers, identity: Identity, visit: Visit): Promise<LoginUser> {
    const provider = providers[way]
    let known = await findByIdentity(db, provider.column, identity.id)
    if (known === undefined) {
      await checkNotByName(provider, identity)
      await create(way, identity)
      known = await findByIdentity(db, provider.column, identity.id)
    }
    if (known === undefined || known.status !== userStatus.enabled) throw new AppError('user_banned')
    checkConfirmed(way, known)
    return await deps.signIn(known, visit, way)
  }

  /** @throws AppError login_method_unconfirmed */
  function checkConfirmed(way: keyof typeof providers, account: { readonly role: number }): void {
    if (needsConfirmedWays(account) && !deps.isConfirmed(way))
      throw new AppError('login_method_unconfirmed', { params: { service: providers[way].name } })
  }

  /** @throws AppError identity_taken, email_taken */
  async function bind(userId: number, column: IdentityColumn | 'email', id: string): Promise<void> {
    try {
      await setIdentity(db, userId, { column, id })
    } catch (error) {
      if (!isUniqueViolation(error)) throw error
      throw new AppError(column === 'email' ? 'email_taken' : 'identity_taken', { cause: error })
    }
  }

  /** @throws AppError session_required, reauthentication_required, login_method_unconfirmed */
  function checkMayBind(way: keyof typeof providers, caller: Caller): void {
    checkMayReopen(caller)
    checkConfirmed(way, caller)
  }

  /** Handles a callback. Whether it logs in or binds was decided when the state was issued. */
  async function callBack(name: CallbackName, { code, state, iss = '' }: CallbackInput, { caller, visit }: CallbackContext) {
    const issued = visit.visitorId === null ? null : await codes.check('oauth', state, visit.visitorId)
    // A state for one provider of OpenID Connect is of no use at another (mix-up attacks).
    if (issued === null || !isStateFor(name, issued.detail)) throw new AppError('oauth_state_invalid')
    if (issued.userId !== 0 && caller?.id !== issued.userId) throw new AppError('oauth_state_invalid')
    checkOpen(name, code)
    checkAddress(name, visit)
    if (caller !== null && issued.userId !== 0) checkMayBind(name, caller)
    const verifier = issued.detail === '' ? '' : verifierOf(state)
    const { consoleOrigin } = visit
    const identity = await identify[name]({ code, verifier, consoleOrigin, state, nonce: nonceOf(state), issuer: iss })
    checkLoginRules(ruledLogin(name, identity), settings())
    if (issued.userId === 0) return await logIn(name, identity, visit)
    await bind(issued.userId, providers[name].column, identity.id)
    visit.sayBeside({ message: 'bind' })
    return null
  }

  /** @throws AppError oauth_disabled, send_throttled, turnstile_missing, turnstile_failed */
  async function identifyByWechat(
    { code, turnstile }: { code: string; turnstile: string },
    { address, consoleOrigin }: Visit,
  ): Promise<Identity> {
    checkOpen('wechat', code)
    const client = clientKey(address)
    const wait = (await codes.count(`wechat:${client}`, wechatLimits.byClient)) || (await codes.count('wechat', wechatLimits.byAll))
    if (wait > 0) throw new AppError('send_throttled', { params: { seconds: wait }, retryAfterSeconds: wait })
    if ((await codes.count(`wechat-unchecked:${client}`, wechatLimits.unchecked)) > 0) await deps.checkHuman(turnstile, address)
    return await identify.wechat({ code, verifier: '', consoleOrigin, state: '', nonce: '', issuer: '' })
  }

  const unbind = createUnbind(deps)

  return implement(contract.oauth, {
    async state({ pkce, service }, caller, visit) {
      if (service !== '') {
        checkOn(service)
        checkAddress(service, visit)
      }
      const state = randomBase62(stateLength)
      const visitorId = visit.visitorId ?? randomBytes(16).toString('base64url')
      const hasChallenge = pkce === 'S256'
      await codes.issue({
        purpose: 'oauth',
        address: state,
        secret: visitorId,
        userId: caller?.id ?? 0,
        detail: service === '' ? (hasChallenge ? 'pkce' : '') : service,
      })
      visit.setVisitor(visitorId)
      const challenge = challengeOf(state)
      if (hasChallenge) visit.sayBeside({ code_challenge: challenge })
      if (service !== '') {
        const { consoleOrigin } = visit
        visit.sayBeside({ authorize: await deps.authorize[service]({ state, nonce: nonceOf(state), challenge, consoleOrigin }) })
      }
      return state
    },

    github: (input, caller, visit) => callBack('github', input, { caller, visit }),
    lark: (input, caller, visit) => callBack('lark', input, { caller, visit }),
    google: (input, caller, visit) => callBack('google', input, { caller, visit }),
    oidc: (input, caller, visit) => callBack('oidc', input, { caller, visit }),

    async wechat(input, _caller, visit) {
      return await logIn('wechat', await identifyByWechat(input, visit), visit)
    },

    async bindWechat(input, caller, visit) {
      checkMayBind('wechat', caller)
      const { id } = await identifyByWechat(input, visit)
      await bind(caller.id, 'wechat_id', id)
      return null
    },

    async bindEmail({ email, code }, caller) {
      checkMayReopen(caller)
      await deps.spendMailCode(caller, email, code)
      await bind(caller.id, 'email', email)
      return null
    },

    async unbind({ way }, caller) {
      checkMayReopen(caller)
      await unbind(caller, way)
      return null
    },
  })
}

function ruledLogin(way: keyof typeof providers, { facts = noFacts }: Identity) {
  return { way, service: providers[way].name, facts }
}

/** @throws AppError session_required, reauthentication_required */
function checkMayReopen(caller: Caller): void {
  const refusal = authorizeReauthentication(caller)
  if (refusal !== null) throw new AppError(refusal)
}

function unlessTaken(error: unknown): void {
  if (!(error instanceof AppError && error.code === 'identity_taken')) throw error
}

/** @param detail what the state was issued for */
function isStateFor(name: CallbackName, detail: string): boolean {
  return oidcServices.some((service) => service === name) ? detail === name : detail === '' || detail === 'pkce'
}
