import type { LoginFacts } from '@sluice/contract'
import type { ClientAuth, Configuration } from 'openid-client'
import { AppError } from '../lib/app-error.ts'
import type { Clock } from '../lib/clock.ts'
import type { SendCall } from './call.ts'
import { type Identify, type Identity, type LoginGrant, noFacts, refusedBy } from './identity.ts'
import { createServiceBreaker } from './service-breaker.ts'
import { unreachable } from './unreachable.ts'

// Loaded at the first login: most servers have no such provider.
const library = () => import('openid-client')

/** A login that begins. */
interface BegunLogin {
  readonly state: string
  readonly nonce: string
  readonly challenge: string
  /** Origin of the console to which the provider sends the browser back; `null` = this server's. */
  readonly consoleOrigin: string | null
}

/** The address of the provider's page. @throws AppError service_unreachable, service_response_invalid */
export type Authorize = (login: BegunLogin) => Promise<string>

/** What this server is at a provider. */
interface Client {
  readonly issuer: string
  readonly id: string
  readonly secret: string
}

interface OidcDeps {
  readonly clock: Clock
  readonly name: string
  /** Path of the console's page to which the provider sends the browser back. */
  readonly path: string
  readonly client: () => Client
  readonly idOf: (account: { readonly issuer: string; readonly subject: string }) => string
  readonly send: SendCall
  readonly publicAddress: () => string
  /** What rules about logins need. */
  readonly needed: () => Pick<LoginFacts, 'mails' | 'groups'>
  /** The claim that has the groups. */
  readonly groupsClaim: () => string
}

/** How long what a provider says about itself is used: providers change it rarely. Its signature keys are read anew when one is unknown. */
const discoveryMs = 3_600_000
/** For the name, which is always requested. */
const basicScopes = ['openid', 'profile']
/** Most groups of a person that are read. */
const groupsMax = 1_000
const subjectMax = 255

interface CachedProvider {
  readonly client: Client
  readonly configuration: Configuration
  readonly untilMs: number
}

/**
 * Login by an OpenID provider (OpenID Connect Core 1.0 and Discovery 1.0), in the code flow with PKCE, state and nonce. The signature of the
 * identity token is checked too.
 */
export function createOidc({ clock, name, path, client, idOf, send, publicAddress, needed, groupsClaim }: OidcDeps): {
  readonly authorize: Authorize
  readonly identify: Identify
} {
  const breaker = createServiceBreaker(clock, name)
  let known: CachedProvider | null = null

  /** Every request of the library: through the address check, with a limit of time and size. */
  async function fetchChecked(url: string, { method, headers, body }: LibraryRequest): Promise<Response> {
    const response = await breaker.run(async () => {
      try {
        return await send({ url, method: method === 'POST' ? 'POST' : 'GET', headers, ...bodyOf(body) })
      } catch (cause) {
        throw unreachable(name, cause)
      }
    })
    // The constructor of Response refuses a text with statuses that have none.
    const hasText = ![204, 205, 304].includes(response.status)
    return new Response(hasText ? response.text : null, { status: response.status, headers: { 'content-type': response.type } })
  }

  async function discover(present: Client): Promise<Configuration> {
    const { allowInsecureRequests, ClientSecretBasic, ClientSecretPost, customFetch, discovery, enableNonRepudiationChecks } =
      await library()
    const issuer = new URL(present.issuer)
    const steps = [enableNonRepudiationChecks, ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : [])]
    // The secret is sent in the way that the provider names; without a word of it, by HTTP Basic (Discovery 1.0, section 3).
    const authenticate: ClientAuth = (provider, ...request) => {
      const isPosted = provider.token_endpoint_auth_methods_supported?.includes('client_secret_post') ?? false
      return (isPosted ? ClientSecretPost : ClientSecretBasic)(present.secret)(provider, ...request)
    }
    return await discovery(issuer, present.id, undefined, authenticate, {
      execute: steps,
      [customFetch]: fetchChecked,
    })
  }

  async function configured(): Promise<Configuration> {
    const present = client()
    if (known !== null && known.untilMs > clock.monotonicMs() && Bun.deepEquals(known.client, present)) return known.configuration
    const configuration = await discover(present)
    known = { client: present, configuration, untilMs: clock.monotonicMs() + discoveryMs }
    return configuration
  }

  const redirectAddress = (consoleOrigin: string | null): string => `${consoleOrigin ?? publicAddress()}${path}`

  async function exchange({ code, verifier, consoleOrigin, state, nonce, issuer }: LoginGrant): Promise<Identity> {
    const { authorizationCodeGrant } = await library()
    const configuration = await configured()
    const callbackUrl = new URL(redirectAddress(consoleOrigin))
    callbackUrl.search = String(new URLSearchParams({ code, state, ...(issuer === '' ? {} : { iss: issuer }) }))
    const tokens = await authorizationCodeGrant(configuration, callbackUrl, {
      pkceCodeVerifier: verifier,
      expectedState: state,
      expectedNonce: nonce,
      idTokenExpected: true,
    })
    const claims = tokens.claims()
    // Accounts that a provider does not distinguish would be one account.
    if (claims === undefined || claims.sub.trim() === '' || claims.sub.length > subjectMax)
      throw new AppError('service_response_invalid', { params: { service: name } })
    const sources: Claims[] = [claims]
    if (!isComplete(claims)) sources.push(await userInfo(configuration, tokens.access_token, claims.sub))
    return {
      id: idOf({ issuer: claims.iss, subject: claims.sub }),
      loginName: '',
      name: sources.map(nameIn).find((text) => text !== '') ?? '',
      facts: {
        ...noFacts,
        mails: needed().mails ? sources.flatMap(mailsIn) : [],
        hostedDomain: textIn(claims, 'hd'),
        groups: needed().groups ? sources.flatMap((source) => groupsIn(source[groupsClaim()])) : [],
      },
    }
  }

  /** Whether the identity token has all that is needed. */
  function isComplete(claims: Claims): boolean {
    const { mails, groups } = needed()
    return nameIn(claims) !== '' && (!mails || textIn(claims, 'email') !== '') && (!groups || claims[groupsClaim()] !== undefined)
  }

  /** From the provider's userinfo endpoint. A login does not fail because it returns nothing, unless a rule needs it. */
  async function userInfo(configuration: Configuration, accessToken: string, subject: string): Promise<Claims> {
    if (configuration.serverMetadata().userinfo_endpoint === undefined) return {}
    const { fetchUserInfo } = await library()
    return await fetchUserInfo(configuration, accessToken, subject).catch(() => ({}))
  }

  /** Only what a rule needs is requested. The scope for groups is not standard, so some providers would refuse it. */
  function scopesAt(configuration: Configuration): string {
    const { mails, groups } = needed()
    const hasGroups = configuration.serverMetadata().scopes_supported?.includes('groups') ?? false
    return [...basicScopes, ...(mails ? ['email'] : []), ...(groups && hasGroups ? ['groups'] : [])].join(' ')
  }

  async function addressFor({ state, nonce, challenge, consoleOrigin }: BegunLogin): Promise<string> {
    const { buildAuthorizationUrl } = await library()
    // The library refuses addresses that are not of the web: the browser is sent there.
    const configuration = await configured()
    const address = buildAuthorizationUrl(configuration, {
      ...{ redirect_uri: redirectAddress(consoleOrigin), scope: scopesAt(configuration), state, nonce },
      ...{ code_challenge: challenge, code_challenge_method: 'S256' },
    })
    return address.href
  }

  return {
    authorize: (login) => addressFor(login).catch((error: unknown) => refuse(name, error)),
    identify: (grant) => exchange(grant).catch((error: unknown) => refuse(name, error)),
  }
}

/** A request as the library makes it. */
interface LibraryRequest {
  readonly method: string
  readonly headers: Readonly<Record<string, string>>
  readonly body?: unknown
}

function bodyOf(body: unknown): { readonly body?: string | URLSearchParams } {
  if (body instanceof URLSearchParams || typeof body === 'string') return { body }
  return {}
}

/** The claims of a token, or of a response. */
type Claims = Readonly<Record<string, unknown>>

function textIn(claims: Claims, name: string): string {
  const value = claims[name]
  return typeof value === 'string' ? value : ''
}

/** The address, if the provider says that it has verified it. */
function mailsIn(claims: Claims): readonly string[] {
  const { email, email_verified } = claims
  return typeof email === 'string' && (email_verified === true || email_verified === 'true') ? [email] : []
}

function groupsIn(value: unknown): readonly string[] {
  const list = Array.isArray(value) ? value.slice(0, groupsMax) : [value]
  return list.filter((group): group is string => typeof group === 'string')
}

function nameIn(claims: Claims): string {
  const { name, preferred_username, nickname } = claims
  const texts = [name, preferred_username, nickname].filter((text): text is string => typeof text === 'string')
  return texts.find((text) => text.trim() !== '') ?? ''
}

/** The error for a failure of the library: a refusal with the provider's reason, or a response that proves nothing. */
function refuse(service: string, error: unknown): never {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof AppError) throw cause
    if (cause.name === 'ResponseBodyError' || cause.name === 'AuthorizationResponseError') {
      const { error_description: description, error: code } = Object(cause)
      throw refusedBy(service, String(description ?? code ?? ''))
    }
  }
  throw new AppError('service_response_invalid', { params: { service }, cause: error })
}
