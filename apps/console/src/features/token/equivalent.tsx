import type { TokenLimitName } from '@sluice/contract'
import { useWatch } from 'react-hook-form'
import { formatSmallQuota, parseWhole } from '../../lib/quota.ts'
import { useMoney } from '../../lib/status.ts'
import { useT } from '../../lib/t.ts'
import type { TokenValues } from './token-values.ts'

/** The typed quota as money, if amounts are shown as money. */
export function Equivalent({ name }: { readonly name: 'remain_quota' | TokenLimitName }) {
  const t = useT()
  const money = useMoney()
  const quota = parseWhole(useWatch<TokenValues, typeof name>({ name }))
  return money.inCurrency && quota !== null ? t('token.quota.money', { money: formatSmallQuota(quota, money) }) : null
}
