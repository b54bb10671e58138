import type { Server } from 'bun'
import { Hono } from 'hono'
import type { Subnet } from '../lib/cidr.ts'
import { isInSubnets } from '../lib/cidr.ts'
import { newRequestId } from '../lib/id.ts'
import { clientAddress, isHttps } from './client-address.ts'
import type { ConsoleFiles } from './console-files.ts'
import { unknownUrlReply } from './envelope-reply.ts'
import { contentSecurityPolicy, setCommonHeaders } from './security-headers.ts'
import { type ServeDeps, type Served, serveEndpoint } from './serve-contract.ts'
import { readSessionCookie, sessionCookie } from './session-cookie.ts'

/** What a handler may know of a request beside its input; the management API's own type has the same members. */
export interface Visit {
  readonly address: string
  readonly userAgent: string
  readonly origin: string
  readonly sessionId: string | null
  setSession(sessionId: string | null): void
}

interface RelayedRequest {
  readonly request: Request
  readonly requestId: string
  readonly address: string
  readonly keepOpen: () => void
}

export interface HttpDeps<Caller extends { readonly role: number }> extends ServeDeps<Caller> {
  readonly endpoints: readonly Served<Caller, Visit>[]
  readonly relay: (incoming: RelayedRequest) => Promise<Response>
  /** `null`: this server has no console. */
  readonly consoleFiles: ConsoleFiles | null
  readonly frameOrigins: () => readonly string[]
  readonly trustedProxies: readonly Subnet[]
  readonly isReady: () => boolean
}

type BunServer = Server<undefined>

interface Bindings {
  readonly server: BunServer
  readonly requestId: string
  readonly address: string
  readonly isSecure: boolean
}

/** The front door. Relayed requests go straight through; everything else passes the framework. */
export function createFetch<Caller extends { readonly role: number }>(
  deps: HttpDeps<Caller>,
): (request: Request, server: BunServer) => Promise<Response> {
  const app = createApp(deps)
  const { trustedProxies } = deps

  return async (request, server) => {
    const requestId = newRequestId()
    const socketAddress = server.requestIP(request)?.address ?? ''
    const address = clientAddress(
      socketAddress,
      trustedProxies.length === 0 ? null : request.headers.get('x-forwarded-for'),
      trustedProxies,
    )
    if (isRelayed(request.url)) return await deps.relay({ request, requestId, address, keepOpen: () => server.timeout(request, 0) })
    const isTrusted = trustedProxies.length > 0 && isInSubnets(socketAddress, trustedProxies)
    const isSecure = isHttps(request.url, request.headers.get('x-forwarded-proto'), isTrusted)
    const response = await app.fetch(request, { server, requestId, address, isSecure } satisfies Bindings)
    setCommonHeaders(response.headers, { isSecure, requestId })
    return response
  }
}

/** Whether the path begins with `/v1`, without parsing the address. */
function isRelayed(url: string): boolean {
  const start = url.indexOf('/', url.indexOf('//') + 2)
  return url.startsWith('/v1', start) && (url.length === start + 3 || url[start + 3] === '/' || url[start + 3] === '?')
}

function createApp<Caller extends { readonly role: number }>(deps: HttpDeps<Caller>): Hono<{ Bindings: Bindings }> {
  const app = new Hono<{ Bindings: Bindings }>({ strict: true })
  app.get('/healthz', (context) => context.json({ status: 'ok' }))
  app.get('/readyz', (context) => (deps.isReady() ? context.json({ status: 'ready' }) : context.json({ status: 'not ready' }, 503)))
  for (const rows of byAddress(deps.endpoints)) mount(app, rows, deps)
  app.all('/api/*', (context) => unknownUrlReply(context.req.method, context.req.path, context.env.requestId))
  app.all('/api', (context) => unknownUrlReply(context.req.method, context.req.path, context.env.requestId))
  app.all('*', async (context) => {
    const { method, path, raw } = context.req
    if (method !== 'GET' && method !== 'HEAD') return unknownUrlReply(method, path, context.env.requestId)
    const { consoleFiles } = deps
    const response = consoleFiles === null ? null : await consoleFiles.serve(raw, path)
    if (response === null) return new Response('Not found', { status: 404 })
    response.headers.set(
      'content-security-policy',
      contentSecurityPolicy({ scriptHashes: consoleFiles?.scriptHashes ?? [], frameOrigins: deps.frameOrigins() }),
    )
    return response
  })
  return app
}

interface Address<Caller extends { readonly role: number }> {
  readonly method: string
  readonly path: string
  /** The row for requests that carry this query parameter, before the plain one. */
  readonly rows: ReadonlyArray<{ readonly flag: string | null; readonly served: Served<Caller, Visit> }>
}

/** Rows that share method and path and differ by a query flag are one address. */
function byAddress<Caller extends { readonly role: number }>(endpoints: readonly Served<Caller, Visit>[]): readonly Address<Caller>[] {
  const addresses = Map.groupBy(endpoints, ({ endpoint }) => `${endpoint.method} ${endpoint.path.split('?')[0]}`)
  return [...addresses].map(([address, rows]) => {
    const [method = '', path = ''] = address.split(' ')
    const flagged = rows.map((served) => ({ flag: served.endpoint.path.split('?')[1] ?? null, served }))
    return { method, path: path.replace(/\/$/, ''), rows: flagged.sort((a, b) => Number(a.flag === null) - Number(b.flag === null)) }
  })
}

function mount<Caller extends { readonly role: number }>(
  app: Hono<{ Bindings: Bindings }>,
  { method, path, rows }: Address<Caller>,
  deps: HttpDeps<Caller>,
): void {
  // With and without the final slash, and no redirect between them.
  app.on(method, [path, `${path}/`], async (context) => {
    const { raw } = context.req
    const { address, isSecure } = context.env
    const url = new URL(raw.url)
    const row = rows.find(({ flag }) => flag === null || (url.searchParams.get(flag) ?? '') !== '')
    if (row === undefined) return unknownUrlReply(method, url.pathname, context.env.requestId)
    let cookie: string | null = null
    const sessionId = readSessionCookie(raw.headers.get('cookie'))
    const visit: Visit = {
      address,
      userAgent: raw.headers.get('user-agent') ?? '',
      origin: `${isSecure ? 'https' : 'http'}://${url.host}`,
      sessionId,
      setSession(next) {
        cookie = sessionCookie(next, isSecure)
      },
    }
    const response = await serveEndpoint(row.served, { request: raw, url, path: context.req.param(), sessionId, visit }, deps)
    if (cookie !== null) response.headers.append('set-cookie', cookie)
    return response
  })
}
