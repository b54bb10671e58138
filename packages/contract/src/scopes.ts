import type { Endpoint } from './endpoint.ts'
import { type SeparateScope, separateScopes } from './separate-scopes.ts'

type Nouns = Readonly<Record<string, Readonly<Record<string, Endpoint>>>>

/** Scopes of all nouns: every call that only reads, and every call that access tokens can make. */
export const wholeScopes = ['read', 'all'] as const

/** The scope by which a personal access token changes the credentials of accounts. */
export const credentialScope = 'user:credentials' as const satisfies SeparateScope

/** Whether a personal access token can make the call. Calls that are the same for everybody need no scope. */
const isForTokens = ({ access, knowsCaller, needsSession }: Endpoint): boolean => !needsSession && (access !== 'public' || knowsCaller)

/** The scope that opens each call: one of its own, else `noun:read`, or `noun:write` if it changes something. */
export function scopesOfCalls(nouns: Nouns): ReadonlyMap<Endpoint, string> {
  return new Map(
    Object.entries(nouns).flatMap(([noun, calls]) =>
      Object.values(calls)
        .filter(isForTokens)
        .map((call): [Endpoint, string] => [call, call.scope ?? `${noun}:${call.sideEffect ? 'write' : 'read'}`]),
    ),
  )
}

/** The scopes that open parts of a call beside the one that opens the call. */
export function partScopes({ keyScope, credentialParts }: Endpoint): readonly SeparateScope[] {
  return [...(keyScope === null ? [] : [keyScope]), ...(credentialParts.length === 0 ? [] : [credentialScope])]
}

/** Whether scopes of a personal access token include the one that a call or a part of it needs. */
export function includesScope(scopes: readonly string[], needed: string): boolean {
  if (scopes.includes(needed)) return true
  if (separateScopes.some((scope) => scope === needed)) return false
  const [noun = '', kind] = needed.split(':')
  return scopes.includes('all') || (kind === 'read' && (scopes.includes('read') || scopes.includes(`${noun}:write`)))
}

/** Whether a caller gets the keys in a response. @param scopes those of a personal access token; `null` = another kind of caller */
export function showsKeys({ keyScope }: Endpoint, scopes: readonly string[] | null): boolean {
  return keyScope === null || scopes === null || includesScope(scopes, keyScope)
}
