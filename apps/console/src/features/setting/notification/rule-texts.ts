import type { RuleRow } from '@sluice/contract'
import { formatQuota } from '../../../lib/quota.ts'
import { useMoney } from '../../../lib/status.ts'
import { useT } from '../../../lib/t.ts'

/** What a rule watches, in a sentence. */
export function useWhenText(): (rule: RuleRow) => string {
  const t = useT()
  const money = useMoney()
  return ({ kind, scope, threshold, hours }) => {
    if (kind === 'channel') return t('notify.when.channel')
    if (kind === 'errors') return t('notify.when.errors', { share: threshold, count: hours })
    return t(`notify.when.${kind}.${scope}`, { amount: formatQuota(threshold, money) })
  }
}

/** Where a rule sends to. */
export function useTargetText(): (rule: Pick<RuleRow, 'target' | 'address'>) => string {
  const t = useT()
  return ({ target, address }) => t(`notify.to.${target}`, { address })
}
