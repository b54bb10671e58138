/** A cookie of ours. Over https its `__Host-` name binds it to this host; browsers refuse that prefix over http. */
interface Cookie {
  readonly name: string
  /** How long a browser keeps it. */
  readonly seconds: number
}

/** The session id; kept for the longest lifetime of a session. */
const session: Cookie = { name: 'session', seconds: 30 * 86_400 }

/** Identifies the browser that began a login at another service; kept for as long as that may take. */
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
