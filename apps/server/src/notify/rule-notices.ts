import { type MessageParams, messageText, type Settings } from '@sluice/contract'
import { type Notice, quotaText } from './notices.ts'
import type { Account, WatchingRule } from './rule-queries.ts'

// What rules say when they are breached.

export function balanceNotice({ threshold }: WatchingRule, accounts: readonly Account[], settings: Settings): Notice {
  const named = accounts.map(({ username, quota }) => `${username} (${quotaText(quota, settings)})`).join(', ')
  return {
    kind: 'balance',
    params: { system: settings.SystemName, threshold: quotaText(threshold, settings), accounts: named },
    data: { threshold, accounts },
  }
}

export interface Spending {
  readonly who: string | { readonly en: string; readonly zh: string }
  readonly spent: number
}

export function spendNotice({ name, threshold }: WatchingRule, { who, spent }: Spending, settings: Settings): Notice {
  const amounts = { spent: quotaText(spent, settings), threshold: quotaText(threshold, settings) }
  return {
    kind: 'spend',
    params: { system: settings.SystemName, who, rule: name, ...amounts },
    data: { threshold, spent, account: typeof who === 'string' ? who : null },
  }
}

interface Failures {
  readonly requests: number
  readonly failed: number
  readonly of: Watched | null
}

export function errorNotice(rule: WatchingRule, { requests, failed, of }: Failures, settings: Settings): Notice {
  const { hours, threshold, model_name, channel_id } = rule
  const share = Math.round((failed / requests) * 1_000) / 10
  return {
    kind: 'errors',
    params: { system: settings.SystemName, share, failed, requests, hours, ...(of !== null && { of }) },
    data: { threshold, share, failed, requests, hours, model: model_name, channel_id },
  }
}

/** @param reason in English, without secrets */
export function backupNotice(reason: string, settings: Settings): Notice {
  return { kind: 'backup', params: { system: settings.SystemName, reason }, data: { reason } }
}

export function setAsideNotice(count: number, settings: Settings): Notice {
  return { kind: 'set_aside', params: { system: settings.SystemName, count }, data: { count } }
}

interface Watched {
  readonly en: string
  readonly zh: string
}

const inWords = (key: 'notice_model' | 'notice_channel', params: MessageParams): Watched => ({
  en: messageText(key, params),
  zh: messageText(key, params, 'zh'),
})

/** The model or channel that a rule watches, in words; `null` = everything. */
export function watchedIn({ model_name: model, channel_id: id }: WatchingRule, names: ReadonlyMap<number, string>): Watched | null {
  if (model !== '') return inWords('notice_model', { name: model })
  return id === 0 ? null : inWords('notice_channel', { id, name: names.get(id) ?? '-' })
}
