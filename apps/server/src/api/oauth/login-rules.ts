import type { RuledService, Settings } from '@sluice/contract'
import { AppError } from '../../lib/app-error.ts'

/** What a login service has said about a person. */
export interface IdentityFacts {
  readonly mails: readonly string[]
  readonly hostedDomain: string
  readonly organizations: readonly string[]
  readonly groups: readonly string[]
}

interface Rule {
  readonly services: readonly RuledService[]
  /** Empty = everybody is allowed. */
  readonly allowed: (settings: Settings) => readonly string[]
  /** What a person has; one of it must be allowed. */
  readonly held: (facts: IdentityFacts) => readonly string[]
  readonly code: 'oauth_mail_not_allowed' | 'oauth_domain_not_allowed' | 'oauth_organization_not_allowed' | 'oauth_group_not_allowed'
  /** Names of groups differ in case, the others do not. */
  readonly isExact?: boolean
}

/** All of them must hold, at each login and when a login is bound to an account. */
const rules: readonly Rule[] = [
  {
    services: ['github', 'google', 'oidc'],
    allowed: ({ OAuthMailDomains }) => OAuthMailDomains,
    held: ({ mails }) => mails.map(domainOf),
    code: 'oauth_mail_not_allowed',
  },
  {
    services: ['google'],
    allowed: ({ GoogleHostedDomains }) => GoogleHostedDomains,
    held: ({ hostedDomain }) => [hostedDomain],
    code: 'oauth_domain_not_allowed',
  },
  {
    services: ['github'],
    allowed: ({ GitHubOrganizations }) => GitHubOrganizations,
    held: ({ organizations }) => organizations,
    code: 'oauth_organization_not_allowed',
  },
  {
    services: ['oidc'],
    allowed: ({ OidcGroups }) => OidcGroups,
    held: ({ groups }) => groups,
    code: 'oauth_group_not_allowed',
    isExact: true,
  },
]

interface Login {
  readonly way: string
  /** The name of the service. */
  readonly service: string
  readonly facts: IdentityFacts
}

/** @throws AppError when a rule does not allow the login or its binding */
export function checkLoginRules({ way, service, facts }: Login, settings: Settings): void {
  for (const { services, allowed, held, code, isExact = false } of rules) {
    const names = services.some((name) => name === way) ? allowed(settings) : []
    if (names.length > 0 && !isOneOf(held(facts), names, isExact ? exactly : lowerCase)) throw new AppError(code, { params: { service } })
  }
}

/** A new account needs an address of an allowed domain where the service can provide one. @throws AppError oauth_register_disabled, oauth_mail_not_allowed */
export function checkMayRegister({ way, service, facts }: Login, settings: Settings): void {
  if (!settings.OAuthRegisterEnabled) throw new AppError('oauth_register_disabled', { params: { service } })
  const reportsMails = way === 'github' || way === 'google' || way === 'oidc'
  if (!settings.EmailDomainRestrictionEnabled || !reportsMails) return
  if (!isOneOf(facts.mails.map(domainOf), settings.EmailDomainWhitelist, lowerCase))
    throw new AppError('oauth_mail_not_allowed', { params: { service } })
}

function isOneOf(held: readonly string[], names: readonly string[], form: (text: string) => string): boolean {
  const allowed = new Set(names.map(form))
  return held.some((name) => name !== '' && allowed.has(form(name)))
}

const exactly = (text: string): string => text
const lowerCase = (text: string): string => text.toLowerCase()

const domainOf = (mail: string): string => mail.slice(mail.lastIndexOf('@') + 1)
