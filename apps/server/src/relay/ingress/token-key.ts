import type { Received } from '@sluice/http1/received'
import { AppError } from '../../lib/app-error.ts'

/** Where a client may put its key. */
export type KeyForm = 'authorization' | 'x-api-key' | 'api-key' | 'x-goog-api-key' | 'query' | 'subprotocol'

/** On every route: what the official clients of four vendors send. */
const headerForms: readonly KeyForm[] = ['authorization', 'x-api-key', 'api-key', 'x-goog-api-key']

/** As much of a request as may hold a key. */
export type KeyHolder = Pick<Received, 'url' | 'headers'>

/** A key, and the channel that it asks for: `null` = none. */
export interface GivenKey {
  readonly key: string
  readonly pin: string | null
}

/** How each form is read. An address is no secret place, so a route must ask for `query` (Gemini's clients know no other). */
const readers: Readonly<Record<KeyForm, (request: KeyHolder) => string | null>> = {
  authorization: ({ headers }) => headers.get('authorization')?.replace(/^Bearer(?: |$)/i, '') ?? null,
  'x-api-key': ({ headers }) => headers.get('x-api-key'),
  'api-key': ({ headers }) => headers.get('api-key'),
  'x-goog-api-key': ({ headers }) => headers.get('x-goog-api-key'),
  query: ({ url }) => URL.parse(url, 'http://localhost')?.searchParams.get('key') ?? null,
  subprotocol: ({ headers }) => protocolKey(headers.get('sec-websocket-protocol')),
}

const protocolPrefix = 'openai-insecure-api-key.'

/** Browsers can set no header on a WebSocket but this list (as OpenAI's own client for browsers sends it; no page was found). */
function protocolKey(list: string | null): string | null {
  const found = list?.split(',').find((item) => item.trim().startsWith(protocolPrefix))
  return found?.trim().slice(protocolPrefix.length) ?? null
}

/** `sk-KEY`, `KEY`, and either with `-CHANNEL` behind it. */
const keyForm = /^(?:sk-)?([A-Za-z0-9]{1,128})(?:-(.*))?$/

/** The key of a request: the first of the forms that holds one. @throws AppError token_missing, token_invalid */
export function keyOf(request: KeyHolder, forms: readonly KeyForm[] = headerForms): GivenKey {
  for (const form of forms) {
    const given = readers[form](request)?.trim() ?? ''
    if (given === '' || given === 'sk-') continue
    const [, key, pin] = keyForm.exec(given) ?? []
    if (key === undefined) throw new AppError('token_invalid')
    return { key, pin: pin ?? null }
  }
  throw new AppError('token_missing')
}
