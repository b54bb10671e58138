import type { ChatDialect, Dialect } from '../core/dialect.ts'
import { spokenFor } from '../core/dialects-of-vendor.ts'
import type { Kind } from '../core/kind.ts'
import type { Vendor } from '../core/vendor.ts'
import { generateByChat } from '../protocols/generate/by-chat.ts'
import { embedByEmbeddings } from '../protocols/generate/embed.ts'
import { messagesByChat } from '../protocols/messages/by-chat.ts'
import { byChat } from '../protocols/responses/by-chat.ts'

/** Kinds that a vendor with chats has beside its own: how each is made of a chat, where the dialect has none of its own. */
const overChats: { readonly [K in Kind]?: (chat: ChatDialect) => Dialect } = {
  responses: once((chat) => chat.native?.responses ?? byChat(chat)),
  messages: once((chat) => chat.native?.messages ?? messagesByChat(chat)),
  generate: once((chat) => chat.native?.generate ?? generateByChat(chat)),
}

/** Dialects on top of a vendor's embeddings. */
const overEmbeddings = once(embedByEmbeddings)

/** Each dialect is made once. */
function once<From extends Dialect>(make: (from: From) => Dialect): (from: From) => Dialect {
  const kept = new WeakMap<From, Dialect>()
  return (from) => {
    const known = kept.get(from)
    if (known !== undefined) return known
    const dialect = make(from)
    kept.set(from, dialect)
    return dialect
  }
}

/**
 * The dialect of a vendor for a kind; `null` = it does not have the kind.
 * @param model the upstream model; missing = any model that is not named by a vendor of its own
 */
export function dialectOf({ dialects }: Pick<Vendor, 'dialects'>, kind: Kind, model = ''): Dialect | null {
  return spokenFor<Dialect>(dialects[kind], model) ?? derivedDialect(dialects, kind, model)
}

function derivedDialect({ chat, embeddings }: Vendor['dialects'], kind: Kind, model: string): Dialect | null {
  if (kind === 'embed') {
    const from = spokenFor(embeddings, model)
    return from === null ? null : overEmbeddings(from)
  }
  const from = spokenFor(chat, model)
  return from === null ? null : (overChats[kind]?.(from) ?? null)
}

/** The vendor without one of its optional kinds, served by the fallback kind. `null` = the kind is not optional, or has no fallback. */
export function withoutKind(vendor: Vendor, kind: Kind): Vendor | null {
  const others = vendor.optionalKinds?.[kind]
  if (others === undefined) return null
  const { [kind]: _lacked, ...dialects } = { ...vendor.dialects, ...others }
  const without = { ...vendor, dialects, optionalKinds: {} }
  return dialectOf(without, kind) === null ? null : without
}
