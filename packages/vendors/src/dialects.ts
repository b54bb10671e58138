import type { Dialect, Passthrough } from './dialect.ts'
import { chatDialects, dialectTable } from './dialect-table.ts'
import type { Kind } from './kind.ts'
import { byChat } from './responses/by-chat.ts'
import type { Vendor } from './vendor.ts'

/** For vendors with chats only, responses are translated to chats. */
const responsesByChat: ReadonlyMap<string, Dialect> = new Map(Object.entries(chatDialects).map(([name, chat]) => [name, byChat(chat)]))

/**
 * The dialect of a vendor for a kind; `null` = it does not have the kind.
 * @param model the upstream model; missing = any model that is not named by a vendor of its own
 */
export function dialectOf({ dialects }: Pick<Vendor, 'dialects'>, kind: Kind, model = ''): Dialect | null {
  const choice = dialects[kind]
  const name = typeof choice === 'function' ? choice(model) : choice
  if (name === undefined || name === null) return kind === 'responses' ? responsesOf(dialects, model) : null
  const named: Readonly<Record<string, Dialect>> = dialectTable[kind]
  return named[name] ?? null
}

function responsesOf({ chat }: Vendor['dialects'], model: string): Dialect | null {
  const name = typeof chat === 'function' ? chat(model) : chat
  return responsesByChat.get(name ?? '') ?? null
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
  return dialectTable[kind].openai.passthrough
}
