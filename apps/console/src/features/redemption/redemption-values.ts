import { type InputOf, type RedemptionRow, redemption } from '@sluice/contract'
import { parseWhole } from '../../lib/quota.ts'
import { inputResolver } from '../../lib/use-input-form.ts'

/** The form's values, as typed. */
export interface RedemptionValues {
  readonly name: string
  readonly quota: string
  /** Number of codes; of new codes only. */
  readonly count: string
}

export type RedemptionInput = InputOf<typeof redemption.create>

/** Of new codes; quota and count as in the specification, section 9. */
export const newRedemption: RedemptionValues = { name: '', quota: '100000', count: '1' }

export const valuesOf = ({ name, quota }: RedemptionRow): RedemptionValues => ({ name, quota: String(quota), count: '1' })

/** Invalid numbers become `NaN`, which the schema refuses. */
export const redemptionResolver = inputResolver<RedemptionValues, RedemptionInput>(redemption.create, ({ name, quota, count }) => ({
  name,
  quota: parseWhole(quota) ?? Number.NaN,
  count: parseWhole(count) ?? Number.NaN,
}))
