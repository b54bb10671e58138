import { AppError } from '../../lib/app-error.ts'
import { pathOf } from '../../lib/request-url.ts'
import type { Callers } from '../ingress/callers.ts'
import type { Incoming } from '../model/incoming.ts'

/**
 * Calls of OpenAI's API whose objects live with one vendor account, which many channels are not. With all that stands below them, they are
 * answered as not implemented, so that a client hears it in words and not as a wrong address.
 */
export const notImplementedPaths = [
  '/v1/files',
  '/v1/uploads',
  '/v1/fine_tuning',
  '/v1/fine-tunes',
  '/v1/batches',
  '/v1/assistants',
  '/v1/threads',
  '/v1/vector_stores',
] as const

/** Says so to whoever has a good token, before any channel is looked for. */
export async function notImplemented(incoming: Incoming, { callers }: { readonly callers: Pick<Callers, 'admit'> }): Promise<Response> {
  const { request } = incoming
  await callers.admit(incoming)
  throw new AppError('api_not_implemented', { params: { method: request.method, path: pathOf(request.url).slice(0, 200) } })
}
