import { callOf, type Endpoint } from './endpoint.ts'

/** `count` calls in `perSeconds`. */
export interface RateLimit {
  readonly count: number
  readonly perSeconds: number
}

/**
 * Rate limits by class. A call is counted in one class only: by its account, or by the client's address if nobody is signed in. So clients
 * behind one address do not lock each other out, and classes do not use up each other's limits.
 */
export const rateLimits = {
  /** Every call that is in no other class. */
  api: { count: 480, perSeconds: 180 },
  login: { count: 60, perSeconds: 300 },
  register: { count: 20, perSeconds: 1_200 },
  /** Calls that send mail. */
  mail: { count: 20, perSeconds: 1_200 },
  /**
   * Mails to one mailbox, whoever requests them. Counted in the handler, which knows the mailbox. Clients behind an unconfigured proxy
   * share an address, so limits by address must be less strict.
   */
  mailbox: { count: 3, perSeconds: 600 },
  reset: { count: 20, perSeconds: 1_200 },
  oauth: { count: 60, perSeconds: 1_200 },
  bind: { count: 20, perSeconds: 1_200 },
  /** Twenty codes may be sent at once. Guesses have a stricter limit in the handler. */
  redeem: { count: 60, perSeconds: 600 },
  /** Searches read more rows than lists. */
  search: { count: 120, perSeconds: 60 },
  /** Exports read everything that matches. */
  export: { count: 30, perSeconds: 600 },
  /** A file of many channels is sent in parts, once for its preview and once to import it. */
  import: { count: 300, perSeconds: 600 },
  /** Previews of public texts, which are rendered while they are typed. */
  preview: { count: 240, perSeconds: 120 },
  /** Calls that make this server call another one. */
  outside: { count: 20, perSeconds: 600 },
} as const satisfies Record<string, RateLimit>

export type LimitClass = keyof typeof rateLimits

const classOfCall: Readonly<Record<string, LimitClass>> = {
  'POST /api/user/login': 'login',
  'POST /api/user/login/code': 'login',
  'POST /api/user/login/passkey/begin': 'login',
  'POST /api/user/login/passkey': 'login',
  'POST /api/second_factor/app': 'bind',
  'POST /api/second_factor/app/confirm': 'bind',
  'POST /api/second_factor/recovery_codes': 'bind',
  'POST /api/passkey/begin': 'bind',
  'POST /api/passkey': 'bind',
  'POST /api/access_token': 'bind',
  'POST /api/notification': 'bind',
  'POST /api/notification/:id/test': 'outside',
  'POST /api/user/register': 'register',
  'GET /api/verification': 'mail',
  'GET /api/reset_password': 'mail',
  'POST /api/user/reset': 'reset',
  'GET /api/oauth/state': 'oauth',
  'GET /api/oauth/github': 'oauth',
  'GET /api/oauth/google': 'oauth',
  'GET /api/oauth/oidc': 'oauth',
  'GET /api/oauth/lark': 'oauth',
  'GET /api/oauth/wechat': 'oauth',
  'GET /api/oauth/wechat/bind': 'bind',
  'GET /api/oauth/email/bind': 'bind',
  'POST /api/oauth/unbind': 'bind',
  'POST /api/user/unbind': 'bind',
  'DELETE /api/user/token': 'bind',
  'DELETE /api/user/:id/access_tokens/:token': 'bind',
  'GET /api/user/invited': 'search',
  'POST /api/user/topup': 'redeem',
  'GET /api/user/search': 'search',
  'GET /api/channel/search': 'search',
  'GET /api/token/search': 'search',
  'GET /api/redemption/search': 'search',
  'GET /api/log/search': 'search',
  'GET /api/log/self/search': 'search',
  'GET /api/log/export': 'export',
  'GET /api/log/self/export': 'export',
  'GET /api/token/export': 'export',
  'GET /api/channel/export': 'export',
  'POST /api/channel/export': 'export',
  'POST /api/channel/export/keys': 'export',
  'POST /api/channel/import': 'import',
  'GET /api/redemption/export': 'export',
  'GET /api/task/export': 'export',
  'GET /api/task/self/export': 'export',
  'GET /api/user/export': 'export',
  'POST /api/option/preview': 'preview',
  'POST /api/option/test_mail': 'mail',
  'POST /api/option/test_pusher': 'outside',
  'GET /api/option/release': 'outside',
}

export const limitedCalls: readonly string[] = Object.keys(classOfCall)

/** The class that a call is counted in. */
export function limitOf(endpoint: Pick<Endpoint, 'method' | 'path'>): LimitClass {
  return classOfCall[callOf(endpoint)] ?? 'api'
}

export function isLimitClass(name: string): name is LimitClass {
  return Object.hasOwn(rateLimits, name)
}
