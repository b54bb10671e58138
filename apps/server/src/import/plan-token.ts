import { tokenStatus } from '@sluice/contract'
import type { Insertable } from 'kysely'
import type { TokenTable } from '../db/schema.ts'
import { parseSubnet } from '../lib/cidr.ts'
import { bool, listOf, present, type RowOf, text, time, whole } from './cells.ts'
import { fitName, leaveOut, type Plan, refuse, take } from './plan.ts'

export const tokenColumns = {
  id: whole(),
  user_id: whole(),
  key: text,
  status: whole(tokenStatus.enabled),
  name: text,
  created_time: time(),
  accessed_time: time(),
  expired_time: time(-1),
  remain_quota: whole(),
  unlimited_quota: bool,
  used_quota: whole(),
  models: text,
  subnet: text,
  model_limits_enabled: bool,
  model_limits: text,
  allow_ips: text,
  group: text,
  deleted_at: present,
} as const
export type SourceToken = RowOf<typeof tokenColumns>

export interface PlannedToken {
  readonly sourceId: number
  readonly key: string
  readonly row: Omit<Insertable<TokenTable>, 'key_lookup' | 'key_sealed'>
}

/** Keys that the relay accepts after `sk-`. */
const sendable = /^[A-Za-z0-9]{1,128}$/

interface TokenPlace {
  /** Ids of the source -> ids here. */
  readonly users: ReadonlyMap<number, number>
  readonly refusedUsers: ReadonlySet<number>
}

/** Plans a token with its key unchanged, so that its clients continue to work. */
export function planToken(token: SourceToken, { users, refusedUsers }: TokenPlace): Plan<PlannedToken> {
  const userId = users.get(token.user_id)
  if (token.deleted_at) return leaveOut('the token was deleted')
  if (refusedUsers.has(token.user_id)) return refuse(`its account ${token.user_id} was refused`)
  if (userId === undefined) return leaveOut(`its account ${token.user_id} is not here`)
  if (!sendable.test(token.key)) return refuse('its key is empty or has characters that no client can send')
  const subnets = listOf(token.subnet || token.allow_ips, /[,\s]/)
  const unreadable = subnets.find((subnet) => parseSubnet(subnet) === null)
  if (unreadable !== undefined)
    return refuse(`its address range ${JSON.stringify(unreadable)} cannot be read, and without it anyone could use the token`)
  const models = listOf(token.model_limits_enabled ? token.model_limits : token.models)
  const row = {
    user_id: userId,
    name: fitName(token.name, `token ${token.id}`),
    status: knownStatuses.includes(token.status) ? token.status : tokenStatus.disabled,
    created_time: token.created_time,
    accessed_time: token.accessed_time,
    expired_time: token.expired_time,
    remain_quota: Math.max(0, token.remain_quota),
    unlimited_quota: token.unlimited_quota ? 1 : 0,
    used_quota: token.used_quota,
    models: models.join(','),
    subnet: subnets.join(','),
  }
  return take({ sourceId: token.id, key: token.key, row }, [
    row.status === token.status ? null : `status ${token.status} became ${row.status}`,
    token.remain_quota < 0 && !token.unlimited_quota ? `limit of ${token.remain_quota} became 0` : null,
    token.group === '' ? null : `group ${JSON.stringify(token.group)} was not kept: the groups of its account count`,
  ])
}

const knownStatuses: readonly number[] = Object.values(tokenStatus)
