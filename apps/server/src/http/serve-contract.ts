import { type Endpoint, errorRow, isMessageKey, role as roles } from '@sluice/contract'
import type { Received } from '@sluice/http1/received'
import { AppError } from '../lib/app-error.ts'
import { type ReadBodyDeps, readJson } from '../lib/read-json.ts'
import { isCrossSite } from './csrf.ts'
import { failureReply, successReply } from './envelope-reply.ts'
import type { RateLimits } from './rate-limits.ts'

/** Who calls, as far as access and limits are concerned. */
export interface CallerLike {
  readonly id: number
  readonly role: number
}

/** An endpoint and the function that answers it; the input is whatever its schema parses. */
export interface Served<Caller extends CallerLike, Visit> {
  readonly endpoint: Endpoint
  readonly handle: (input: unknown, caller: Caller | null, visit: Visit) => Promise<unknown>
}

/** One request to the management API. */
export interface ApiRequest<Visit> {
  readonly request: Received
  readonly url: URL
  readonly path: Readonly<Record<string, string>>
  /** The client's, trusted proxies resolved. */
  readonly address: string
  readonly sessionId: string | null
  readonly visit: Visit
  readonly requestId: string
  /** Every host under which the client may know this server. */
  readonly ownHosts: readonly string[]
  /** What the handler has put beside `data`. */
  readonly beside: Readonly<Record<string, string>>
}

export interface ServeDeps<Caller extends CallerLike> extends ReadBodyDeps {
  /** @throws AppError where neither the session nor the access token is good */
  readonly authenticate: (sessionId: string | null, authorization: string | null) => Promise<Caller>
  readonly rateLimits: RateLimits
  readonly report: (error: unknown, requestId: string) => void
  /** Hears of every answer: its HTTP status, and the code of its error; empty = a success. */
  readonly answered: (status: number, code: string) => void
}

/** The management API takes forms, not files. */
const bodyLimits = { bodyBytesMax: 1024 * 1024, bodyMs: 30_000 }

const roleOf = { user: roles.user, admin: roles.admin, root: roles.root } as const

/**
 * Everything that all calls share: who calls and may, what came in, what goes out. Handlers see neither request nor response,
 * and what they answer passes through the row's schema, so that no column leaves that the row does not name.
 */
export async function serveEndpoint<Caller extends CallerLike, Visit>(
  { endpoint, handle }: Served<Caller, Visit>,
  given: ApiRequest<Visit>,
  deps: ServeDeps<Caller>,
): Promise<Response> {
  const { request, url, path, sessionId, visit, requestId, ownHosts, beside } = given
  const { headers } = request
  try {
    // A page elsewhere can neither use a session nor plant one.
    const needsOwnPage = sessionId !== null || endpoint.sideEffect
    if (needsOwnPage && isCrossSite(headers, ownHosts, endpoint.sideEffect)) throw new AppError('cross_site_request')
    const caller = await admit(endpoint, given, deps)
    const input = parseInput(endpoint, {
      ...Object.fromEntries(url.searchParams),
      ...(await bodyOf(endpoint, request, deps)),
      ...path,
    })
    const data: unknown = endpoint.data.parse(await handle(input, caller, visit))
    const reply = successReply(data, { ...besideOf(endpoint, data), ...beside })
    deps.answered(reply.status, '')
    return reply
  } catch (error) {
    if (isForTheLog(error)) deps.report(error, requestId)
    const known = error instanceof AppError ? error : new AppError('internal_error', { cause: error })
    const reply = failureReply(known, headers, endpoint.badJsonStatus)
    deps.answered(reply.status, known.code)
    return reply
  }
}

/**
 * Who calls, counted, and allowed to.
 * @throws AppError rate_limited, permission_denied, and where neither session nor access token is good
 */
async function admit<Caller extends CallerLike, Visit>(
  endpoint: Endpoint,
  { request, sessionId, address }: ApiRequest<Visit>,
  { authenticate, rateLimits }: ServeDeps<Caller>,
): Promise<Caller | null> {
  const { access } = endpoint
  const authorization = request.headers.get('authorization')
  const showsNothing = sessionId === null && authorization === null
  if (access === 'public' || showsNothing) rateLimits.take(endpoint, { address })
  else rateLimits.takeForAddress(address)
  if (access === 'public')
    return endpoint.knowsCaller && !showsNothing ? await authenticate(sessionId, authorization).catch(asVisitor) : null
  const caller = await authenticate(sessionId, authorization).catch((error: unknown) => {
    // Whoever shows what opens nothing is counted as nobody.
    if (!showsNothing) rateLimits.take(endpoint, { address })
    throw error
  })
  rateLimits.take(endpoint, caller)
  if (caller.role < roleOf[access]) throw new AppError('permission_denied')
  return caller
}

/** What a person cannot put right by another input: ourselves, or a service that failed us. Why it did is told to the operator only. */
function isForTheLog(error: unknown): boolean {
  if (!(error instanceof AppError)) return true
  const { type } = errorRow(error.code)
  return error.cause !== undefined && (type === 'upstream_error' || type === 'api_error')
}

/** To a call that is open to all, whoever may not sign in is a visitor. */
function asVisitor(error: unknown): null {
  if (error instanceof AppError) return null
  throw error
}

async function bodyOf(endpoint: Endpoint, request: Received, deps: ReadBodyDeps): Promise<object> {
  if (endpoint.method === 'GET' || endpoint.method === 'DELETE') return {}
  const { value: body, close } = await readJson(request, bodyLimits, deps)
  // What these calls keep of it is small.
  close()
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new AppError('invalid_parameter', { params: { name: 'body' } })
  return body
}

/** The first thing that is wrong, in the order of the form. */
function parseInput(endpoint: Endpoint, given: object): unknown {
  const parsed = endpoint.input.safeParse(given)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const name = issue?.path.join('.') || 'body'
  throw issue !== undefined && isMessageKey(issue.message)
    ? new AppError('invalid_input', { messageKey: issue.message })
    : new AppError('invalid_parameter', { params: { name } })
}

function besideOf({ besideData }: Endpoint, data: unknown): Readonly<Record<string, unknown>> {
  return besideData && typeof data === 'object' && data !== null ? { ...data } : {}
}
