import { isHttpAddress, type OptionKey, optionKeys, type Settings } from '@sluice/contract'
import { AppError } from '../../lib/app-error.ts'

/** Options that must be set before a switch is turned on and while it is on: without them nobody could log in that way. */
const needs: Partial<Readonly<Record<OptionKey, readonly OptionKey[]>>> = {
  GitHubOAuthEnabled: ['GitHubClientId', 'GitHubClientSecret'],
  GoogleOAuthEnabled: ['GoogleClientId', 'GoogleClientSecret', 'ServerAddress'],
  OidcEnabled: ['OidcIssuer', 'OidcClientId', 'OidcClientSecret', 'ServerAddress'],
  WeChatAuthEnabled: ['WeChatServerAddress'],
  TurnstileCheckEnabled: ['TurnstileSiteKey', 'TurnstileSecretKey'],
  EmailDomainRestrictionEnabled: ['EmailDomainWhitelist'],
}

/** What may be turned on first, and keeps what it needs once that is there. Lark has no switch: its client id is one. */
const needsOnceThere: typeof needs = {
  EmailVerificationEnabled: ['SMTPServer'],
  LarkClientId: ['LarkClientSecret', 'ServerAddress'],
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

/** Options whose address is checked only when a switch needs it. */
const addresses: readonly OptionKey[] = ['WeChatServerAddress']

function isUsable(key: OptionKey, value: Settings[OptionKey]): boolean {
  return addresses.includes(key) ? isHttpAddress(String(value)) : !isEmpty(value)
}

/** Whether a switch is on, or another option is set. */
function isOn(value: unknown): boolean {
  return value !== false && !isEmpty(value)
}

function isEmpty(value: unknown): boolean {
  return value === '' || (Array.isArray(value) && value.length === 0)
}
