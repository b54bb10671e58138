/** A cookie of ours. Over https the prefixed name binds it to this host; plain http, as on a home network, cannot have that. */
interface Cookie {
  readonly name: string
  /** How long a browser keeps it. */
  readonly seconds: number
}

/** Who is signed in; kept for the longest that a session lives. */
const session: Cookie = { name: 'session', seconds: 30 * 86_400 }

/** Which browser began a login elsewhere; kept for as long as such a login may take. */
const visitor: Cookie = { name: 'visitor', seconds: 600 }

export const readSessionCookie = (header: string | null): string | null => readCookie(header, session)
export const readVisitorCookie = (header: string | null): string | null => readCookie(header, visitor)

/** The header that sets the cookie, or with `null` removes it. */
export const sessionCookie = (sessionId: string | null, isSecure: boolean): string => setCookie(session, sessionId, isSecure)
export const visitorCookie = (visitorId: string | null, isSecure: boolean): string => setCookie(visitor, visitorId, isSecure)

function readCookie(header: string | null, { name }: Cookie): string | null {
  if (header === null) return null
  let plain: string | null = null
  for (const pair of header.split(';')) {
    const [given, value = ''] = pair.trim().split('=', 2)
    if (given === `__Host-${name}` && value !== '') return value
    if (given === name && value !== '') plain = value
  }
  return plain
}

function setCookie({ name, seconds }: Cookie, value: string | null, isSecure: boolean): string {
  const [prefix, extra] = isSecure ? ['__Host-', '; Secure'] : ['', '']
  return `${prefix}${name}=${value ?? ''}; Path=/; Max-Age=${value === null ? 0 : seconds}; HttpOnly; SameSite=Strict${extra}`
}
