import type { Settings } from '@sluice/contract'
import { AppError } from '../lib/app-error.ts'
import { type Service, textOf } from './call.ts'
import { type Identify, refusedBy } from './identity.ts'

interface GithubDeps {
  readonly service: Service
  /** Base URL for exchanging codes for tokens, and base URL of the API. */
  readonly base: string
  readonly apiBase: string
  readonly settings: () => Settings
}

/** https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps, read 2026-11-21. */
export function createGithub({ service, base, apiBase, settings }: GithubDeps): Identify {
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
    if (!Number.isSafeInteger(id) || Number(id) <= 0) throw new AppError('outside_invalid', { params: { service: service.name } })
    return { id: String(id), loginName: textOf(login), name: textOf(name) || textOf(login) }
  }
}
