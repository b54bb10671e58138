import type { Outgoing } from './dialect.ts'
import { chatDialects } from './dialects.ts'
import type { Json, JsonObject } from './json.ts'
import type { Vendor } from './vendor.ts'

/**
 * The upstream request for a chat in the pivot form: the dialect's translation, then what this one vendor drops, renames and
 * does its own way. @throws Error for a vendor without chat, which routing never chooses
 */
export function buildRequest(
  vendor: Vendor,
  chat: JsonObject,
  { model, stream }: { readonly model: string; readonly stream: boolean },
): Outgoing {
  const { speaks, streamUsage, paths, headers } = vendor
  if (speaks.chat === undefined) throw new Error(`${vendor.name} does not speak chat`)
  const outgoing = chatDialects[speaks.chat].request(chat, { model, stream, streamUsage })
  const body = adjust(vendor, outgoing.body)
  return {
    ...outgoing,
    path: paths?.chat ?? outgoing.path,
    headers: { ...outgoing.headers, ...headers },
    body: vendor.patch?.(body) ?? body,
  }
}

/** Refused fields leave. Renamed ones move, and where the client sent both, ours wins: it is the protocol's newer name. */
function adjust({ drop = [], rename = {} }: Vendor, body: JsonObject): JsonObject {
  const leaving = new Set([...drop, ...Object.keys(rename)])
  if (leaving.size === 0) return body
  const kept = Object.entries(body).filter(([name]) => !leaving.has(name))
  const moved = Object.entries(rename).flatMap(([ours, theirs]) => (isGiven(body[ours]) ? [[theirs, body[ours]] as const] : []))
  return Object.fromEntries([...kept, ...moved])
}

function isGiven(value: Json | undefined): boolean {
  return value !== undefined && value !== null
}

/** The header that carries the channel's key. */
export function authHeaders({ auth }: Vendor, key: string): Readonly<Record<string, string>> {
  switch (auth) {
    case 'bearer':
      return { authorization: `Bearer ${key}` }
    case 'x-api-key':
      return { 'x-api-key': key }
  }
}
