import { type RuleKind, type RuleRow, type RuleScope, type RuleTarget, scopesOfRule, thresholdMaxOf } from '@sluice/contract'
import { parseWhole } from '../../../lib/quota.ts'

/** What the form holds, as typed. */
export interface RuleDraft {
  readonly name: string
  readonly kind: RuleKind
  readonly scope: RuleScope
  readonly threshold: string
  readonly hours: number
  readonly target: RuleTarget
  readonly url: string
  readonly is_on: boolean
}

export function draftOf(rule: RuleRow | null): RuleDraft {
  if (rule === null) return { name: '', kind: 'balance', scope: 'own', threshold: '', hours: 1, target: 'mail', url: '', is_on: true }
  return { ...rule, threshold: String(rule.threshold), url: '' }
}

/** The draft with another kind: a scope that it does not have, and the threshold in another unit, are replaced. */
export function withKind(draft: RuleDraft, kind: RuleKind): RuleDraft {
  const scopes = scopesOfRule[kind]
  const [first = 'own'] = scopes
  const isOther = thresholdMaxOf[kind] !== thresholdMaxOf[draft.kind]
  return { ...draft, kind, scope: scopes.includes(draft.scope) ? draft.scope : first, threshold: isOther ? '' : draft.threshold }
}

export type DraftFault = 'name' | 'threshold' | 'url'

/** What is missing or cannot be. @param isNew a stored webhook keeps its address */
export function faultsOf({ name, kind, threshold, target, url }: RuleDraft, isNew: boolean): readonly DraftFault[] {
  const max = thresholdMaxOf[kind]
  const amount = parseWhole(threshold)
  const faults: DraftFault[] = []
  if (name.trim() === '') faults.push('name')
  if (max > 0 && (amount === null || amount < 1 || amount > max)) faults.push('threshold')
  if (isNew && target === 'webhook' && url.trim() === '') faults.push('url')
  return faults
}

/** What both calls send. */
export function changeOf({ name, kind, threshold, hours, url, is_on }: RuleDraft) {
  return { name: name.trim(), threshold: thresholdMaxOf[kind] === 0 ? 0 : (parseWhole(threshold) ?? 0), hours, url: url.trim(), is_on }
}
