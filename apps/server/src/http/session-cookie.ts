/**
 * A cookie of ours. Over https its `__Host-` name binds it to this host; browsers refuse that prefix over http. Consoles of other origins
 * (`CONSOLE_ORIGINS`) have cookies of their own, because browsers send theirs from pages of other sites too: no other page may use them.
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
}

type CookieOrigin = Pick<CookiePlace, 'isConsole'>

export const readSessionCookie = (header: string | null, asked: CookieOrigin): string | null => readCookie(header, session, asked)
export const readVisitorCookie = (header: string | null, asked: CookieOrigin): string | null => readCookie(header, visitor, asked)

/** The header that sets the cookie, or with `null` removes it. */
export const sessionCookie = (sessionId: string | null, place: CookiePlace): string => setCookie(session, sessionId, place)
export const visitorCookie = (visitorId: string | null, place: CookiePlace): string => setCookie(visitor, visitorId, place)

const boundName = (name: string, { isConsole }: CookieOrigin): string => `__Host-${isConsole ? 'console-' : ''}${name}`

function readCookie(header: string | null, { name }: Cookie, asked: CookieOrigin): string | null {
  if (header === null) return null
  const bound = boundName(name, asked)
  let plain: string | null = null
  for (const pair of header.split(';')) {
    const [given, value = ''] = pair.trim().split('=', 2)
    if (given === bound && value !== '') return value
    if (!asked.isConsole && given === name && value !== '') plain = value
  }
  return plain
}

function setCookie({ name, seconds }: Cookie, value: string | null, place: CookiePlace): string {
  const pair = `${place.isSecure || place.isConsole ? boundName(name, place) : name}=${value ?? ''}`
  const common = `${pair}; Path=/; Max-Age=${value === null ? 0 : seconds}; HttpOnly`
  // Browsers that keep cookies apart by the site of the page (CHIPS) send it only from the console's own site.
  if (place.isConsole) return `${common}; SameSite=None; Secure; Partitioned`
  return `${common}; SameSite=Strict${place.isSecure ? '; Secure' : ''}`
}
