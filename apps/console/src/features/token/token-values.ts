import { formText, type InputOf, type TokenForm, type TokenLimitName, type TokenRow, token, tokenLimitNames } from '@sluice/contract'
import type { Resolver } from 'react-hook-form'
import { parseWhole } from '../../lib/quota.ts'
import { isSubnet } from '../../lib/subnet.ts'
import { currentLocale, isMessageKey, type Translate } from '../../lib/t.ts'
import { splitNames } from '../../lib/text.ts'
import { expiryText, parseExpiry } from '../../lib/time.ts'
import { inputResolver } from '../../lib/use-input-form.ts'

export type TokenInput = InputOf<typeof token.create>

/** Texts as typed; empty = no limit. */
type LimitValues = Readonly<Record<TokenLimitName, string>>

/** The form's values: texts as typed, and lists. */
export interface TokenValues extends LimitValues {
  readonly name: string
  readonly remain_quota: string
  readonly unlimited_quota: boolean
  /** Local time; empty = never. */
  readonly expired_time: string
  readonly models: readonly string[]
  readonly subnet: readonly string[]
  readonly own_work_only: boolean
}

export const newToken: TokenValues = {
  name: '',
  remain_quota: '500000',
  unlimited_quota: false,
  expired_time: '',
  models: [],
  subnet: [],
  own_work_only: false,
  requests_per_minute: '',
  tokens_per_minute: '',
  requests_at_once: '',
  quota_per_day: '',
  quota_per_month: '',
}

export function valuesOf(row: TokenRow): TokenValues {
  return {
    name: row.name,
    remain_quota: String(row.remain_quota),
    unlimited_quota: row.unlimited_quota,
    expired_time: expiryText(row.expired_time),
    models: splitNames(row.models),
    subnet: splitNames(row.subnet),
    own_work_only: row.own_work_only,
    ...limitsOf((name) => (row[name] === 0 ? '' : String(row[name]))),
  }
}

/** The input of the call. Invalid numbers become `NaN`, which the schema refuses. */
export function inputOf(values: TokenValues): TokenInput {
  const { name, remain_quota, unlimited_quota, expired_time, models, subnet, own_work_only, ...limits } = values
  return {
    name,
    // A disabled field must not show an error.
    remain_quota: parseWhole(remain_quota) ?? (unlimited_quota ? 0 : Number.NaN),
    unlimited_quota,
    expired_time: parseExpiry(expired_time),
    models: models.join(','),
    subnet: subnet.join(','),
    own_work_only,
    ...limitsOf((limit) => (limits[limit].trim() === '' ? 0 : (parseWhole(limits[limit]) ?? Number.NaN))),
  }
}

/** The changed fields. A quota is sent with the value that the form showed, so that the server can apply the difference. */
export function changesOf(stored: TokenForm, input: TokenInput): InputOf<typeof token.update> {
  const before: Readonly<Record<string, unknown>> = inputOf(valuesOf(stored))
  const changed = Object.fromEntries(Object.entries(input).filter(([name, value]) => value !== before[name]))
  const { id, remain_quota_was, form_id } = stored
  return 'remain_quota' in changed ? { id, ...changed, remain_quota_was, form_id } : { id, ...changed }
}

/** The label that a field has in the form. */
export function tokenFieldName(field: string, t: Translate): string {
  const keys = [`token.${field}`, `token.limits.${field}`].filter(isMessageKey)
  return t(keys[0] ?? 'expiry.label')
}

function limitsOf<Value>(read: (name: TokenLimitName) => Value): Record<TokenLimitName, Value> {
  // Holds: the object is made from all the names.
  return Object.fromEntries(tokenLimitNames.map((name) => [name, read(name)])) as Record<TokenLimitName, Value>
}

const checkInput = inputResolver<TokenValues, TokenInput>(token.create, inputOf)

/** The schema of the call, and a rule that the server checks separately. */
export const tokenResolver: Resolver<TokenValues, unknown, TokenInput> = async (values, context, options) => {
  const result = await checkInput(values, context, options)
  const wrong = values.subnet.find((subnet) => !isSubnet(subnet))
  if (wrong === undefined) return result
  const message = formText('subnet_invalid', { subnet: wrong }, currentLocale())
  return { values: {}, errors: { ...result.errors, subnet: { type: 'subnet', message } } }
}
