import type { Endpoint } from './endpoint.ts'

type Nouns = Readonly<Record<string, Readonly<Record<string, Endpoint>>>>

/** Whether any access token can make the call. */
const isForTokens = ({ access, needsSession }: Endpoint): boolean => access !== 'public' && !needsSession

/** The scope that a call needs, by its endpoint: `noun:read`, or `noun:write` if it changes something. */
export function scopesOfCalls(nouns: Nouns): ReadonlyMap<Endpoint, string> {
  return new Map(
    Object.entries(nouns).flatMap(([noun, calls]) =>
      Object.values(calls)
        .filter(isForTokens)
        .map((endpoint): [Endpoint, string] => [endpoint, `${noun}:${endpoint.sideEffect ? 'write' : 'read'}`]),
    ),
  )
}

/** Whether scopes of a personal access token include the one that a call needs. */
export function includesScope(scopes: readonly string[], needed: string): boolean {
  const [noun = '', kind] = needed.split(':')
  if (scopes.includes('all') || scopes.includes(needed)) return true
  return kind === 'read' && (scopes.includes('read') || scopes.includes(`${noun}:write`))
}
