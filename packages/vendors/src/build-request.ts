import type { Outgoing } from './dialect.ts'
import { dialectOf } from './dialects.ts'
import type { Json, JsonObject } from './json.ts'
import type { Kind } from './kind.ts'
import type { Vendor } from './vendor.ts'

interface Wish {
  readonly kind: Kind
  /** The upstream model name, after mapping. */
  readonly model: string
  readonly stream: boolean
  /** See `Target`. */
  readonly outputLimit?: number
}

/**
 * The upstream request for a body in the pivot form of its kind: the dialect's translation, then what this one vendor does its own way: its
 * paths and headers, and in a chat what it drops, renames and patches.
 * @throws Error for a kind that the vendor does not have, which routing never chooses
 */
export function buildRequest(vendor: Vendor, body: JsonObject, { kind, ...wish }: Wish): Outgoing {
  const { streamUsage, paths, headers } = vendor
  const dialect = dialectOf(vendor, kind)
  if (dialect === null) throw new Error(`${vendor.name} does not have ${kind}`)
  const asked = dialect.fallbackKind ?? kind
  const outgoing = dialect.request(body, { ...wish, streamUsage })
  return {
    ...outgoing,
    path: paths?.[asked] ?? outgoing.path,
    headers: { ...outgoing.headers, ...headers },
    body: forManyAges(vendor, asked === 'chat' ? adjustChat(vendor, outgoing.body) : outgoing.body, { asked, isFallback: asked !== kind }),
  }
}

function adjustChat(vendor: Vendor, chat: JsonObject): JsonObject {
  const body = adjust(vendor, chat)
  return vendor.patch?.(body) ?? body
}

/** Kinds that may be streamed by who is not told to. */
const streamed: ReadonlySet<Kind> = new Set(['chat', 'completions', 'responses'])

/** What a server of unknown age needs said. A request that the client wrote itself names its limit as the client knows the server to take it. */
function forManyAges(
  { isOfManyAges }: Vendor,
  body: JsonObject,
  { asked, isFallback }: { readonly asked: Kind; readonly isFallback: boolean },
): JsonObject {
  if (isOfManyAges !== true || !streamed.has(asked)) return body
  const limit = isFallback && isGiven(body['max_completion_tokens']) ? { max_tokens: body['max_completion_tokens'] } : {}
  return isGiven(body['stream']) ? { ...body, ...limit } : { ...body, ...limit, stream: false }
}

/** Refused fields leave. Renamed ones move, and where the client sent both, ours wins: it is the protocol's newer name. */
function adjust({ drop = [], rename = {} }: Vendor, body: JsonObject): JsonObject {
  const names = [...drop, ...Object.keys(rename)]
  if (!names.some((name) => name in body)) return body
  const leaving = new Set(names)
  const kept = Object.entries(body).filter(([name]) => !leaving.has(name))
  const moved = Object.entries(rename).flatMap(([ours, theirs]) => (isGiven(body[ours]) ? [[theirs, body[ours]] as const] : []))
  return Object.fromEntries([...kept, ...moved])
}

function isGiven(value: Json | undefined): boolean {
  return value !== undefined && value !== null
}

/** The header that carries the channel's key; none where it has no key. */
export function authHeaders({ auth }: Vendor, key: string): Readonly<Record<string, string>> {
  if (key === '') return {}
  switch (auth) {
    case 'bearer':
      return { authorization: `Bearer ${key}` }
    case 'raw':
      return { authorization: key }
    case 'x-api-key':
      return { 'x-api-key': key }
  }
}
