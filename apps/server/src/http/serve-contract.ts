import {
  callScopes,
  type Endpoint,
  errorRow,
  expectedAccountHeader,
  type FileStream,
  includesScope,
  isMessageKey,
  role as roles,
  showsKeys,
} from '@sluice/contract'
import type { FieldReader } from '@sluice/http1/fields'
import type { IncomingRequest } from '@sluice/http1/incoming-request'
import { AppError } from '../lib/app-error.ts'
import { inTime } from '../lib/in-time.ts'
import { type ReadBodyDeps, readJson } from '../lib/read-json.ts'
import { writeInSteps } from '../lib/write-in-steps.ts'
import { isCrossSite, type OwnPages } from './csrf.ts'
import { failureResponse, successResponse } from './envelope-response.ts'
import { fileHead } from './file-response.ts'
import { checkInSteps } from './list-steps.ts'
import type { RateLimits } from './rate-limits.ts'
import { withoutKeys } from './without-keys.ts'

/** What access checks and rate limits need of a caller. */
export interface CallerLike {
  readonly id: number
  readonly role: number
  /** `null` = an access token was used. */
  readonly sessionHash: string | null
  /** Scopes of a personal access token; `null` = no such limit. */
  readonly scopes: readonly string[] | null
  /** No call of administrators is allowed before the account has a second factor. */
  readonly lacksSecondFactor: boolean
}

/** An endpoint and the function that responds to it; the input has been parsed by its schema. */
export interface Served<Caller extends CallerLike, Visit> {
  readonly endpoint: Endpoint
  readonly handle: (input: unknown, caller: Caller | null, visit: Visit) => Promise<unknown>
}

/** One request to the management API. */
export interface ApiRequest<Visit> {
  readonly request: IncomingRequest
  readonly url: URL
  readonly path: Readonly<Record<string, string>>
  /** The client's, trusted proxies resolved. */
  readonly address: string
  readonly sessionId: string | null
  readonly visit: Visit
  readonly requestId: string
  readonly ownPages: OwnPages
  /** Sends the parts of a file after the head that is the response. */
  readonly sendFile: (file: FileStream) => void
  /** Members that the handler added beside `data`. */
  readonly beside: Readonly<Record<string, string>>
}

export interface ServeDeps<Caller extends CallerLike> extends ReadBodyDeps {
  /** @throws AppError when neither the session nor the access token is valid */
  readonly authenticate: (sessionId: string | null, authorization: string | null) => Promise<Caller>
  readonly rateLimits: RateLimits
  /** Resolves when everything that was committed is on the disk. */
  readonly durable: () => Promise<void>
  readonly report: (error: unknown, requestId: string) => void
  /** Called when a page of another site is refused. */
  readonly crossSite: (headers: FieldReader, ownPages: OwnPages) => void
  /** Called after every response with its HTTP status and error code; empty = success. */
  readonly responded: (status: number, code: string) => void
}

/** Limits of request bodies: the management API receives forms, not files. */
const bodyLimits = { bodyBytesMax: 1024 * 1024, bodyMs: 30_000 }

/** Longest wait for the disk. */
const durableMs = 5_000

const roleOf = { user: roles.user, admin: roles.admin, root: roles.root } as const

/**
 * The steps that all calls share: authentication, access, input, output. Handlers see neither request nor response, and their results
 * are parsed by the endpoint's output schema, so that no column is sent that it does not list.
 */
export async function serveEndpoint<Caller extends CallerLike, Visit>(
  { endpoint, handle }: Served<Caller, Visit>,
  apiRequest: ApiRequest<Visit>,
  deps: ServeDeps<Caller>,
): Promise<Response> {
  const { request, url, path, sessionId, visit, requestId, ownPages, beside } = apiRequest
  const { headers } = request
  try {
    // Refuses pages of other origins: they may neither use a session nor set one (CSRF, login CSRF).
    const needsOwnPage = sessionId !== null || endpoint.sideEffect
    if (needsOwnPage && isCrossSite(headers, ownPages, endpoint.sideEffect)) {
      deps.crossSite(headers, ownPages)
      throw new AppError('cross_site_request')
    }
    const caller = await admit(endpoint, apiRequest, deps)
    const input = parseInput(endpoint, {
      ...Object.fromEntries(url.searchParams),
      ...(await bodyOf(endpoint, request, deps)),
      ...path,
    })
    const result = await handle(input, caller, visit)
    const visible = showsKeys(endpoint, caller?.scopes ?? null) ? result : withoutKeys(result)
    const data = await checkInSteps(endpoint, visible, (places) => deps.report(damagedValues(endpoint, places), requestId))
    // What is acknowledged survives a power failure: a banned account stays banned, and a code that was handed out exists.
    if (endpoint.method !== 'GET' || endpoint.sideEffect) await onDisk(deps)
    const response = endpoint.isFile
      ? fileResponse(data, apiRequest, () => admitAgain(endpoint, apiRequest, deps))
      : successResponse(await writeInSteps(data), { ...besideOf(endpoint, data), ...beside })
    deps.responded(response.status, '')
    return response
  } catch (error) {
    if (isForTheLog(error)) deps.report(error, requestId)
    const known = error instanceof AppError ? error : new AppError('internal_error', { cause: error })
    const response = failureResponse(known, headers, endpoint.badJsonStatus)
    deps.responded(response.status, known.code)
    return response
  }
}

/** For the log: which values of the database were shown as other ones. */
function damagedValues({ path }: Endpoint, places: readonly string[]): Error {
  return new Error(`the database holds damaged values, which ${path} shows as others: ${places.slice(0, 20).join(', ')}`)
}

/** @throws AppError database_unavailable when the disk hangs */
async function onDisk({ durable, deadlines }: Pick<ServeDeps<CallerLike>, 'durable' | 'deadlines'>): Promise<void> {
  const error = (): AppError => new AppError('database_unavailable', { retryAfterSeconds: 5 })
  await inTime(durable(), { deadlines, ms: durableMs, error })
}

function fileResponse<Visit>(data: unknown, { sendFile }: ApiRequest<Visit>, checkAgain: () => Promise<void>): Response {
  // Holds: an endpoint with `isFile` has handlers of this type.
  const file = data as FileStream
  sendFile({ ...file, parts: whileAllowed(file.parts, checkAgain) })
  return fileHead(file)
}

/** Ends where the caller has lost the right to the call, because a client may take hours to read a file. @throws AppError as `admitAgain` */
async function* whileAllowed(parts: FileStream['parts'], checkAgain: () => Promise<void>): AsyncGenerator<string> {
  for await (const part of parts) {
    await checkAgain()
    yield part
  }
}

/** Checks a caller again whose call is still in progress. @throws AppError as `admit` */
async function admitAgain<Caller extends CallerLike, Visit>(
  endpoint: Endpoint,
  { request, sessionId }: ApiRequest<Visit>,
  { authenticate }: Pick<ServeDeps<Caller>, 'authenticate'>,
): Promise<void> {
  const { access } = endpoint
  if (access !== 'public') checkAccess(endpoint, access, await authenticate(sessionId, request.headers.get('authorization')))
}

/**
 * Authenticates the caller, counts the call and checks access.
 * @throws AppError rate_limited, account_changed, permission_denied, session_required, scope_missing, second_factor_required, and when
 * neither session nor access token is valid
 */
async function admit<Caller extends CallerLike, Visit>(
  endpoint: Endpoint,
  { request, sessionId, address }: ApiRequest<Visit>,
  { authenticate, rateLimits }: ServeDeps<Caller>,
): Promise<Caller | null> {
  const { access } = endpoint
  const authorization = request.headers.get('authorization')
  const showsNothing = sessionId === null && authorization === null
  if (access === 'public' || showsNothing) await rateLimits.take(endpoint, { address })
  else await rateLimits.takeForAddress(address)
  if (access === 'public') {
    const known = endpoint.knowsCaller && !showsNothing ? await authenticate(sessionId, authorization).catch(asVisitor) : null
    if (known === null) return null
    refuseOtherAccount(known, request)
    checkScope(endpoint, known)
    return known
  }
  const caller = await authenticate(sessionId, authorization).catch(async (error: unknown) => {
    // A client with an invalid session or access token is counted by its address.
    if (!showsNothing) await rateLimits.take(endpoint, { address })
    throw error
  })
  await rateLimits.take(endpoint, caller)
  refuseOtherAccount(caller, request)
  checkAccess(endpoint, access, caller)
  return caller
}

/** @throws AppError permission_denied, session_required, scope_missing, second_factor_required */
function checkAccess(endpoint: Endpoint, access: keyof typeof roleOf, caller: CallerLike): void {
  if (caller.role < roleOf[access]) throw new AppError('permission_denied')
  checkScope(endpoint, caller)
  if (access !== 'user' && caller.lacksSecondFactor) throw new AppError('second_factor_required')
}

/** What an access token may do. @throws AppError session_required, scope_missing */
function checkScope(endpoint: Endpoint, { sessionHash, scopes }: CallerLike): void {
  if (endpoint.needsSession && sessionHash === null) throw new AppError('session_required')
  const scope = callScopes.get(endpoint)
  if (scopes !== null && scope !== undefined && !includesScope(scopes, scope)) throw new AppError('scope_missing', { params: { scope } })
}

/** @throws AppError account_changed */
function refuseOtherAccount({ id }: CallerLike, { headers }: IncomingRequest): void {
  const expected = headers.get(expectedAccountHeader)
  if (expected !== null && expected !== String(id)) throw new AppError('account_changed')
}

/** Errors that no other input would fix: our own faults and failed services. Their causes go to the log only. */
export function isForTheLog(error: unknown): boolean {
  if (!(error instanceof AppError)) return true
  const { type } = errorRow(error.code)
  return error.cause !== undefined && (type === 'server_error' || type === 'api_error')
}

/** For endpoints that are open to all, a caller who may not sign in counts as a visitor. */
function asVisitor(error: unknown): null {
  if (error instanceof AppError) return null
  throw error
}

async function bodyOf(endpoint: Endpoint, request: IncomingRequest, deps: ReadBodyDeps): Promise<object> {
  if (endpoint.method === 'GET' || endpoint.method === 'DELETE') return {}
  const { value: body, close } = await readJson(request, bodyLimits, deps)
  // Released at once: what these calls keep of the body is small.
  close()
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw new AppError('invalid_parameter', { params: { name: 'body' } })
  return body
}

/** Parses the input; the error names the first invalid member in the order of the form. */
function parseInput(endpoint: Endpoint, input: object): unknown {
  const parsed = endpoint.input.safeParse(input)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const name = issue?.path.join('.') || 'body'
  const params = { name, ...(issue?.code === 'too_big' && { limit: Number(issue.maximum) }) }
  throw issue !== undefined && isMessageKey(issue.message)
    ? new AppError('invalid_input', { messageKey: issue.message, params, field: name })
    : new AppError('invalid_parameter', { params: { name }, field: name })
}

function besideOf({ besideData }: Endpoint, data: unknown): Readonly<Record<string, unknown>> {
  return besideData && typeof data === 'object' && data !== null ? { ...data } : {}
}
