import { anthropic } from './anthropic/dialect.ts'
import type { Dialect, Passthrough } from './dialect.ts'
import { type chatDialects, dialects } from './dialect-table.ts'
import type { Kind } from './kind.ts'
import { openai } from './openai/dialect.ts'
import { byChat } from './responses/by-chat.ts'
import type { Vendor } from './vendor.ts'

/** Where a vendor has chats only, its responses are made of them. */
const responsesByChat: Readonly<Record<keyof typeof chatDialects, Dialect>> = { openai: byChat(openai), anthropic: byChat(anthropic) }

/** How a vendor is asked for a kind; `null`: it does not have it. */
export function dialectOf({ speaks }: Pick<Vendor, 'speaks'>, kind: Kind): Dialect | null {
  const name = speaks[kind]
  if (name === undefined && kind === 'responses' && speaks.chat !== undefined) return responsesByChat[speaks.chat]
  const named: Readonly<Record<string, Dialect>> = dialects[kind]
  return name === undefined ? null : (named[name] ?? null)
}

/** The vendor as one that does not have the kind after all. `null`: it always has, or nothing can stand in. */
export function withoutKind(vendor: Vendor, kind: Kind): Vendor | null {
  if (vendor.mayLack?.includes(kind) !== true) return null
  const { [kind]: _lacked, ...speaks } = vendor.speaks
  const without = { ...vendor, speaks, mayLack: [] }
  return dialectOf(without, kind) === null ? null : without
}

/** How answers in the pivot form of a kind are looked at. */
export function pivotOf(kind: Kind): Passthrough {
  return dialects[kind].openai.passthrough
}
