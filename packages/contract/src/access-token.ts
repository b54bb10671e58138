import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { byId, expiredTime, lengthMax, noInput, nothing, says } from './parts.ts'

/** Most personal access tokens of one account. */
export const accessTokensMax = 50

/** What every personal access token begins with, so that scanners for secrets find it. */
export const accessTokenPrefix = 'slp_'

const accessTokenRow = z.object({
  id: z.int(),
  name: z.string(),
  /** Such as `token:read`, `token:write` (which includes reading), `token:keys`, `read` or `all`. */
  scopes: z.array(z.string()),
  /** Seconds since the epoch. */
  created_time: z.int(),
  /** -1 = never. */
  expired_time: z.int(),
  /** The last use, to within five minutes; 0 = never used. */
  used_time: z.int(),
})
export type AccessTokenRow = z.output<typeof accessTokenRow>

/** The system access token of an account; `null` = it has none. */
const systemToken = z.nullable(
  z.object({
    /** Seconds since the epoch; 0 = unknown, because it is older than this record. */
    created_time: z.int(),
    /** The last use, to within five minutes; 0 = not used since then. */
    used_time: z.int(),
  }),
)
export type SystemTokenRow = z.output<typeof systemToken>

/** The access tokens of an account, the newest personal one first. */
export const accessTokensOf = { rows: z.array(accessTokenRow), system: systemToken }

/**
 * Personal access tokens of the own account: for the management API, as the system access token, but named and limited. A scope never gives
 * more than the account's role.
 */
export const accessToken = {
  /** Newest first. */
  list: endpoint({
    method: 'GET',
    path: '/api/access_token/',
    access: 'user',
    input: noInput,
    data: z.object({
      ...accessTokensOf,
      /** Every scope that is of use to the account's role, except `read` and `all`. */
      scopes: z.array(z.string()),
    }),
    needsSession: true,
  }),
  /** Shows the token in this response only. Needs a login of the last ten minutes. */
  create: endpoint({
    method: 'POST',
    path: '/api/access_token/',
    access: 'user',
    input: z.object({
      name: z
        .string(says('access_token_name_required'))
        .check(z.trim(), z.minLength(1, says('access_token_name_required')), z.maxLength(64, says('access_token_name_too_long'))),
      scopes: z
        .array(
          z.string(says('access_token_scopes_invalid')).check(lengthMax(64, 'access_token_scopes_invalid')),
          says('access_token_scopes_required'),
        )
        .check(z.minLength(1, says('access_token_scopes_required')), z.maxLength(64, says('access_token_scopes_invalid'))),
      expired_time: expiredTime,
    }),
    data: z.object({ id: z.int(), token: z.string() }),
    needsSession: true,
  }),
  remove: endpoint({ method: 'DELETE', path: '/api/access_token/:id', access: 'user', input: byId, data: nothing, needsSession: true }),
}
