import type { IncomingRequest } from '@sluice/http1/incoming-request'
import { AppError } from '../../lib/app-error.ts'
import type { KeyForm } from '../model/key-form.ts'

/** Accepted on every route: the headers of four vendors' official clients. */
const headerForms: readonly KeyForm[] = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key']

/** The parts of a request that may hold a key. */
export type KeyHolder = Pick<IncomingRequest, 'url' | 'headers'>

/** A key, and the channel it names; `null`: none. */
export interface RequestKey {
  readonly key: string
  readonly pin: string | null
}

const bearer = /^Bearer(?: |$)/i

/** How each form is read. URLs are logged by proxies, so only some routes accept `query` (Gemini's clients send nothing else). */
const readers: Readonly<Record<KeyForm, (request: KeyHolder) => string | null>> = {
  authorization: ({ headers }) => headers.get('authorization')?.replace(bearer, '') ?? null,
  'x-api-key': ({ headers }) => headers.get('x-api-key'),
  'api-key': ({ headers }) => headers.get('api-key'),
  'x-goog-api-key': ({ headers }) => headers.get('x-goog-api-key'),
  query: ({ url }) => URL.parse(url, 'http://localhost')?.searchParams.get('key') ?? null,
  subprotocol: ({ headers }) => protocolKey(headers.get('sec-websocket-protocol')),
}

const protocolPrefix = 'openai-insecure-api-key.'

/** Browsers can set no other header on a WebSocket (OpenAI's browser client sends the key here; no page documents it). */
function protocolKey(list: string | null): string | null {
  const protocol = list?.split(',').find((item) => item.trim().startsWith(protocolPrefix))
  return protocol?.trim().slice(protocolPrefix.length) ?? null
}

/** `sk-KEY` or `KEY`, optionally followed by `-CHANNEL`. */
const keyForm = /^(?:sk-)?([A-Za-z0-9]{1,128})(?:-(.*))?$/

/** The key of a request, from the first form that holds one. @throws AppError token_missing, token_invalid */
export function keyOf(request: KeyHolder, forms: readonly KeyForm[] = headerForms): RequestKey {
  for (const form of forms) {
    const value = readers[form](request)?.trim() ?? ''
    if (value === '' || value === 'sk-') continue
    const [, key, pin] = keyForm.exec(value) ?? []
    if (key === undefined) throw new AppError('token_invalid')
    return { key, pin: pin ?? null }
  }
  throw new AppError('token_missing')
}
