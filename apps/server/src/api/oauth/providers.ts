import { isHttpAddress, type Settings } from '@sluice/contract'
import type { IdentityColumn } from './queries.ts'

/** A login service. */
export interface Provider {
  readonly name: string
  readonly column: IdentityColumn
  /** Whether it is switched on and fully configured. */
  readonly isOn: (settings: Settings) => boolean
  /** Its requests name the address of this server to which it sends the browser back. */
  readonly namesAddress: boolean
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
    namesAddress: false,
    prefix: 'github',
    displayName: 'GitHub User',
  },
  google: {
    name: 'Google',
    column: 'google_id',
    isOn: ({ GoogleOAuthEnabled, GoogleClientId, GoogleClientSecret }) =>
      GoogleOAuthEnabled && GoogleClientId !== '' && GoogleClientSecret !== '',
    namesAddress: true,
    prefix: 'google',
    displayName: 'Google User',
  },
  oidc: {
    name: 'OpenID Connect',
    column: 'oidc_id',
    isOn: ({ OidcEnabled, OidcIssuer, OidcClientId, OidcClientSecret }) =>
      OidcEnabled && OidcIssuer !== '' && OidcClientId !== '' && OidcClientSecret !== '',
    namesAddress: true,
    prefix: 'oidc',
    displayName: 'OpenID User',
  },
  /** It has no switch: a client id turns it on. */
  lark: {
    name: 'Lark',
    column: 'lark_id',
    isOn: ({ LarkClientId, LarkClientSecret }) => LarkClientId !== '' && LarkClientSecret !== '',
    namesAddress: true,
    prefix: 'lark',
    displayName: 'Lark User',
  },
  wechat: {
    name: 'WeChat',
    column: 'wechat_id',
    isOn: ({ WeChatAuthEnabled, WeChatServerAddress }) => WeChatAuthEnabled && isHttpAddress(WeChatServerAddress),
    namesAddress: false,
    prefix: 'wechat',
    displayName: 'WeChat User',
  },
} as const satisfies Record<string, Provider>

/** Whether a login fails because nobody has set the address to which the service sends the browser back. */
export function isWithoutAddress({ isOn, namesAddress }: Provider, settings: Settings): boolean {
  return namesAddress && settings.ServerAddress === '' && isOn(settings)
}

/** The names of the services whose logins fail because `ServerAddress` is empty. */
export function loginsWithoutAddress(settings: Settings): readonly string[] {
  return Object.values(providers)
    .filter((provider) => isWithoutAddress(provider, settings))
    .map(({ name }) => name)
}
