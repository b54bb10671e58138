import { neededFacts, type Settings } from '@sluice/contract'
import { AppError } from '../lib/app-error.ts'
import { type Service, textOf } from './call.ts'
import { type Identify, noFacts, refusedBy } from './identity.ts'

interface GithubDeps {
  readonly service: Service
  /** Base URL for exchanging codes for tokens, and base URL of the API. */
  readonly base: string
  readonly apiBase: string
  readonly settings: () => Settings
}

/** Organisations in one response, and the maximum number of responses that are read. */
const pageRows = 100
const pagesMax = 10

/** https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps, read 2026-11-21. */
export function createGithub({ service, base, apiBase, settings }: GithubDeps): Identify {
  /** Addresses that GitHub has verified. */
  async function mailsOf(token: string): Promise<readonly string[]> {
    const rows = await list(token, '/user/emails?per_page=100')
    return rows.flatMap(({ email, verified }) => (verified === true && typeof email === 'string' ? [email] : []))
  }

  async function organizationsOf(token: string): Promise<readonly string[]> {
    const names: string[] = []
    for (let page = 1; page <= pagesMax; page += 1) {
      const rows = await list(token, `/user/orgs?per_page=${pageRows}&page=${page}`)
      names.push(...rows.map(({ login }) => textOf(login)))
      if (rows.length < pageRows) break
    }
    return names
  }

  /** Without the scope GitHub responds with an object that says so. */
  async function list(token: string, path: string) {
    const rows = await service.list({ url: `${apiBase}${path}`, headers: { authorization: `Bearer ${token}` } })
    if (rows === null) throw refusedBy(service.name, 'it does not show what the rules of this server need')
    return rows
  }

  return async ({ code, verifier }) => {
    const { GitHubClientId, GitHubClientSecret } = settings()
    // GitHub reports a refusal with status 200 and `error`.
    const granted = await service.json({
      url: `${base}/login/oauth/access_token`,
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        client_id: GitHubClientId,
        client_secret: GitHubClientSecret,
        code,
        ...(verifier === '' ? {} : { code_verifier: verifier }),
      }),
    })
    const token = textOf(granted['access_token'])
    if (token === '') throw refusedBy(service.name, textOf(granted['error_description']) || textOf(granted['error']))
    const { id, login, name } = await service.json({ url: `${apiBase}/user`, headers: { authorization: `Bearer ${token}` } })
    if (!Number.isSafeInteger(id) || Number(id) <= 0) throw new AppError('service_response_invalid', { params: { service: service.name } })
    const identity = { id: String(id), loginName: textOf(login), name: textOf(name) || textOf(login) }
    const needed = neededFacts('github', settings())
    const mails = needed.mails ? await mailsOf(token) : []
    return { ...identity, facts: { ...noFacts, mails, organizations: needed.organizations ? await organizationsOf(token) : [] } }
  }
}
