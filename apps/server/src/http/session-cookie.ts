/** Over https the name binds the cookie to this host; plain http, as on a home network, cannot have that. */
const secureName = '__Host-session'
const plainName = 'session'

/** Seconds that a browser keeps the cookie: the longest a session lives. */
const maxAgeSeconds = 30 * 86_400

export function readSessionCookie(header: string | null): string | null {
  if (header === null) return null
  let plain: string | null = null
  for (const pair of header.split(';')) {
    const [name, value = ''] = pair.trim().split('=', 2)
    if (name === secureName && value !== '') return value
    if (name === plainName && value !== '') plain = value
  }
  return plain
}

/** The header that sets the cookie, or with `null` removes it. */
export function sessionCookie(sessionId: string | null, isSecure: boolean): string {
  const [name, extra] = isSecure ? [secureName, '; Secure'] : [plainName, '']
  const [value, age] = sessionId === null ? ['', 0] : [sessionId, maxAgeSeconds]
  return `${name}=${value}; Path=/; Max-Age=${age}; HttpOnly; SameSite=Strict${extra}`
}
