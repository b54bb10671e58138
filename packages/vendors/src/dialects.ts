import { anthropic } from './anthropic/dialect.ts'
import type { Dialect, Passthrough } from './dialect.ts'
import { type chatDialects, dialectTable } from './dialect-table.ts'
import type { Kind } from './kind.ts'
import { openai } from './openai/dialect.ts'
import { byChat } from './responses/by-chat.ts'
import type { Vendor } from './vendor.ts'

/** For vendors with chats only, responses are translated to chats. */
const responsesByChat: Readonly<Record<keyof typeof chatDialects, Dialect>> = { openai: byChat(openai), anthropic: byChat(anthropic) }

/** The dialect of a vendor for a kind; `null` = it does not have the kind. */
export function dialectOf({ dialects }: Pick<Vendor, 'dialects'>, kind: Kind): Dialect | null {
  const name = dialects[kind]
  if (name === undefined && kind === 'responses' && dialects.chat !== undefined) return responsesByChat[dialects.chat]
  const named: Readonly<Record<string, Dialect>> = dialectTable[kind]
  return name === undefined ? null : (named[name] ?? null)
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
