import { type InputOf, type RedemptionRow, redemption } from '@sluice/contract'
import { parseWhole } from '../../lib/quota.ts'
import { expiryText, parseExpiry } from '../../lib/time.ts'
import { inputResolver } from '../../lib/use-input-form.ts'

/** The form's values, as typed. */
export interface RedemptionValues {
  readonly name: string
  readonly quota: string
  /** Number of codes; of new codes only. */
  readonly count: string
  /** Local time; empty = never. */
  readonly expired_time: string
}

export type RedemptionInput = InputOf<typeof redemption.create>

/** Of new codes; quota and count as in the specification, section 9. */
export const newRedemption: RedemptionValues = { name: '', quota: '100000', count: '1', expired_time: '' }

export const valuesOf = ({ name, quota, expired_time }: RedemptionRow): RedemptionValues => ({
  name,
  quota: String(quota),
  count: '1',
  expired_time: expiryText(expired_time),
})

/** The changed fields. An unchanged expiry may be over, and the server would refuse it. */
export function changesOf(stored: RedemptionRow, { count: _, ...input }: RedemptionInput): InputOf<typeof redemption.update> {
  const before: Readonly<Record<string, unknown>> = stored
  return { id: stored.id, ...Object.fromEntries(Object.entries(input).filter(([name, value]) => value !== before[name])) }
}

/** Invalid numbers become `NaN`, which the schema refuses. */
export const redemptionResolver = inputResolver<RedemptionValues, RedemptionInput>(
  redemption.create,
  ({ name, quota, count, expired_time }) => ({
    name,
    quota: parseWhole(quota) ?? Number.NaN,
    count: parseWhole(count) ?? Number.NaN,
    expired_time: parseExpiry(expired_time),
  }),
)
