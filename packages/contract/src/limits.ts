import { callOf, type Endpoint } from './endpoint.ts'

/** So many calls in so many seconds. */
export interface RateLimit {
  readonly count: number
  readonly perSeconds: number
}

/**
 * How often calls may come, by class. A call belongs to one class and is counted there alone: by the account that makes it, or by the
 * client's address where nobody has signed in. So no neighbour behind the same address locks another out, and no class eats up another.
 */
export const rateLimits = {
  /** Every call that no class below names. */
  api: { count: 480, perSeconds: 180 },
  login: { count: 60, perSeconds: 300 },
  register: { count: 20, perSeconds: 1_200 },
  /** Calls that send mail. */
  mail: { count: 20, perSeconds: 1_200 },
  /**
   * Mails to one mailbox, whoever asks for them. Counted in the handler, which knows the mailbox: clients behind a proxy that is not named
   * look like one, so only this limit may be as strict.
   */
  mailbox: { count: 3, perSeconds: 600 },
  reset: { count: 20, perSeconds: 1_200 },
  oauth: { count: 60, perSeconds: 1_200 },
  bind: { count: 20, perSeconds: 1_200 },
  redeem: { count: 20, perSeconds: 600 },
  /** Searches look at more rows than lists do. */
  search: { count: 120, perSeconds: 60 },
} as const satisfies Record<string, RateLimit>

export type LimitClass = keyof typeof rateLimits

const classOfCall: Readonly<Record<string, LimitClass>> = {
  'POST /api/user/login': 'login',
  'POST /api/user/register': 'register',
  'GET /api/verification': 'mail',
  'GET /api/reset_password': 'mail',
  'POST /api/user/reset': 'reset',
  'GET /api/oauth/state': 'oauth',
  'GET /api/oauth/github': 'oauth',
  'GET /api/oauth/lark': 'oauth',
  'GET /api/oauth/wechat': 'oauth',
  'GET /api/oauth/wechat/bind': 'bind',
  'GET /api/oauth/email/bind': 'bind',
  'POST /api/user/topup': 'redeem',
  'GET /api/user/search': 'search',
  'GET /api/channel/search': 'search',
  'GET /api/token/search': 'search',
  'GET /api/redemption/search': 'search',
  'GET /api/log/search': 'search',
  'GET /api/log/self/search': 'search',
}

export const limitedCalls: readonly string[] = Object.keys(classOfCall)

/** The class that a call is counted in. */
export function limitOf(endpoint: Pick<Endpoint, 'method' | 'path'>): LimitClass {
  return classOfCall[callOf(endpoint)] ?? 'api'
}

export function isLimitClass(name: string): name is LimitClass {
  return Object.hasOwn(rateLimits, name)
}
