/** Base URLs of external services. They are constants that no request can change; tests replace them. */
export const outsideAddresses = {
  /** https://docs.github.com/en/apps/oauth-apps/building-oauth-apps/authorizing-oauth-apps, read 2026-11-21. */
  github: 'https://github.com',
  githubApi: 'https://api.github.com',
  /** https://open.feishu.cn/document, "Get user_access_token" v2, read 2026-11-21. */
  lark: 'https://open.feishu.cn',
  larkPassport: 'https://passport.feishu.cn',
  /** The issuer; https://developers.google.com/identity/openid-connect/openid-connect, read 2026-11-24. */
  google: 'https://accounts.google.com',
  /** https://developers.cloudflare.com/turnstile/get-started/server-side-validation, read 2026-11-21. */
  turnstile: 'https://challenges.cloudflare.com',
} as const

export type OutsideAddresses = { readonly [Name in keyof typeof outsideAddresses]: string }
