import type { DataOf, Endpoint, Language, ParsedInputOf } from '@sluice/contract'

/** The authenticated caller of this request. */
export interface Caller {
  readonly id: number
  readonly username: string
  readonly role: number
  readonly groups: string
  /** Hash of the session that was used; `null` = an access token. */
  readonly sessionHash: string | null
  /** The session began with a login of the last ten minutes. */
  readonly hasJustLoggedIn: boolean
  /** Scopes of the personal access token that was used; `null` = no such limit. */
  readonly scopes: readonly string[] | null
  /** An administrator without the second factor that administrators need: no call of administrators is allowed. */
  readonly lacksSecondFactor: boolean
}

/** The properties of a request that a handler gets beside its input. */
export interface Visit {
  /** The client's address, trusted proxies resolved. */
  readonly address: string
  /** Whether the call was made on this machine, at an address or localhost, and no proxy shows. */
  isFromHere(): boolean
  /** Whether a proxy shows between the client and this server, and whether `TRUSTED_PROXIES` names it. */
  proxyBetween(): 'none' | 'trusted' | 'untrusted'
  readonly userAgent: string
  readonly origin: string
  /** Path below which the browser reached the server, without a final slash; empty = the root. */
  readonly basePath: string
  /** Origin of the page that makes the call, as its browser says; a program may say anything. Default: that of the request. */
  readonly pageOrigin: string
  /** Origin of the console of another site (`CONSOLE_ORIGINS`) that makes the call; `null` = this server's own, or a script. */
  readonly consoleOrigin: string | null
  /** The session cookie's value; `null` = none was sent. */
  readonly sessionId: string | null
  /** Identifies the browser during a login at another service; `null` = it has begun none. */
  readonly visitorId: string | null
  /** The client's preferred language. */
  readonly language: Language
  /** Sets the session cookie; `null` removes it. */
  setSession(sessionId: string | null): void
  /** Sets the cookie of `visitorId`; `null` removes it. */
  setVisitor(visitorId: string | null): void
  /** Adds members beside `data` to the response, such as `message`. */
  sayBeside(members: Readonly<Record<string, string>>): void
}

type CallerOf<E extends Endpoint> = E['access'] extends 'public' ? Caller | null : Caller

export type Handler<E extends Endpoint> = (input: ParsedInputOf<E>, caller: CallerOf<E>, visit: Visit) => Promise<DataOf<E>>

/** One endpoint with the function that responds to it. */
export interface Implemented {
  readonly endpoint: Endpoint
  readonly handle: (input: unknown, caller: Caller | null, visit: Visit) => Promise<unknown>
}

/** A function for every endpoint of a noun. */
export type Handlers<Noun extends Record<string, Endpoint>> = { readonly [Name in keyof Noun]: Handler<Noun[Name]> }

/** Pairs every endpoint of a noun with its handler; one that is missing or misspelt does not compile. */
export function implement<Noun extends Record<string, Endpoint>>(noun: Noun, handlers: Handlers<Noun>): readonly Implemented[] {
  return Object.entries(noun).map(([name, endpoint]) => ({
    endpoint,
    // Holds: `serve-contract` parses the input with this endpoint's schema and has checked its access before it calls.
    handle: handlers[name] as unknown as Implemented['handle'],
  }))
}
