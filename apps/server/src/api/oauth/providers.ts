import { isHttpAddress, type Settings } from '@sluice/contract'
import type { IdentityColumn } from './queries.ts'

/** A login service. */
export interface Provider {
  readonly name: string
  readonly column: IdentityColumn
  /** Whether it is switched on and fully configured. */
  readonly isOn: (settings: Settings) => boolean
  /** For new accounts: the prefix of usernames (`prefix_` and random text), and the display name if the service reports none. */
  readonly prefix: string
  readonly displayName: string
}

export const providers = {
  github: {
    name: 'GitHub',
    column: 'github_id',
    isOn: ({ GitHubOAuthEnabled, GitHubClientId, GitHubClientSecret }) =>
      GitHubOAuthEnabled && GitHubClientId !== '' && GitHubClientSecret !== '',
    prefix: 'github',
    displayName: 'GitHub User',
  },
  google: {
    name: 'Google',
    column: 'google_id',
    isOn: ({ GoogleOAuthEnabled, GoogleClientId, GoogleClientSecret }) =>
      GoogleOAuthEnabled && GoogleClientId !== '' && GoogleClientSecret !== '',
    prefix: 'google',
    displayName: 'Google User',
  },
  oidc: {
    name: 'OpenID Connect',
    column: 'oidc_id',
    isOn: ({ OidcEnabled, OidcIssuer, OidcClientId, OidcClientSecret }) =>
      OidcEnabled && OidcIssuer !== '' && OidcClientId !== '' && OidcClientSecret !== '',
    prefix: 'oidc',
    displayName: 'OpenID User',
  },
  /** It has no switch: a client id turns it on. */
  lark: {
    name: 'Lark',
    column: 'lark_id',
    isOn: ({ LarkClientId, LarkClientSecret }) => LarkClientId !== '' && LarkClientSecret !== '',
    prefix: 'lark',
    displayName: 'Lark User',
  },
  wechat: {
    name: 'WeChat',
    column: 'wechat_id',
    isOn: ({ WeChatAuthEnabled, WeChatServerAddress }) => WeChatAuthEnabled && isHttpAddress(WeChatServerAddress),
    prefix: 'wechat',
    displayName: 'WeChat User',
  },
} as const satisfies Record<string, Provider>
