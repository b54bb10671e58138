import * as z from 'zod/mini'
import { exportParams, fileStream } from './csv.ts'
import { endpoint } from './endpoint.ts'
import {
  baselineFields,
  byId,
  commaListOf,
  expiredTime,
  formId,
  id,
  nothing,
  nullIs,
  page,
  queryNumber,
  quota,
  quotaMax,
  says,
  search,
  searchText,
  unreadableOf,
} from './parts.ts'

/** Token status (specification, section 4). The server sets 3 and 4 when a request uses a token that is expired or exhausted. */
export const tokenStatus = { enabled: 1, disabled: 2, expired: 3, exhausted: 4 } as const

export const tokenRow = z.object({
  id: z.int(),
  user_id: z.int(),
  /** 48 characters without `sk-`; sent to the owner only. Empty for a personal access token without `token:keys`. */
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
  /** Limits of this token; 0 = none. */
  requests_per_minute: z.int(),
  /** LLM tokens of prompts and outputs. */
  tokens_per_minute: z.int(),
  requests_at_once: z.int(),
  /** In quota; days and months are in UTC. */
  quota_per_day: z.int(),
  quota_per_month: z.int(),
  /** It sees, cancels, deletes and continues only tasks and responses that it created itself. */
  own_work_only: z.boolean(),
  /** `key`: it cannot be shown, and takes a new one; requests that have it may still be served. */
  unreadable: unreadableOf(['key']),
})
export type TokenRow = z.output<typeof tokenRow>

/** A row in an exported file. */
export const exportedToken = z.omit(tokenRow, { key: true, unreadable: true })

/** The row that a form is filled from. */
export const tokenForm = z.extend(tokenRow, {
  /** A copy of `remain_quota` and the id of this form. Sent back, they let the server know which value the form showed. */
  remain_quota_was: z.int(),
  form_id: z.string(),
})
export type TokenForm = z.output<typeof tokenForm>

export const tokenOrders = ['', 'remain_quota', 'used_quota'] as const

const order = z._default(z.catch(z.enum(tokenOrders), ''), '')

/** Filters of the list and the search; 0 means all. The status is the one that rows show: a token whose time is over is expired. */
const filters = { status: queryNumber }

const name = z
  .string(says('token_name_required'))
  .check(z.trim(), z.minLength(1, says('token_name_required')), z.maxLength(64, says('token_name_too_long')))

const limit = nullIs(
  0,
  z.int(says('token_limit_invalid')).check(z.gte(0, says('token_limit_invalid')), z.lte(quotaMax, says('token_limit_invalid'))),
)

export const tokenLimitNames = ['requests_per_minute', 'tokens_per_minute', 'requests_at_once', 'quota_per_day', 'quota_per_month'] as const
export type TokenLimitName = (typeof tokenLimitNames)[number]

/** Fields of which an update can say what its form showed. The quota is sent as a difference, so it needs none. */
export const tokenBaselineFields = ['name', 'expired_time', 'models', 'subnet', 'own_work_only', ...tokenLimitNames] as const

const optionalLimit = z.optional(limit)

const limits = {
  requests_per_minute: optionalLimit,
  tokens_per_minute: optionalLimit,
  requests_at_once: optionalLimit,
  quota_per_day: optionalLimit,
  quota_per_month: optionalLimit,
} satisfies Readonly<Record<TokenLimitName, unknown>>

/** Null means the zero value, as in the family's other calls. */
const fields = {
  name: nullIs('', name),
  expired_time: nullIs(0, expiredTime),
  remain_quota: nullIs(0, quota),
  unlimited_quota: nullIs(false, z.boolean(says('invalid_parameter'))),
  models: nullIs('', commaListOf(65_536, 'token_models_too_long')),
  subnet: nullIs('', commaListOf(4_096, 'subnets_too_long')),
  own_work_only: nullIs(false, z.boolean(says('invalid_parameter'))),
}

const newToken = z.object({
  name: fields.name,
  expired_time: z._default(fields.expired_time, -1),
  remain_quota: z._default(fields.remain_quota, 0),
  unlimited_quota: z._default(fields.unlimited_quota, false),
  models: z._default(fields.models, ''),
  subnet: z._default(fields.subnet, ''),
  own_work_only: z._default(fields.own_work_only, false),
  ...limits,
})

/** Missing fields stay unchanged. */
const changedToken = z.object({
  id,
  name: z.optional(fields.name),
  expired_time: z.optional(fields.expired_time),
  remain_quota: z.optional(fields.remain_quota),
  unlimited_quota: z.optional(fields.unlimited_quota),
  models: z.optional(fields.models),
  subnet: z.optional(fields.subnet),
  own_work_only: z.optional(fields.own_work_only),
  ...limits,
  remain_quota_was: z.optional(z.nullable(z.int(says('quota_invalid')))),
  form_id: z.optional(z.nullable(formId)),
  used_quota: z.optional(z.nullable(z.int(says('quota_invalid')))),
  status: z.optional(z.nullable(z.int())),
  shown: baselineFields(tokenRow, tokenBaselineFields),
})

const status = z.union([z.literal(tokenStatus.enabled), z.literal(tokenStatus.disabled)], says('status_invalid'))

export const token = {
  list: endpoint({
    method: 'GET',
    path: '/api/token/',
    access: 'user',
    keyScope: 'token:keys',
    input: z.extend(page, { order, ...filters }),
    data: z.array(tokenRow),
  }),
  search: endpoint({
    method: 'GET',
    path: '/api/token/search',
    access: 'user',
    keyScope: 'token:keys',
    input: z.extend(search, { order, ...filters }),
    data: z.array(tokenRow),
  }),
  /** All matching rows as a file, newest first, without keys. */
  export: endpoint({
    method: 'GET',
    path: '/api/token/export',
    access: 'user',
    input: z.object({ keyword: searchText, ...filters, ...exportParams }),
    data: fileStream,
    fileRow: exportedToken,
  }),
  get: endpoint({ method: 'GET', path: '/api/token/:id', access: 'user', keyScope: 'token:keys', input: byId, data: tokenForm }),
  create: endpoint({ method: 'POST', path: '/api/token/', access: 'user', input: newToken, data: tokenRow }),
  setStatus: endpoint({
    method: 'PUT',
    path: '/api/token/?status_only',
    access: 'user',
    keyScope: 'token:keys',
    input: z.object({ id, status }),
    data: tokenRow,
  }),
  /**
   * Changes the fields that are sent; `status` is ignored. `remain_quota` changes the quota by its difference to the value that the form
   * showed (`remain_quota_was`) or sent last (`form_id`), so that quota spent meanwhile stays spent. Without these two, the quota spent
   * since the client read `used_quota` is subtracted from `remain_quota`; without `used_quota` too, the quota is set to it.
   */
  update: endpoint({ method: 'PUT', path: '/api/token/', access: 'user', keyScope: 'token:keys', input: changedToken, data: tokenForm }),
  /** Replaces the key: the old one is refused from the next request on. @returns the row with the new key */
  replaceKey: endpoint({ method: 'POST', path: '/api/token/:id/key', access: 'user', input: byId, data: tokenRow }),
  remove: endpoint({ method: 'DELETE', path: '/api/token/:id/', access: 'user', input: byId, data: nothing }),
}
