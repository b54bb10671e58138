import { limitsOfRule, type RuleKind, type RuleRow, type RuleScope, type RuleTarget, scopesOfRule, thresholdMaxOf } from '@sluice/contract'
import { parseWhole } from '../../../lib/quota.ts'
import { refusedField } from '../../../lib/refused-field.ts'

export type RuleLimit = 'none' | 'model' | 'channel'

/** What the form holds, as typed. */
export interface RuleDraft {
  readonly name: string
  readonly kind: RuleKind
  readonly scope: RuleScope
  readonly threshold: string
  readonly hours: number
  /** What it is limited to, and the model or the number of the channel. */
  readonly limit: RuleLimit
  readonly model: string
  readonly channel: string
  readonly target: RuleTarget
  readonly url: string
  readonly is_on: boolean
}

export function draftOf(rule: RuleRow | null): RuleDraft {
  if (rule === null) return emptyDraft
  const { model_name: model, channel } = rule
  const limit = model !== '' ? 'model' : channel > 0 ? 'channel' : 'none'
  return { ...rule, threshold: String(rule.threshold), url: '', limit, model, channel: String(channel) }
}

const emptyDraft: RuleDraft = {
  ...{ name: '', kind: 'balance', scope: 'own', threshold: '', hours: 1, target: 'mail', url: '', is_on: true },
  ...{ limit: 'none', model: '', channel: '' },
}

/** The draft with another kind: a scope or limit that it does not have, and the threshold in another unit, are replaced. */
export function withKind(draft: RuleDraft, kind: RuleKind): RuleDraft {
  const scopes = scopesOfRule[kind]
  const [first = 'own'] = scopes
  const isOther = thresholdMaxOf[kind] !== thresholdMaxOf[draft.kind]
  const limit = limitsOfRule[kind].find((one) => one === draft.limit) ?? 'none'
  return { ...draft, kind, scope: scopes.includes(draft.scope) ? draft.scope : first, threshold: isOther ? '' : draft.threshold, limit }
}

export type DraftFault = 'name' | 'threshold' | 'model' | 'channel' | 'url'
export type RuleField = DraftFault | 'kind' | 'scope' | 'hours' | 'target'

/** The fields that refusals of the server are about, by their names on the wire. */
const fieldsOnWire = {
  name: 'name',
  kind: 'kind',
  scope: 'scope',
  model_name: 'model',
  channel: 'channel',
  threshold: 'threshold',
  hours: 'hours',
  target: 'target',
  url: 'url',
} as const satisfies Readonly<Record<string, RuleField>>

/** The field that a refusal is about; `null` = none that the form shows. */
export function refusalOf(error: unknown, draft: RuleDraft, isNew: boolean): { readonly field: RuleField; readonly text: string } | null {
  // Holds: these are the names of the record.
  const refused = refusedField(error, Object.keys(fieldsOnWire) as (keyof typeof fieldsOnWire)[])
  if (refused === null) return null
  const field = fieldsOnWire[refused.name]
  return isShown(field, draft, isNew) ? { field, text: refused.text } : null
}

/** What is watched, and where it is sent to, is chosen for a new rule only. */
function isShown(field: RuleField, { kind, limit, target }: RuleDraft, isNew: boolean): boolean {
  switch (field) {
    case 'name':
      return true
    case 'threshold':
      return hasThreshold(kind)
    case 'hours':
      return kind === 'errors'
    case 'url':
      return target === 'webhook'
    case 'model':
    case 'channel':
      return isNew && limit === field
    case 'scope':
      return isNew && hasScope(kind)
    case 'kind':
    case 'target':
      return isNew
  }
}

/** Whether a kind watches one account or all, as an administrator chooses. */
export const hasScope = (kind: RuleKind): kind is 'balance' | 'spend' => kind === 'balance' || kind === 'spend'

export type KindWithThreshold = Exclude<RuleKind, 'channel' | 'backup' | 'set_aside'>

export const hasThreshold = (kind: RuleKind): kind is KindWithThreshold => thresholdMaxOf[kind] > 0

/** A part of the form. */
export interface PartProps {
  readonly draft: RuleDraft
  readonly onChange: (draft: RuleDraft) => void
  readonly isNew: boolean
  readonly errorOf: (name: RuleField) => string | undefined
}

/** What is missing or cannot be. @param isNew a stored webhook keeps its address */
export function faultsOf({ name, kind, limit, model, channel, threshold, target, url }: RuleDraft, isNew: boolean): readonly DraftFault[] {
  const max = thresholdMaxOf[kind]
  const amount = parseWhole(threshold)
  const faults: DraftFault[] = []
  if (name.trim() === '') faults.push('name')
  if (max > 0 && (amount === null || amount < 1 || amount > max)) faults.push('threshold')
  if (limit === 'model' && model.trim() === '') faults.push('model')
  if (limit === 'channel' && !((parseWhole(channel) ?? 0) > 0)) faults.push('channel')
  if (isNew && target === 'webhook' && url.trim() === '') faults.push('url')
  return faults
}

/** What both calls send. */
export function changeOf({ name, kind, threshold, hours, url, is_on }: RuleDraft) {
  return { name: name.trim(), threshold: thresholdMaxOf[kind] === 0 ? 0 : (parseWhole(threshold) ?? 0), hours, url: url.trim(), is_on }
}

/** What a new rule is limited to, as it is sent. */
export function limitOf({ limit, model, channel }: RuleDraft) {
  return { model_name: limit === 'model' ? model.trim() : '', channel: limit === 'channel' ? (parseWhole(channel) ?? 0) : 0 }
}
