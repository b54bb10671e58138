import { isHttpAddress, type OptionKey, optionKeys, type Settings } from '@sluice/contract'
import { AppError } from '../../lib/app-error.ts'

/** What must be filled in before a switch may be turned on, and stays filled in while it is on: without it nobody could get in by it. */
const needs: Partial<Readonly<Record<OptionKey, readonly OptionKey[]>>> = {
  GitHubOAuthEnabled: ['GitHubClientId', 'GitHubClientSecret'],
  WeChatAuthEnabled: ['WeChatServerAddress'],
  TurnstileCheckEnabled: ['TurnstileSiteKey', 'TurnstileSecretKey'],
  EmailDomainRestrictionEnabled: ['EmailDomainWhitelist'],
}

/** What may be turned on first, and keeps what it needs once that is there. Lark has no switch: its client id is one. */
const needsOnceThere: typeof needs = {
  EmailVerificationEnabled: ['SMTPServer'],
  LarkClientId: ['LarkClientSecret'],
}

/** @throws AppError option_incomplete, option_in_use */
export function checkNeeds(key: OptionKey, value: unknown, settings: Settings): void {
  if (value === true) checkComplete(key, settings)
  if (isEmpty(value) && !isEmpty(settings[key])) checkUnused(key, settings)
}

function checkComplete(key: OptionKey, settings: Settings): void {
  const missing = (needs[key] ?? []).filter((needed) => !isUsable(needed, settings[needed]))
  if (missing.length > 0) throw new AppError('option_incomplete', { params: { name: key, needed: missing.join(', ') } })
}

function checkUnused(key: OptionKey, settings: Settings): void {
  const needsKey = (user: OptionKey): boolean => [...(needs[user] ?? []), ...(needsOnceThere[user] ?? [])].includes(key)
  const user = optionKeys.find((other) => isOn(settings[other]) && needsKey(other))
  if (user !== undefined) throw new AppError('option_in_use', { params: { name: key, user } })
}

/** Options whose text may be anything until it is needed. */
const addresses: readonly OptionKey[] = ['WeChatServerAddress']

function isUsable(key: OptionKey, value: Settings[OptionKey]): boolean {
  return addresses.includes(key) ? isHttpAddress(String(value)) : !isEmpty(value)
}

/** Switched on, or for an option that is no switch: filled in. */
function isOn(value: unknown): boolean {
  return value !== false && !isEmpty(value)
}

function isEmpty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0)
}
