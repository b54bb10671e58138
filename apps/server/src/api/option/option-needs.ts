import type { OptionKey, Settings } from '@sluice/contract'
import { AppError } from '../../lib/app-error.ts'

/** What must be filled in before a switch may be turned on: without it nobody could get in by it. */
const needs: Partial<Readonly<Record<OptionKey, readonly OptionKey[]>>> = {
  GitHubOAuthEnabled: ['GitHubClientId', 'GitHubClientSecret'],
  WeChatAuthEnabled: ['WeChatServerAddress'],
  TurnstileCheckEnabled: ['TurnstileSiteKey', 'TurnstileSecretKey'],
  EmailDomainRestrictionEnabled: ['EmailDomainWhitelist'],
}

/** @throws AppError option_incomplete */
export function checkNeeds(key: OptionKey, value: unknown, settings: Settings): void {
  if (value !== true) return
  const missing = (needs[key] ?? []).filter((needed) => settings[needed] === '' || isEmptyList(settings[needed]))
  if (missing.length > 0) throw new AppError('option_incomplete', { params: { name: key, needed: missing.join(', ') } })
}

function isEmptyList(value: unknown): boolean {
  return Array.isArray(value) && value.length === 0
}
