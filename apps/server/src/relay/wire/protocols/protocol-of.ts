import type { ClientProtocol } from '../../model/client-protocol.ts'
import { anthropicProtocol } from './anthropic.ts'
import { geminiProtocol } from './gemini.ts'
import { openAiProtocol } from './open-ai.ts'
import { sunoProtocol } from './suno.ts'

interface Headers {
  get(name: string): string | null
}

interface Row {
  readonly protocol: ClientProtocol
  readonly isAt: (path: string, headers: Headers) => boolean
}

/** Methods of models in Google's API (Gemini API, "Models", read 2026-11-23). A model's own name may hold a colon, too: `llama3:latest`. */
const methodEnd =
  /:(?:(?:stream|batch)GenerateContent|generateContent|countTokens|embedContent|(?:batch|asyncBatch)EmbedContents?|predict\w*)$/

/** Protocols beside OpenAI's by what identifies their requests. Paths without a route have one, too, because their error needs a form. */
const rows: readonly Row[] = [
  { protocol: anthropicProtocol, isAt: (path) => /^\/v1\/messages(?:\/|$)/.test(path) },
  { protocol: geminiProtocol, isAt: (path) => /^\/v1beta(?:\/|$)/.test(path) || (path.startsWith('/v1/models/') && methodEnd.test(path)) },
  { protocol: sunoProtocol, isAt: (path) => path.startsWith('/suno/') },
  // Three protocols list their models here.
  { protocol: geminiProtocol, isAt: (path, headers) => /^\/v1\/models(?:\/|$)/.test(path) && headers.get('x-goog-api-key') !== null },
  { protocol: anthropicProtocol, isAt: (path, headers) => /^\/v1\/models(?:\/|$)/.test(path) && headers.get('anthropic-version') !== null },
]

/** The protocol of a request. */
export function protocolOf(path: string, headers: Headers): ClientProtocol {
  for (const { protocol, isAt } of rows) if (isAt(path, headers)) return protocol
  return openAiProtocol
}
