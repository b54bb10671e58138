import type { ChatDialect, Dialect, Passthrough } from './dialect.ts'
import { chatDialects, dialectTable } from './dialect-table.ts'
import { generateByChat } from './generate/by-chat.ts'
import type { Kind } from './kind.ts'
import { messagesByChat } from './messages/by-chat.ts'
import { byChat } from './responses/by-chat.ts'
import type { Vendor } from './vendor.ts'

/** Kinds that a vendor with chats has beside its own: how each is made of a chat, where the dialect has none of its own. */
const makers: { readonly [K in Kind]?: (chat: ChatDialect) => Dialect } = {
  responses: byChat,
  messages: messagesByChat,
  generate: generateByChat,
}

/** kind -> name of a chat dialect -> the dialect that is made of it. Each is made once. */
const overChats: { readonly [K in Kind]?: ReadonlyMap<string, Dialect> } = Object.fromEntries(
  Object.entries(makers).map(([kind, make]) => [
    kind,
    new Map(Object.entries(chatDialects).map(([name, chat]) => [name, nativeIn(chat, kind) ?? make(chat)])),
  ]),
)

/**
 * The dialect of a vendor for a kind; `null` = it does not have the kind.
 * @param model the upstream model; missing = any model that is not named by a vendor of its own
 */
export function dialectOf({ dialects }: Pick<Vendor, 'dialects'>, kind: Kind, model = ''): Dialect | null {
  const choice = dialects[kind]
  const name = typeof choice === 'function' ? choice(model) : choice
  if (name === undefined || name === null) return overChat(dialects, kind, model)
  const named: Readonly<Record<string, Dialect>> = dialectTable[kind]
  return named[name] ?? null
}

function overChat({ chat }: Vendor['dialects'], kind: Kind, model: string): Dialect | null {
  const made = overChats[kind]
  if (made === undefined) return null
  const name = typeof chat === 'function' ? chat(model) : chat
  return made.get(name ?? '') ?? null
}

function nativeIn(chat: ChatDialect, kind: string): Dialect | undefined {
  const native: Readonly<Record<string, Dialect | undefined>> = chat.native ?? {}
  return native[kind]
}

/** The vendor without one of its optional kinds, served by the fallback kind. `null` = the kind is not optional, or has no fallback. */
export function withoutKind(vendor: Vendor, kind: Kind): Vendor | null {
  if (vendor.optionalKinds?.includes(kind) !== true) return null
  const { [kind]: _lacked, ...dialects } = vendor.dialects
  const without = { ...vendor, dialects, optionalKinds: [] }
  return dialectOf(without, kind) === null ? null : without
}

/** The reader of answers in the pivot form of a kind. */
export function pivotOf(kind: Kind): Passthrough {
  if (kind === 'messages') return dialectTable.messages.anthropic.passthrough
  if (kind === 'generate') return dialectTable.generate.gemini.passthrough
  return dialectTable[kind].openai.passthrough
}
