import { type Endpoint, type FileStream, type Language, languageOf } from '@sluice/contract'
import type { FieldReader } from '@sluice/http1/fields'
import type { Arrived } from '@sluice/http1/http-server'
import type { IncomingRequest } from '@sluice/http1/incoming-request'
import type { ServerResponse } from '@sluice/http1/response'
import { Hono } from 'hono'
import type { ActivityBoard } from '../lib/activity-board.ts'
import { AppError } from '../lib/app-error.ts'
import type { Subnet } from '../lib/cidr.ts'
import { isInSubnets } from '../lib/cidr.ts'
import { isClientPath } from '../lib/client-path.ts'
import type { Clock } from '../lib/clock.ts'
import { newRequestId } from '../lib/id.ts'
import { isAddressOrLocalhost, readHost } from '../lib/read-host.ts'
import { pathOf } from '../lib/request-url.ts'
import { createApiDocs } from './api-docs.ts'
import { publishedPath, type RootedArrival, rootedArrival } from './below-base-path.ts'
import { clientAddress, hostFieldOf, isFromThisMachine, originOf, proxyBetween } from './client-address.ts'
import type { ConsoleFiles } from './console-files.ts'
import { consoleOriginOf, preflightResponse, setCorsHeaders } from './console-origins.ts'
import { failureResponse, unknownHost, unknownHostPage, unknownUrlResponse } from './envelope-response.ts'
import { streamedResponse } from './file-response.ts'
import type { KnownHosts } from './known-hosts.ts'
import { contentSecurityPolicy, setCommonHeaders } from './security-headers.ts'
import { type CallerLike, isForTheLog, type ServeDeps, type Served, serveEndpoint } from './serve-contract.ts'
import { readSessionCookie, readVisitorCookie, sessionCookie, visitorCookie } from './session-cookie.ts'

/** The properties of a request that a handler gets beside its input; the management API's own type has the same members. */
export interface Visit {
  readonly address: string
  isFromHere(): boolean
  proxyBetween(): 'none' | 'trusted' | 'untrusted'
  readonly userAgent: string
  readonly origin: string
  readonly basePath: string
  readonly pageOrigin: string
  readonly consoleOrigin: string | null
  readonly sessionId: string | null
  readonly visitorId: string | null
  readonly language: Language
  setSession(sessionId: string | null): void
  setVisitor(visitorId: string | null): void
  sayBeside(members: Readonly<Record<string, string>>): void
}

interface RelayedRequest extends Pick<RootedArrival, 'upgrade'> {
  readonly request: IncomingRequest
  readonly requestId: string
  /** Address of the client behind trusted proxies. */
  address(): string
}

export interface HttpDeps<Caller extends CallerLike> extends ServeDeps<Caller> {
  readonly endpoints: readonly Served<Caller, Visit>[]
  readonly relay: (incoming: RelayedRequest) => Promise<ServerResponse>
  /** `null` = this server has no console. */
  readonly consoleFiles: ConsoleFiles | null
  readonly frameOrigins: () => Promise<readonly string[]>
  /** Whether the bot check is on. */
  readonly hasBotCheck: () => boolean
  /** The configured public address of this server; empty = none. */
  readonly publicAddress: () => string
  /** Whether root set or confirmed that address: only then may pages of its host use sessions here. */
  readonly isAddressConfirmed: () => boolean
  /** The host names at which the management API and the console respond. */
  readonly knownHosts: Pick<KnownHosts, 'isKnown'>
  readonly trustedProxies: readonly Subnet[]
  /** Path below which a proxy publishes the server, without a final slash; empty = the root. */
  readonly basePath: string
  /** Origins of consoles that are served elsewhere, as `https://console.example.com`. */
  readonly consoleOrigins: readonly string[]
  readonly isReady: () => Promise<boolean>
  /** Kinds of stored values of which some cannot be read. They do not keep the server from serving the others. */
  readonly unreadable: () => readonly string[]
  /** Whether the process ends soon, because its ledger is broken for good. */
  readonly isBroken: () => boolean
  /** What the watchdog sees; the relay adds its requests itself. */
  readonly activities: ActivityBoard
  readonly clock: Clock
  /** The response of `/metrics` to this Authorization header; `null` = there is no such page. */
  readonly metrics: ((authorization: string | null) => Promise<Response>) | null
}

interface Bindings {
  readonly request: IncomingRequest
  readonly url: URL
  readonly requestId: string
  readonly address: string
  /** The other end of the connection: the client, or a proxy. */
  readonly peer: string
  readonly isSecure: boolean
  /** The host in the request. */
  readonly host: string
  /** Path below which the browser reached the server; empty = the root. */
  readonly basePath: string
  /** Names the host; it may be none. */
  readonly hostField: string | null
  /** Origin of the console of another site that makes the call; `null` = none does. */
  readonly consoleOrigin: string | null
  /** Keeps the file that follows the response's head. */
  readonly sendFile: (file: FileStream) => void
}

/** Handles every request. Relayed requests go directly to the relay; everything else goes through the framework. */
export function createFetch<Caller extends CallerLike>(deps: HttpDeps<Caller>): (arrived: Arrived) => Promise<ServerResponse> {
  const app = createApp(deps)
  const { trustedProxies, consoleOrigins, activities, clock } = deps

  async function respond(arrived: RootedArrival): Promise<ServerResponse> {
    const requestId = newRequestId()
    const { method, url, bodyLength: bytes } = arrived.request
    const slot = activities.add({ id: requestId, method, url, bytes, startedMs: clock.monotonicMs() })
    try {
      return await routed(arrived, requestId)
    } finally {
      activities.remove(slot)
    }
  }

  async function routed(arrived: RootedArrival, requestId: string): Promise<ServerResponse> {
    const { request } = arrived
    const address = addressOfClient(arrived, trustedProxies)
    const url = addressOf(request)
    const isTrusted = isInSubnets(arrived.address, trustedProxies)
    const origin = originOf(url, request.headers, { isTrusted, publicAddress: deps.publicAddress() })
    const consoleOrigin = consoleOriginOf(request.headers, consoleOrigins)
    const basePath = publishedPath(request.headers, { isTrusted, basePath: deps.basePath })
    const files: FileStream[] = []
    const sendFile = (file: FileStream): void => void files.push(file)
    const hostField = hostFieldOf(request.headers, isTrusted)
    const bindings: Bindings = {
      request,
      url,
      requestId,
      address,
      peer: arrived.address,
      hostField,
      consoleOrigin,
      basePath,
      sendFile,
      ...origin,
    }
    const response = await app.fetch(forFramework(request), bindings)
    if (consoleOrigins.length > 0 && url.pathname.startsWith('/api/')) setCorsHeaders(response.headers, consoleOrigin)
    setCommonHeaders(response.headers, { isSecure: origin.isSecure, requestId })
    const [file] = files
    if (file === undefined) return response
    const report = (error: unknown): void => {
      if (isForTheLog(error)) deps.report(error, requestId)
    }
    return streamedResponse(response, file, { signal: request.signal, report })
  }

  return (arrived) => {
    const rooted = rootedArrival(arrived, deps.basePath)
    return isRelayed(rooted.request) ? deps.relay(new RelayedArrival(rooted, newRequestId(), trustedProxies)) : respond(rooted)
  }
}

/** A class, because functions of its own would be made for every request. */
class RelayedArrival implements RelayedRequest {
  readonly request: IncomingRequest
  readonly requestId: string
  readonly #arrived: RootedArrival
  readonly #trustedProxies: readonly Subnet[]

  constructor(arrived: RootedArrival, requestId: string, trustedProxies: readonly Subnet[]) {
    this.request = arrived.request
    this.requestId = requestId
    this.#arrived = arrived
    this.#trustedProxies = trustedProxies
  }

  address(): string {
    return addressOfClient(this.#arrived, this.#trustedProxies)
  }

  upgrade(...parts: Parameters<RootedArrival['upgrade']>): boolean {
    return this.#arrived.upgrade(...parts)
  }
}

function addressOfClient({ address, request }: RootedArrival, trustedProxies: readonly Subnet[]): string {
  return clientAddress(address, trustedProxies.length === 0 ? null : request.headers.get('x-forwarded-for'), trustedProxies)
}

/** Whether a path is for clients with tokens: `/v1`, `/v1beta`, `/suno`, and the balance of old clients. Does not parse the URL, for speed. */
function isRelayed({ method, url, headers }: IncomingRequest): boolean {
  if (url.startsWith('/v1')) return url.length === 3 || url[3] === '/' || url[3] === '?' || url.startsWith('/v1beta/')
  // Clients join a base address that ends in a slash and a path that begins with one.
  if (url.startsWith('//')) return /^\/+v1(?:beta)?(?:[/?]|$)/.test(url)
  // Some clients use the server's name without `/v1` as base address; a browser that opens the page sends no key.
  if (url.startsWith('/models') && /^\/models(?:[/?]|$)/.test(url) && keyHeaders.some((name) => headers.get(name) !== null)) return true
  if (url.startsWith('/dashboard/billing/') || url.startsWith('/suno/')) return true
  // Base addresses without a version, or with the name of a protocol. Everything under `/api` is the console's.
  return !url.startsWith('/api/') && isClientPath(method, withoutSlash(pathOf(url)))
}

const withoutSlash = (path: string): string => (path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path)

const keyHeaders = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key'] as const

/** The URL of the request; an invalid host is replaced, so that the URL always parses. */
function addressOf({ url, headers }: IncomingRequest): URL {
  const host = headers.get('host') ?? ''
  return (host === '' || /[/?#\\]/.test(host) ? null : URL.parse(`http://${host}${url}`)) ?? new URL(`http://localhost${url}`)
}

/** The framework only routes by method and path; everything else is read from the original request. */
function forFramework({ method, url, headers }: IncomingRequest): Request {
  // Holds: these are the only members that the parts of the framework in use here read.
  return { method, url, headers } as unknown as Request
}

function createApp<Caller extends CallerLike>(deps: HttpDeps<Caller>): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>({
    strict: true,
    // Holds: every request comes from `createFetch`, which passes these bindings.
    getPath: (_request, options) => (options as { readonly env: Bindings }).env.url.pathname,
  })
  app.get('/healthz', (context) => context.json({ status: 'ok' }))
  app.get('/livez', (context) => (deps.isBroken() ? context.json({ status: 'broken' }, 503) : context.json({ status: 'ok' })))
  app.get('/readyz', async (context) =>
    (await deps.isReady()) ? context.json({ status: 'ready', ...unreadableKinds(deps) }) : context.json({ status: 'not ready' }, 503),
  )
  app.get('/metrics', async (context) => {
    const { method, path } = context.req
    return (
      (await deps.metrics?.(context.env.request.headers.get('authorization'))) ?? unknownUrlResponse(method, path, context.env.requestId)
    )
  })
  const docs = createApiDocs()
  app.get('/api/openapi.json', ({ env }) => hostRefusal(env, deps) ?? docs.document(env.request.headers, env.basePath))
  app.on('GET', ['/api/docs', '/api/docs/'], ({ env }) => hostRefusal(env, deps) ?? docs.page(env.request.headers, env.basePath))
  for (const rows of byAddress(deps.endpoints)) mount(app, rows, deps)
  app.options('/api/*', (context, next) => (context.env.consoleOrigin === null ? next() : preflightResponse()))
  app.all('/api/*', (context) => unknownUrlResponse(context.req.method, context.req.path, context.env.requestId))
  app.all('/api', (context) => unknownUrlResponse(context.req.method, context.req.path, context.env.requestId))
  app.all('*', async (context) => {
    const { method, path } = context.req
    const { hostField, requestId } = context.env
    if (method !== 'GET' && method !== 'HEAD') return unknownUrlResponse(method, path, requestId)
    if (!deps.knownHosts.isKnown(readHost(hostField))) return unknownHostPage(hostField, context.env.request.headers)
    return await consolePage(context.env, path, deps)
  })
  app.onError((error, context) => {
    deps.report(error, context.env.requestId)
    return failureResponse(new AppError('internal_error', { cause: error }), context.env.request.headers)
  })
  return app
}

/** Only where something is wrong: visitors learn no more about the server than its health. */
function unreadableKinds({ unreadable }: Pick<HttpDeps<CallerLike>, 'unreadable'>): { readonly unreadable?: readonly string[] } {
  const kinds = unreadable()
  return kinds.length === 0 ? {} : { unreadable: kinds }
}

async function consolePage<Caller extends CallerLike>(
  { request, basePath }: Bindings,
  path: string,
  { consoleFiles, frameOrigins, hasBotCheck }: HttpDeps<Caller>,
): Promise<Response> {
  if (consoleFiles === null) return new Response('This server was started without its console.', { status: 404 })
  const response = await consoleFiles.serve(request, { path, basePath })
  if (response === null) return new Response('There is no such file.', { status: 404 })
  const policy = contentSecurityPolicy({
    scriptHashes: consoleFiles.scriptHashes,
    frameOrigins: await frameOrigins(),
    hasBotCheck: hasBotCheck(),
  })
  response.headers.set('content-security-policy', policy)
  return response
}

/** The response to a call at a host name that is not the server's; `null` = the name is. */
function hostRefusal({ hostField, request }: Bindings, { knownHosts, responded }: Pick<HttpDeps<CallerLike>, 'knownHosts' | 'responded'>) {
  if (knownHosts.isKnown(readHost(hostField))) return null
  const error = unknownHost(hostField)
  responded(421, error.code)
  return failureResponse(error, request.headers)
}

/**
 * Whether only an access token can authorize the call: pages of other sites have none. What is open to visitors counts as well only if it
 * changes nothing, because any text in the field lets it pass here.
 */
function isTokenCall({ access, sideEffect }: Endpoint, headers: FieldReader, sessionId: string | null): boolean {
  const hasToken = (headers.get('authorization') ?? '') !== '' && sessionId === null
  return hasToken && (access !== 'public' || !sideEffect)
}

interface Address<Caller extends CallerLike> {
  readonly method: string
  readonly path: string
  /** The row for requests that carry this query parameter, before the plain one. */
  readonly rows: ReadonlyArray<{ readonly flag: string | null; readonly served: Served<Caller, Visit> }>
}

/** Groups endpoints that share method and path and differ by a query flag. */
function byAddress<Caller extends CallerLike>(endpoints: readonly Served<Caller, Visit>[]): readonly Address<Caller>[] {
  const addresses = Map.groupBy(endpoints, ({ endpoint }) => `${endpoint.method} ${endpoint.path.split('?')[0]}`)
  return [...addresses].map(([address, rows]) => {
    const [method = '', path = ''] = address.split(' ')
    const flagged = rows.map((served) => ({ flag: served.endpoint.path.split('?')[1] ?? null, served }))
    return { method, path: path.replace(/\/$/, ''), rows: flagged.sort((a, b) => Number(a.flag === null) - Number(b.flag === null)) }
  })
}

function mount<Caller extends CallerLike>(
  app: Hono<{ Bindings: Bindings }>,
  { method, path, rows }: Address<Caller>,
  deps: HttpDeps<Caller>,
): void {
  // With and without the final slash, and no redirect between them.
  app.on(method, [path, `${path}/`], async (context) => {
    const { request, url, address, peer, isSecure, consoleOrigin, host, basePath, hostField, requestId, sendFile } = context.env
    const { headers } = request
    const row = rows.find(({ flag }) => flag === null || (url.searchParams.get(flag) ?? '') !== '')
    if (row === undefined) return unknownUrlResponse(method, url.pathname, requestId)
    const cookies: string[] = []
    const beside: Record<string, string> = {}
    const place = { isSecure, isConsole: consoleOrigin !== null, basePath }
    const sessionId = readSessionCookie(headers.get('cookie'), place)
    const hostName = readHost(hostField)
    const refusal = isTokenCall(row.served.endpoint, headers, sessionId) ? null : hostRefusal(context.env, deps)
    if (refusal !== null) return refusal
    const origin = `${isSecure ? 'https' : 'http'}://${host}`
    const visit: Visit = {
      address,
      isFromHere: () => hostName !== null && isAddressOrLocalhost(hostName) && isFromThisMachine(peer, headers),
      proxyBetween: () => proxyBetween(headers, isInSubnets(peer, deps.trustedProxies)),
      userAgent: headers.get('user-agent') ?? '',
      origin,
      basePath,
      pageOrigin: headers.get('origin') ?? origin,
      consoleOrigin,
      sessionId,
      visitorId: readVisitorCookie(headers.get('cookie'), place),
      language: languageOf(headers.get('accept-language')),
      setSession: (next) => void cookies.push(sessionCookie(next, place)),
      setVisitor: (next) => void cookies.push(visitorCookie(next, place)),
      sayBeside: (members) => void Object.assign(beside, members),
    }
    const publicHost = deps.isAddressConfirmed() ? URL.parse(deps.publicAddress())?.host : undefined
    const ownPages = { hosts: [url.host, host, publicHost ?? host], isConsole: place.isConsole }
    const response = await serveEndpoint(
      row.served,
      { request, url, path: context.req.param(), address, sessionId, visit, requestId, ownPages, sendFile, beside },
      deps,
    )
    for (const cookie of cookies) response.headers.append('set-cookie', cookie)
    return response
  })
}
