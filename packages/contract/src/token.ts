import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { byId, commaList, id, nothing, page, quota, quotaMax, says, search } from './parts.ts'

/** Token status (specification, section 4). 3 and 4 are set when the token is used and found so. */
export const tokenStatus = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const

export const tokenRow = z.object({
  id: z.int(),
  user_id: z.int(),
  /** 48 characters without `sk-`; sent to the owner only. */
  key: z.string(),
  status: z.int(),
  name: z.string(),
  /** Seconds since the epoch, like every time on this wire. */
  created_time: z.int(),
  accessed_time: z.int(),
  /** -1 = never. */
  expired_time: z.int(),
  remain_quota: z.int(),
  unlimited_quota: z.boolean(),
  used_quota: z.int(),
  /** Comma list; empty = every model. */
  models: z.string(),
  /** Comma list of CIDR ranges; empty = any address. */
  subnet: z.string(),
  /** Limits of its own; 0 = none. */
  requests_per_minute: z.int(),
  /** LLM tokens, prompts and answers. */
  tokens_per_minute: z.int(),
  requests_at_once: z.int(),
  /** Quota; days and months of UTC. */
  quota_per_day: z.int(),
  quota_per_month: z.int(),
})
export type TokenRow = z.output<typeof tokenRow>

export const tokenOrders = ['', 'remain_quota', 'used_quota'] as const

const name = z
  .string(says('token_name_required'))
  .check(z.trim(), z.minLength(1, says('token_name_required')), z.maxLength(64, says('token_name_too_long')))

/** 0, missing and -1 mean never; anything else is a time in seconds. */
const expiredTime = z._default(
  z.pipe(
    z.int(says('expiry_invalid')).check(z.gte(-1, says('expiry_invalid'))),
    z.transform((time) => (time === 0 ? -1 : time)),
  ),
  -1,
)

const fields = {
  name,
  expired_time: expiredTime,
  remain_quota: z._default(quota, 0),
  unlimited_quota: z._default(z.boolean(says('invalid_parameter')), false),
  models: commaList,
  subnet: commaList,
}

const limit = z.optional(
  z.nullable(z.int(says('token_limit_invalid')).check(z.gte(0, says('token_limit_invalid')), z.lte(quotaMax, says('token_limit_invalid')))),
)

/** Not given, as consoles that do not know them send it: none for a new token, unchanged for another. */
const limits = {
  requests_per_minute: limit,
  tokens_per_minute: limit,
  requests_at_once: limit,
  quota_per_day: limit,
  quota_per_month: limit,
}
export type TokenLimitName = keyof typeof limits
// Holds: made from the names of the table itself.
export const tokenLimitNames = Object.keys(limits) as readonly TokenLimitName[]

const usedQuota = z.optional(z.nullable(z.int(says('quota_invalid'))))

const status = z.union([z.literal(tokenStatus.enabled), z.literal(tokenStatus.disabled)], says('status_invalid'))

export const token = {
  list: endpoint({
    method: 'GET',
    path: '/api/token/',
    access: 'user',
    input: z.extend(page, { order: z._default(z.catch(z.enum(tokenOrders), ''), '') }),
    data: z.array(tokenRow),
  }),
  search: endpoint({ method: 'GET', path: '/api/token/search', access: 'user', input: search, data: z.array(tokenRow) }),
  get: endpoint({ method: 'GET', path: '/api/token/:id', access: 'user', input: byId, data: tokenRow }),
  create: endpoint({ method: 'POST', path: '/api/token/', access: 'user', input: z.object({ ...fields, ...limits }), data: tokenRow }),
  setStatus: endpoint({ method: 'PUT', path: '/api/token/?status_only', access: 'user', input: z.object({ id, status }), data: tokenRow }),
  /**
   * Consoles send the whole row back. Of `status` nothing is written. `used_quota` tells when the row was read: what was spent since
   * is taken off `remain_quota`, so that a form that was open does not undo it. Without it the quota is set to what the body says.
   */
  update: endpoint({
    method: 'PUT',
    path: '/api/token/',
    access: 'user',
    input: z.object({ id, ...fields, ...limits, used_quota: usedQuota, status: z.optional(z.nullable(z.int())) }),
    data: tokenRow,
  }),
  remove: endpoint({ method: 'DELETE', path: '/api/token/:id/', access: 'user', input: byId, data: nothing }),
}
