import type { RuleRow } from '@sluice/contract'
import { formatQuota } from '../../../lib/quota.ts'
import { useMoney } from '../../../lib/status.ts'
import { useT } from '../../../lib/t.ts'

/** What a rule watches, in a sentence. */
export function useWhenText(): (rule: RuleRow) => string {
  const t = useT()
  const money = useMoney()
  return ({ kind, scope, threshold, hours, model_name: model, channel, channel_name }) => {
    const name = channel_name === '' ? `#${channel}` : `${channel_name} (#${channel})`
    if (kind === 'channel') return channel === 0 ? t('notify.when.channel') : t('notify.when.channel.one', { name })
    if (kind === 'errors') {
      const facts = { share: threshold, count: hours }
      if (model !== '') return t('notify.when.errors.model', { ...facts, name: model })
      return channel === 0 ? t('notify.when.errors', facts) : t('notify.when.errors.channel', { ...facts, name })
    }
    return t(`notify.when.${kind}.${scope}`, { amount: formatQuota(threshold, money) })
  }
}

/** Where a rule sends to. */
export function useTargetText(): (rule: Pick<RuleRow, 'target' | 'address'>) => string {
  const t = useT()
  return ({ target, address }) => t(`notify.to.${target}`, { address })
}
