import { messageText, type Settings } from '@sluice/contract'
import { quotaFor, ratesOf } from '../../ledger/price.ts'

/** Who pays a flat price, and for what. */
interface FlatPriceKey {
  readonly group: string
  readonly type: number
  readonly model: string
}

export interface FlatPrice {
  /** Quota. */
  readonly amount: number
  /** The factors as text, for the log row; empty = none is set. */
  readonly factors: string
}

/** A fixed amount of quota at the factors that all prices have: of the group, of the type of the channel, and of the model. Rounded up. */
export function flatPrice(quota: number, { group, type, model }: FlatPriceKey, settings: Settings): FlatPrice {
  const { GroupRatio, ChannelTypeRatio, RetailRatio } = settings
  const factors = [
    ['log_group_factor', GroupRatio.get(group) ?? 1],
    ['log_type_factor', ChannelTypeRatio.get(String(type)) ?? 1],
    ['log_retail_factor', RetailRatio.get(model) ?? 1],
  ] as const
  const rates = ratesOf({ calls: [quota, ...factors.map(([, factor]) => factor)] })
  const set = factors.filter(([, factor]) => factor !== 1)
  return { amount: quotaFor({ calls: 1 }, rates), factors: set.map(([key, factor]) => messageText(key, { factor })).join('') }
}
