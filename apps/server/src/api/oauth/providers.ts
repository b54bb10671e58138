import { isHttpAddress, type Settings } from '@sluice/contract'
import type { IdentityColumn } from './queries.ts'

/** A service that knows who somebody is. */
export interface Provider {
  readonly name: string
  readonly column: IdentityColumn
  /** Whether it is switched on and has all that it needs. */
  readonly isOn: (settings: Settings) => boolean
  /** Of accounts that it brings: `prefix_` and what makes it unique, and a name for display where it tells none. */
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
