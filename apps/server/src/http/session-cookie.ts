/**
 * A cookie of ours. Over https only its `__Host-` name counts: another host of the domain, or a page that came over http, can set any other
 * name. Browsers refuse that prefix over http. Below a base path it is `__Secure-`, because a cookie with `__Host-` is sent to every path of
 * the host, and so to the other programs there. Consoles of other origins (`CONSOLE_ORIGINS`) have cookies of their own, because browsers
 * send theirs from pages of other sites too: no other page may use them.
 */
interface Cookie {
  readonly name: string
  /** How long a browser keeps it. */
  readonly seconds: number
}

/** The session id; kept for the longest lifetime of a session. */
const session: Cookie = { name: 'session', seconds: 30 * 86_400 }

/** Identifies the browser that began a login at another service; kept for as long as that may take. */
const visitor: Cookie = { name: 'visitor', seconds: 600 }

/** Where a cookie is used. */
export interface CookiePlace {
  /** Whether the request used https. */
  readonly isSecure: boolean
  /** Whether it comes from a console of another origin. */
  readonly isConsole: boolean
  /** Path below which the browser reached the server, without a final slash; empty = the root. */
  readonly basePath: string
}

export const readSessionCookie = (header: string | null, place: CookiePlace): string | null => readCookie(header, session, place)
export const readVisitorCookie = (header: string | null, place: CookiePlace): string | null => readCookie(header, visitor, place)

/** The header that sets the cookie, or with `null` removes it. */
export const sessionCookie = (sessionId: string | null, place: CookiePlace): string => setCookie(session, sessionId, place)
export const visitorCookie = (visitorId: string | null, place: CookiePlace): string => setCookie(visitor, visitorId, place)

const boundName = ({ name }: Cookie, { isConsole, basePath }: CookiePlace): string =>
  `${basePath === '' ? '__Host-' : '__Secure-'}${isConsole ? 'console-' : ''}${name}`

function readCookie(header: string | null, cookie: Cookie, place: CookiePlace): string | null {
  if (header === null) return null
  const bound = boundName(cookie, place)
  const mayBePlain = !place.isSecure && !place.isConsole
  let plain: string | null = null
  for (const pair of header.split(';')) {
    const [name, value = ''] = pair.trim().split('=', 2)
    if (name === bound && value !== '') return value
    if (mayBePlain && name === cookie.name && value !== '') plain = value
  }
  return plain
}

function setCookie(cookie: Cookie, value: string | null, place: CookiePlace): string {
  const pair = `${place.isSecure || place.isConsole ? boundName(cookie, place) : cookie.name}=${value ?? ''}`
  const common = `${pair}; Path=${place.basePath || '/'}; Max-Age=${value === null ? 0 : cookie.seconds}; HttpOnly`
  // Browsers that keep cookies apart by the site of the page (CHIPS) send it only from the console's own site.
  if (place.isConsole) return `${common}; SameSite=None; Secure; Partitioned`
  return `${common}; SameSite=Strict${place.isSecure ? '; Secure' : ''}`
}
