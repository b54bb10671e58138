import type { ChatDialect } from '../../core/dialect.ts'
import { fittingCalls } from '../calls/conform-calls.ts'
import { geminiSchemas } from '../calls/tool-schemas.ts'
import { takesTextType } from '../media/content-media.ts'
import { singly } from '../shared/one-call.ts'
import { readFailure } from './failure.ts'
import { developerApi, type GeminiHost } from './host.ts'
import { askGeminiModels } from './model-list.ts'
import { generateAt } from './native.ts'
import { toGemini } from './request.ts'
import { fromGemini, geminiStream } from './response.ts'
import { withoutForeignSignatures } from './without-signatures.ts'

/** Names of functions that are accepted ("Function calling", a stored copy read 2026-11-22). */
const acceptedName = /^[a-zA-Z_][a-zA-Z0-9_-]{0,63}$/

/** Chats with models of this protocol at one of its hosts. */
export function geminiAt(host: GeminiHost): ChatDialect {
  return fittingCalls(
    singly({
      request: (chat, target) => toGemini(host, chat, target),
      response: fromGemini,
      stream: geminiStream,
      failure: readFailure,
      retryWithout: withoutForeignSignatures,
      // One choice only, and log probabilities are refused by models that think.
      lacks: ['n', 'logprobs', 'top_logprobs'],
      searchesWeb: true,
      holds: ['images'],
      needsImageBytes: true,
      native: { generate: generateAt(host) },
      textFiles: { takes: takesTextType },
    }),
    { names: acceptedName, schemas: geminiSchemas },
  )
}

/** The Gemini API's `generateContent`. */
export const gemini: ChatDialect = { ...geminiAt(developerApi), askModels: askGeminiModels }
