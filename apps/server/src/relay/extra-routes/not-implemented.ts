import { AppError } from '../../lib/app-error.ts'
import { pathOf } from '../../lib/request-url.ts'
import type { Callers } from '../ingress/callers.ts'
import type { Incoming } from '../model/incoming.ts'

/**
 * Calls whose objects belong to one vendor account, while a relay has many. These paths and all below them return `not implemented`
 * instead of a 404.
 */
export const notImplementedPaths = [
  '/v1/files',
  '/v1/uploads',
  '/v1/fine_tuning',
  '/v1/fine-tunes',
  '/v1/batches',
  '/v1/assistants',
  '/v1/conversations',
  '/v1/threads',
  '/v1/vector_stores',
] as const

/** Calls for short-lived keys, with which browsers connect to a vendor themselves ("Realtime", API reference, read 2026-11-30). */
export const browserKeyPaths = [
  '/v1/realtime/client_secrets',
  '/v1/realtime/sessions',
  '/v1/realtime/transcription_sessions',
  '/v1/realtime/calls',
] as const

/** Says why after authentication. */
export async function refuseBrowserKeys(incoming: Incoming, { callers }: { readonly callers: Pick<Callers, 'admit'> }): Promise<Response> {
  const { request } = incoming
  await callers.admit(incoming)
  const params = { method: request.method, path: pathOf(request.url).slice(0, 200) }
  throw new AppError('api_not_implemented', { messageKey: 'browser_keys_not_offered', params })
}

/** Responds with this error after authentication, before any channel is chosen. */
export async function notImplemented(incoming: Incoming, { callers }: { readonly callers: Pick<Callers, 'admit'> }): Promise<Response> {
  const { request } = incoming
  await callers.admit(incoming)
  throw new AppError('api_not_implemented', { params: { method: request.method, path: pathOf(request.url).slice(0, 200) } })
}
