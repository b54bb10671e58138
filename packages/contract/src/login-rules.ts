import type { Settings } from './options.ts'

/** Login services whose accounts rules can be about. */
export type RuledService = 'github' | 'google' | 'oidc'

/** What a login service must report about a person because a rule depends on it. Nothing else is requested. */
export interface LoginFacts {
  readonly mails: boolean
  readonly organizations: boolean
  readonly groups: boolean
}

type RuleOptions = Pick<Settings, 'OAuthMailDomains' | 'EmailDomainRestrictionEnabled' | 'GitHubOrganizations' | 'OidcGroups'>

export function neededFacts(service: RuledService, settings: RuleOptions): LoginFacts {
  return {
    mails: settings.OAuthMailDomains.length > 0 || settings.EmailDomainRestrictionEnabled,
    organizations: service === 'github' && settings.GitHubOrganizations.length > 0,
    groups: service === 'oidc' && settings.OidcGroups.length > 0,
  }
}

/** The scopes of a login by GitHub (specification, section 2), and what a rule needs beside them. */
export function githubScopes(settings: RuleOptions): string {
  return neededFacts('github', settings).organizations ? 'user:email read:org' : 'user:email'
}
