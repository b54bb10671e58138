import { redemptionQuotaMax, redemptionStatus } from '@sluice/contract'
import type { Insertable } from 'kysely'
import type { RedemptionTable } from '../db/schema.ts'
import { present, type RowOf, text, time, whole } from './cells.ts'
import { fitName, leaveOut, type Plan, refuse, take } from './plan.ts'

export const redemptionColumns = {
  id: whole(),
  user_id: whole(),
  key: text,
  status: whole(redemptionStatus.unused),
  name: text,
  quota: whole(),
  created_time: time(),
  redeemed_time: time(),
  used_user_id: whole(),
  /** 0 = never. */
  expired_time: time(),
  deleted_at: present,
} as const
export type SourceRedemption = RowOf<typeof redemptionColumns>

export interface PlannedRedemption {
  readonly sourceId: number
  readonly key: string
  readonly row: Omit<Insertable<RedemptionTable>, 'key_lookup' | 'key_sealed'>
}

interface RedemptionPlace {
  /** Ids of the source -> ids here; 0 if the account was not imported. */
  readonly users: ReadonlyMap<number, number>
}

/** Plans a top-up code. Used ones are imported too, so that they cannot be redeemed again here. */
export function planRedemption(code: SourceRedemption, { users }: RedemptionPlace): Plan<PlannedRedemption> {
  if (code.deleted_at) return leaveOut('the code was deleted')
  if (code.key === '' || code.key.length > keyMax) return refuse('its code is empty or too long')
  if (code.quota < 1 || code.quota > redemptionQuotaMax) return refuse(`its quota ${code.quota} is out of range`)
  const status = knownStatuses.includes(code.status) ? code.status : redemptionStatus.disabled
  const row = {
    user_id: users.get(code.user_id) ?? 0,
    status,
    name: fitName(code.name, `code ${code.id}`, nameMax),
    quota: code.quota,
    created_time: code.created_time,
    redeemed_time: code.redeemed_time,
    expired_time: code.expired_time > 0 ? code.expired_time : -1,
    used_user_id: users.get(code.used_user_id) ?? 0,
  }
  return take({ sourceId: code.id, key: code.key, row }, [status === code.status ? null : `status ${code.status} became ${status}`])
}

/** Most characters of a code's name. */
const nameMax = 20

/** Most characters of a code that can be redeemed. */
const keyMax = 128

const knownStatuses: readonly number[] = Object.values(redemptionStatus)
