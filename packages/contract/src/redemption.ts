import * as z from 'zod/mini'
import { exportParams, fileStream } from './csv.ts'
import { endpoint } from './endpoint.ts'
import {
  baselineFields,
  byId,
  expiredTime,
  id,
  lengthMax,
  nothing,
  nullIs,
  page,
  queryNumber,
  says,
  search,
  searchText,
  unreadableOf,
} from './parts.ts'

/** Redemption status (specification, section 4). A used code stays used. */
export const redemptionStatus = { unused: 1, disabled: 2, used: 3 } as const

/** What a list shows and filters by: the status, and that the time of an unused code is over. Rows on the wire have the status alone. */
export const redemptionState = { ...redemptionStatus, expired: 4 } as const

/** The state of a code at a time, in seconds since the epoch. */
export function redemptionStateAt({ status, expired_time }: Pick<RedemptionRow, 'status' | 'expired_time'>, now: number): number {
  return status === redemptionStatus.unused && expired_time !== -1 && expired_time <= now ? redemptionState.expired : status
}

/** Most codes that one call creates. */
export const redemptionCountMax = 100

/** Largest quota of one code: a balance can take thousands of them and stay a safe integer. */
export const redemptionQuotaMax = 1_000_000_000_000

export const redemptionRow = z.object({
  id: z.int(),
  /** The account that created it. */
  user_id: z.int(),
  /** The code itself, which administrators copy and give away. Empty for a personal access token without `redemption:keys`. */
  key: z.string(),
  status: z.int(),
  name: z.string(),
  quota: z.int(),
  created_time: z.int(),
  /** 0 = not yet redeemed. */
  redeemed_time: z.int(),
  /** -1 = never. From this second on the code cannot be redeemed. */
  expired_time: z.int(),
  /** The account that redeemed it; 0 = none, or it was redeemed before an import. */
  used_user_id: z.int(),
  /** Always 0: only the input of `create` has a count. */
  count: z.int(),
  /** `key`: the code cannot be shown, and takes a new one; whoever has it may still redeem it. */
  unreadable: unreadableOf(['key']),
})
export type RedemptionRow = z.output<typeof redemptionRow>

/** Fields of which an update can say what its form showed. */
export const redemptionBaselineFields = ['name', 'quota', 'expired_time'] as const

/** A row in an exported file. */
export const exportedRedemption = z.omit(redemptionRow, { count: true })

const nameMax = 20
const name = z.string(says('redemption_name_invalid')).check(
  z.trim(),
  // A character has at most two UTF-16 units.
  lengthMax(nameMax * 2, 'redemption_name_invalid'),
  z.refine((value) => value !== '' && [...value].length <= nameMax, says('redemption_name_invalid')),
)
const quota = z
  .int(says('redemption_quota_invalid'))
  .check(z.gte(1, says('redemption_quota_invalid')), z.lte(redemptionQuotaMax, says('redemption_quota_invalid')))
const count = z
  .int(says('redemption_count_invalid'))
  .check(z.gte(1, says('redemption_count_invalid')), z.lte(redemptionCountMax, says('redemption_count_invalid')))
const status = z.union([z.literal(redemptionStatus.unused), z.literal(redemptionStatus.disabled)], says('status_invalid'))

/** Filters of the list and the search; 0 means all. */
const filters = { status: queryNumber }

export const redemption = {
  list: endpoint({
    method: 'GET',
    path: '/api/redemption/',
    access: 'admin',
    keyScope: 'redemption:keys',
    input: z.extend(page, filters),
    data: z.array(redemptionRow),
  }),
  search: endpoint({
    method: 'GET',
    path: '/api/redemption/search',
    access: 'admin',
    keyScope: 'redemption:keys',
    input: z.extend(search, filters),
    data: z.array(redemptionRow),
  }),
  /** All matching rows as a file, newest first. */
  export: endpoint({
    method: 'GET',
    path: '/api/redemption/export',
    access: 'admin',
    keyScope: 'redemption:keys',
    input: z.object({ keyword: searchText, ...filters, ...exportParams }),
    data: fileStream,
    fileRow: exportedRedemption,
  }),
  get: endpoint({
    method: 'GET',
    path: '/api/redemption/:id',
    access: 'admin',
    keyScope: 'redemption:keys',
    input: byId,
    data: redemptionRow,
  }),
  /** Creates all of the codes, or none. */
  create: endpoint({
    method: 'POST',
    path: '/api/redemption/',
    access: 'admin',
    input: z.object({ name, quota, count: z._default(count, 1), expired_time: z._default(nullIs(0, expiredTime), -1) }),
    data: z.array(z.string()),
  }),
  setStatus: endpoint({
    method: 'PUT',
    path: '/api/redemption/?status_only',
    access: 'admin',
    keyScope: 'redemption:keys',
    input: z.object({ id, status }),
    data: redemptionRow,
  }),
  /** Missing and null fields stay unchanged. */
  update: endpoint({
    method: 'PUT',
    path: '/api/redemption/',
    access: 'admin',
    keyScope: 'redemption:keys',
    input: z.object({
      id,
      name: z.optional(z.nullable(name)),
      quota: z.optional(z.nullable(quota)),
      expired_time: z.optional(z.nullable(expiredTime)),
      shown: baselineFields(redemptionRow, redemptionBaselineFields),
    }),
    data: redemptionRow,
  }),
  /** Replaces a code that was not redeemed: the old one is refused from then on. @returns the row with the new code */
  replaceKey: endpoint({ method: 'POST', path: '/api/redemption/:id/key', access: 'admin', input: byId, data: redemptionRow }),
  remove: endpoint({ method: 'DELETE', path: '/api/redemption/:id/', access: 'admin', input: byId, data: nothing }),
  /** Redeems a code for the caller. @returns its quota */
  redeem: endpoint({
    method: 'POST',
    path: '/api/user/topup',
    access: 'user',
    input: z.object({
      key: z
        .string(says('redemption_key_required'))
        .check(z.trim(), z.minLength(1, says('redemption_key_required')), z.maxLength(128, says('redemption_invalid'))),
    }),
    data: z.int(),
  }),
}
