import { anthropic } from './anthropic/dialect.ts'
import type { ChatDialect, Dialect } from './dialect.ts'
import { gemini } from './gemini/dialect.ts'
import { geminiEmbeddings } from './gemini/embeddings.ts'
import { developerApi } from './gemini/host.ts'
import { geminiImageEditsAt, geminiImagesAt } from './gemini/images.ts'
import { geminiSpeechAt } from './gemini/speech.ts'
import type { Kind } from './kind.ts'
import { speech, transcriptions, translations } from './openai/audio.ts'
import { completions, edits } from './openai/completions.ts'
import { openai } from './openai/dialect.ts'
import { imageEdits, images, imageVariations } from './openai/images.ts'
import { realtime } from './openai/realtime.ts'
import { responses } from './openai/responses.ts'
import { uncounted } from './openai/uncounted.ts'
import { embeddings, moderations, rerank } from './openai/whole-kinds.ts'
import { aiProxyLibrary } from './proxy-library/dialect.ts'

/** Every chat dialect by name. A vendor record can only name one of these. */
export const chatDialects = { openai, anthropic, gemini, uncounted, aiProxyLibrary } as const satisfies Record<string, ChatDialect>

/** The dialects of every kind. */
export const dialectTable = {
  chat: chatDialects,
  completions: { openai: completions },
  edits: { openai: edits },
  embeddings: { openai: embeddings, gemini: geminiEmbeddings },
  moderations: { openai: moderations },
  rerank: { openai: rerank },
  images: { openai: images, gemini: geminiImagesAt(developerApi) },
  'image-edits': { openai: imageEdits, gemini: geminiImageEditsAt(developerApi) },
  'image-variations': { openai: imageVariations },
  speech: { openai: speech, gemini: geminiSpeechAt(developerApi) },
  transcriptions: { openai: transcriptions },
  translations: { openai: translations },
  responses: { openai: responses },
  realtime: { openai: realtime },
} as const satisfies Record<Kind, Record<string, Dialect>>

/** The name of a dialect of a kind; or which one a model speaks, where a vendor sells models of several protocols. */
export type DialectChoice<K extends Kind> = keyof (typeof dialectTable)[K] | ((model: string) => keyof (typeof dialectTable)[K])

/** kind -> dialect. */
export type DialectNames = { readonly [K in Kind]?: DialectChoice<K> }
