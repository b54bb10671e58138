/** One request that an external service received. */
interface ReceivedCall {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: Headers
  readonly body: string
}

export interface FakeService {
  readonly url: string
  readonly received: readonly ReceivedCall[]
  /** Handles the next request with this instead. */
  responseNext(response: (call: ReceivedCall) => Response | Promise<Response>): void
  close(): Promise<void>
}

/** A real HTTP server on loopback with one service's protocol. */
function fakeService(response: (call: ReceivedCall) => Response): FakeService {
  const received: ReceivedCall[] = []
  const next: Array<(call: ReceivedCall) => Response | Promise<Response>> = []
  const server = Bun.serve({
    port: 0,
    hostname: '127.0.0.1',
    async fetch(request) {
      const url = new URL(request.url)
      const call = {
        method: request.method,
        path: url.pathname,
        query: url.searchParams,
        headers: request.headers,
        body: await request.text(),
      }
      received.push(call)
      return await (next.shift() ?? response)(call)
    },
  })
  return {
    url: `http://127.0.0.1:${server.port}`,
    received,
    responseNext: (one) => void next.push(one),
    close: () => server.stop(true),
  }
}

/** Cloudflare's siteverify: accepts tokens that begin with `good`, each once. */
export function fakeTurnstile(): FakeService {
  const used = new Set<string>()
  return fakeService(({ method, path, body }) => {
    if (method !== 'POST' || path !== '/turnstile/v0/siteverify') return new Response('not found', { status: 404 })
    const token = new URLSearchParams(body).get('response') ?? ''
    const isNew = !used.has(token)
    used.add(token)
    if (!token.startsWith('good')) return Response.json({ success: false, 'error-codes': ['invalid-input-response'] })
    return Response.json(
      isNew ? { success: true, 'error-codes': [], hostname: 'localhost' } : { success: false, 'error-codes': ['timeout-or-duplicate'] },
    )
  })
}

/** A person with an account at a service. */
export interface FakePerson {
  readonly id: string
  readonly login: string
  readonly name: string
  /** At GitHub: addresses with whether they are verified, and login names of organisations. */
  readonly mails?: ReadonlyArray<{ readonly email: string; readonly verified: boolean }>
  readonly organizations?: readonly string[]
}

interface Grants {
  /** @returns a code for this person, valid once; with a challenge, only together with its verifier */
  codeFor(person: FakePerson, challenge?: string): string
  redeem(code: string, verifier: string | undefined): string | null
  owner(authorization: string | null): FakePerson | undefined
}

/** Codes and tokens that an OAuth server has issued. */
function grants(): Grants {
  const codes = new Map<string, { readonly person: FakePerson; readonly challenge: string }>()
  const tokens = new Map<string, FakePerson>()
  let count = 0
  return {
    codeFor(person, challenge = '') {
      const code = `code-${++count}`
      codes.set(code, { person, challenge })
      return code
    },
    redeem(code, verifier) {
      const grant = codes.get(code)
      codes.delete(code)
      const digest = new Bun.CryptoHasher('sha256').update(verifier ?? '').digest('base64url')
      if (grant === undefined || (grant.challenge !== '' && grant.challenge !== digest)) return null
      const token = `token-${++count}`
      tokens.set(token, grant.person)
      return token
    },
    owner: (authorization) => tokens.get(authorization?.replace(/^Bearer /, '') ?? ''),
  }
}

export type FakeProvider = FakeService & Pick<Grants, 'codeFor'>

/** What GitHub's user calls say of a person. */
function aboutPerson({ id, login, name, mails = [], organizations }: FakePerson, path: string, page: number): Response {
  if (path === '/user') return Response.json({ id: Number(id), login, name, email: 'unproven@example.com' })
  if (path === '/user/emails') return Response.json(mails)
  // Without the scope, as for a login that began before the rule.
  if (organizations === undefined) return Response.json({ message: 'You need at least read:org scope' }, { status: 403 })
  return Response.json(organizations.slice((page - 1) * 100, page * 100).map((organization) => ({ login: organization })))
}

/** GitHub's token and user calls. The token call returns errors with status 200. */
export function fakeGithub(client: { readonly id: string; readonly secret: string }): FakeProvider {
  const { codeFor, redeem, owner } = grants()
  const service = fakeService(({ method, path, query, headers, body }) => {
    if (method === 'POST' && path === '/login/oauth/access_token') {
      const { client_id, client_secret, code, code_verifier } = JSON.parse(body)
      if (client_id !== client.id || client_secret !== client.secret) return Response.json({ error: 'incorrect_client_credentials' })
      const token = redeem(code, code_verifier)
      return token === null
        ? Response.json({ error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' })
        : Response.json({ access_token: token, token_type: 'bearer', scope: 'user:email' })
    }
    const person = owner(headers.get('authorization'))
    if (person === undefined) return Response.json({ message: 'Bad credentials' }, { status: 401 })
    return aboutPerson(person, path, Number(query.get('page')))
  })
  return { ...service, codeFor }
}

/** Lark's token call, version 2, and the account call of its passport. */
export function fakeLark(client: { readonly id: string; readonly secret: string }): FakeProvider {
  const { codeFor, redeem, owner } = grants()
  const service = fakeService(({ method, path, headers, body }) => {
    if (method === 'POST' && path === '/open-apis/authen/v2/oauth/token') {
      const { grant_type, client_id, client_secret, code, code_verifier } = JSON.parse(body)
      const token = redeem(code, code_verifier)
      if (grant_type !== 'authorization_code' || client_id !== client.id || client_secret !== client.secret || token === null)
        return Response.json(
          { code: 20003, error: 'invalid_grant', error_description: 'The authorization code is invalid.' },
          { status: 400 },
        )
      return Response.json({ code: 0, access_token: token, expires_in: 7200, token_type: 'Bearer' })
    }
    const person = path === '/suite/passport/oauth/userinfo' ? owner(headers.get('authorization')) : undefined
    if (person === undefined) return Response.json({ error: 'invalid_token' }, { status: 401 })
    return Response.json({ sub: person.id, open_id: person.id, name: person.name })
  })
  return { ...service, codeFor }
}

/** The WeChat server; `owners` maps codes to people. */
export function fakeWechat(serverToken: string, owners: Readonly<Record<string, string>>): FakeService {
  return fakeService(({ path, query, headers }) => {
    if (path !== '/api/wechat/user') return new Response('not found', { status: 404 })
    if (headers.get('authorization') !== serverToken) return Response.json({ success: false, message: 'wrong token', data: '' })
    return Response.json({ success: true, message: '', data: owners[query.get('code') ?? ''] ?? '' })
  })
}

/** The message pusher. */
export function fakePusher(token: string): FakeService {
  return fakeService(({ body }) =>
    JSON.parse(body).token === token
      ? Response.json({ success: true, message: 'ok' })
      : Response.json({ success: false, message: 'wrong token' }),
  )
}

/** GitHub's call for the latest release. */
export function fakeReleases(release: { readonly tag_name: string; readonly body: string }): FakeService {
  return fakeService(({ method, path }) =>
    method === 'GET' && /^\/repos\/\w+\/\w+\/releases\/latest$/.test(path)
      ? Response.json({ id: 1, ...release, draft: false, prerelease: false })
      : Response.json({ message: 'Not Found' }, { status: 404 }),
  )
}
