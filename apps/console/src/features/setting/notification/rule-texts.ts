import type { RuleRow } from '@sluice/contract'
import { formatQuota } from '../../../lib/quota.ts'
import { useMoney } from '../../../lib/status.ts'
import { useT } from '../../../lib/t.ts'

/** What a rule watches, in a sentence. */
export function useWhenText(): (rule: RuleRow) => string {
  const t = useT()
  const money = useMoney()
  const ofErrors = (rule: RuleRow): string => {
    const { threshold: share, hours: count, model_name: model, channel } = rule
    if (model !== '') return t('notify.when.errors.model', { share, count, name: model })
    return channel === 0 ? t('notify.when.errors', { share, count }) : t('notify.when.errors.channel', { share, count, name: nameOf(rule) })
  }
  return (rule) => {
    const { kind, scope, threshold, channel } = rule
    switch (kind) {
      case 'channel':
        return channel === 0 ? t('notify.when.channel') : t('notify.when.channel.one', { name: nameOf(rule) })
      case 'backup':
      case 'set_aside':
        return t(`notify.when.${kind}`)
      case 'errors':
        return ofErrors(rule)
      case 'balance':
      case 'spend':
        return t(`notify.when.${kind}.${scope}`, { amount: formatQuota(threshold, money) })
    }
  }
}

/** The channel that a rule watches; a deleted one has no name. */
function nameOf({ channel, channel_name: name }: RuleRow): string {
  return name === '' ? `#${channel}` : `${name} (#${channel})`
}

/** Where a rule sends to. */
export function useTargetText(): (rule: Pick<RuleRow, 'target' | 'address'>) => string {
  const t = useT()
  return ({ target, address }) => t(`notify.to.${target}`, { address })
}
