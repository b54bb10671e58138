import type { ChatDialect, Dialect, Passthrough } from '../core/dialect.ts'
import type { Kind } from '../core/kind.ts'
import type { Vendor } from '../core/vendor.ts'
import { generateByChat } from '../protocols/generate/by-chat.ts'
import { embedAnswers, embedByEmbeddings } from '../protocols/generate/embed.ts'
import { messagesByChat } from '../protocols/messages/by-chat.ts'
import { byChat } from '../protocols/responses/by-chat.ts'
import { chatDialects, type DialectChoice, dialectTable } from './dialect-table.ts'

/** Kinds that a vendor with chats has beside its own: how each is made of a chat, where the dialect has none of its own. */
const overChats: { readonly [K in Kind]?: ReadonlyMap<string, Dialect> } = {
  responses: madeOfChats('responses', byChat),
  messages: madeOfChats('messages', messagesByChat),
  generate: madeOfChats('generate', generateByChat),
}

/** Name of a chat dialect -> the dialect that is made of it. Each is made once. */
function madeOfChats(kind: Kind, make: (chat: ChatDialect) => Dialect): ReadonlyMap<string, Dialect> {
  return new Map(Object.entries(chatDialects).map(([name, chat]: [string, ChatDialect]) => [name, chat.native?.[kind] ?? make(chat)]))
}

/** The same for a vendor with embeddings. */
const overEmbeddings: ReadonlyMap<string, Dialect> = new Map(
  Object.entries(dialectTable.embeddings).map(([name, embeddings]) => [name, embedByEmbeddings(embeddings)]),
)

/**
 * The dialect of a vendor for a kind; `null` = it does not have the kind.
 * @param model the upstream model; missing = any model that is not named by a vendor of its own
 */
export function dialectOf({ dialects }: Pick<Vendor, 'dialects'>, kind: Kind, model = ''): Dialect | null {
  const choice = dialects[kind]
  const name = typeof choice === 'function' ? choice(model) : choice
  if (name === undefined || name === null) return madeOf(dialects, kind, model)
  const named: Readonly<Record<string, Dialect>> = dialectTable[kind]
  return named[name] ?? null
}

function madeOf({ chat, embeddings }: Vendor['dialects'], kind: Kind, model: string): Dialect | null {
  if (kind === 'embed') return overEmbeddings.get(nameFor(embeddings, model)) ?? null
  return overChats[kind]?.get(nameFor(chat, model)) ?? null
}

function nameFor(choice: string | ((model: string) => string | null) | undefined, model: string): string {
  return (typeof choice === 'function' ? choice(model) : choice) ?? ''
}

/** The vendor without one of its optional kinds, served by the fallback kind. `null` = the kind is not optional, or has no fallback. */
export function withoutKind(vendor: Vendor, kind: Kind): Vendor | null {
  if (vendor.optionalKinds?.includes(kind) !== true) return null
  const { [kind]: _lacked, chat, ...dialects } = vendor.dialects
  const without = { ...vendor, dialects: { ...dialects, ...(chat === undefined ? {} : { chat: plainly(chat) }) }, optionalKinds: [] }
  return dialectOf(without, kind) === null ? null : without
}

/** The same chats, always sent as chats: the server lacks the kind that some of them are sent as. */
function plainly(choice: DialectChoice<'chat'>): DialectChoice<'chat'> {
  if (typeof choice === 'function') return (model) => plainName(choice(model))
  return plainName(choice)
}

const plainName = <Name extends string | null>(name: Name): Name | 'openai' => (name === 'openai-thinking' ? 'openai' : name)

/** The reader of answers in the pivot form of a kind. */
export function pivotOf(kind: Kind): Passthrough {
  if (kind === 'messages') return dialectTable.messages.anthropic.passthrough
  if (kind === 'generate') return dialectTable.generate.gemini.passthrough
  if (kind === 'embed') return embedAnswers
  return dialectTable[kind].openai.passthrough
}
