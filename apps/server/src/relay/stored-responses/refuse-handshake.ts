import { isHandshake } from '@sluice/http1/handshake'
import { AppError } from '../../lib/app-error.ts'
import { pathOf } from '../../lib/request-url.ts'
import type { Incoming } from '../model/incoming.ts'

/**
 * Codex first requests a WebSocket where it sends its requests. It falls back to POST immediately if the response says that there is none, and
 * tries seven times if the address is unknown (@openai/codex 0.171, tried 2026-11-28).
 */
export function refuseHandshake({ request }: Incoming): Promise<Response> {
  const { method, url } = request
  const unknown = { params: { method, path: pathOf(url).slice(0, 200) } }
  return Promise.reject(isHandshake(request) ? new AppError('post_required') : new AppError('unknown_url', unknown))
}
