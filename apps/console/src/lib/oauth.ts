import { oauth, type StatusObject, withoutTrailingSlashes } from '@sluice/contract'
import { callEnvelope } from './api.ts'
import { basePath } from './base-path.ts'
import { isElsewhere } from './gateway-address.ts'
import type { LoginMethod } from './login-method.ts'

/** Services that send the browser back to `/oauth/NAME`. */
export type OauthProvider = Extract<LoginMethod, 'github' | 'google' | 'oidc' | 'lark'>

type Status = Partial<StatusObject>

interface Begun {
  readonly state: string
  /** PKCE (RFC 7636); empty = the server gave none. */
  readonly challenge: string
  /** The whole address, where the server makes it; empty otherwise. */
  readonly address: string
}

/** Whether the server offers a login by this service. */
export function isOffered(provider: OauthProvider, status: Status): boolean {
  const { github_oauth = false, google_oauth = false, oidc_login = false, lark_client_id = '' } = status
  return { github: github_oauth, google: google_oauth, oidc: oidc_login, lark: lark_client_id !== '' }[provider]
}

/** What the server calls its OpenID provider. */
export function oidcNameOf({ oidc_name = '' }: Status): string {
  return oidc_name === '' ? 'OpenID Connect' : oidc_name
}

/** Fetches a state. `null` = the server gave none. @throws CallError */
async function beginOauth(provider: OauthProvider): Promise<Begun | null> {
  const service = provider === 'google' || provider === 'oidc' ? provider : ''
  const { data, envelope } = await callEnvelope(oauth.state, { pkce: 'S256', service })
  const text = (name: string): string => (typeof envelope[name] === 'string' ? envelope[name] : '')
  if (typeof data !== 'string' || data === '') return null
  return { state: data, challenge: text('code_challenge'), address: text('authorize') }
}

/** The page of the service that asks the user. */
export function oauthAddress(provider: OauthProvider, begun: Begun, status: Status): string {
  if (begun.address !== '') return begun.address
  const pkce = begun.challenge === '' ? {} : { code_challenge: begun.challenge, code_challenge_method: 'S256' }
  const common = { ...pkce, state: begun.state }
  // https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps, read 2026-11-22.
  if (provider === 'github') {
    const query = new URLSearchParams({ client_id: status.github_client_id ?? '', ...common, scope: status.github_scopes ?? 'user:email' })
    return `https://github.com/login/oauth/authorize?${query}`
  }
  // https://open.feishu.cn/document/authentication-management/access-token/obtain-oauth-code, read 2026-11-22. The server names the same
  // redirect address when it exchanges the code: that of this page, if the console is not served by it.
  const own = isElsewhere ? location.origin : status.server_address || `${location.origin}${basePath}`
  const query = new URLSearchParams({
    client_id: status.lark_client_id ?? '',
    response_type: 'code',
    redirect_uri: `${withoutTrailingSlashes(own)}/oauth/lark`,
    ...common,
  })
  return `https://accounts.feishu.cn/open-apis/authen/v1/authorize?${query}`
}

/** Leaves for the page of a service, in the same tab. `false` = the server gave no state. @throws CallError */
export async function goToOauth(provider: OauthProvider, status: Status): Promise<boolean> {
  const begun = await beginOauth(provider)
  if (begun === null) return false
  location.assign(oauthAddress(provider, begun, status))
  return true
}
