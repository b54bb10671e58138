import { anthropic } from './anthropic/dialect.ts'
import type { ChatDialect, Dialect, Passthrough } from './dialect.ts'
import type { Kind } from './kind.ts'
import { speech, transcriptions, translations } from './openai/audio.ts'
import { completions, edits } from './openai/completions.ts'
import { openai } from './openai/dialect.ts'
import { imageEdits, images, imageVariations } from './openai/images.ts'
import { realtime } from './openai/realtime.ts'
import { responses } from './openai/responses.ts'
import { embeddings, moderations, rerank } from './openai/whole-kinds.ts'
import { byChat } from './responses/by-chat.ts'
import type { Vendor } from './vendor.ts'

/** Every chat dialect by name. A vendor record can only name one that stands here. */
export const chatDialects = { openai, anthropic } as const satisfies Record<string, ChatDialect>

/** The same for every kind. */
const dialects = {
  chat: chatDialects,
  completions: { openai: completions },
  edits: { openai: edits },
  embeddings: { openai: embeddings },
  moderations: { openai: moderations },
  rerank: { openai: rerank },
  images: { openai: images },
  'image-edits': { openai: imageEdits },
  'image-variations': { openai: imageVariations },
  speech: { openai: speech },
  transcriptions: { openai: transcriptions },
  translations: { openai: translations },
  responses: { openai: responses },
  realtime: { openai: realtime },
} as const satisfies Record<Kind, Record<string, Dialect>>

/** Where a vendor has chats only, its responses are made of them. */
const responsesByChat: Readonly<Record<keyof typeof chatDialects, Dialect>> = { openai: byChat(openai), anthropic: byChat(anthropic) }

/** kind -> name of the dialect. */
export type Speaks = { readonly [K in Kind]?: keyof (typeof dialects)[K] }

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
