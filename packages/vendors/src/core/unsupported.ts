import type { JsonObject } from './json.ts'
import type { Kind } from './kind.ts'

/** A request as its vendor gets it, before the record changes it. */
export interface UnsupportedQuery {
  /** The kind that goes upstream. */
  readonly kind: Kind
  readonly body: JsonObject
  /** The upstream model. */
  readonly model: string
}

/** The parameter that a vendor cannot fulfil and that would change the response if it were left out; `null` = none. */
export type Unsupported = (request: UnsupportedQuery) => string | null

/** What a vendor cannot fulfil, where each kind has a rule of its own. */
export type UnsupportedByKind = { readonly [K in Kind]?: (body: JsonObject) => string | null }

export function unsupportedByKind(rules: UnsupportedByKind): Unsupported {
  return ({ kind, body }) => rules[kind]?.(body) ?? null
}
