import type { IncomingRequest } from '@sluice/http1/incoming-request'
import { AppError } from '../../lib/app-error.ts'

/** Content types of JSON bodies, and those that curl and simple clients send by default. */
const jsonType = /^\s*(?:application\/(?:[\w.+-]+\+)?json|application\/x-www-form-urlencoded|text\/plain)\s*(?:;|$)/i

/** Refuses bodies that are not JSON by their type, before reading them. A missing type is accepted. @throws AppError */
export function needJson({ headers }: IncomingRequest): void {
  const type = headers.get('content-type')
  if (type === null || type === '' || type === 'application/json' || jsonType.test(type)) return
  throw new AppError('unsupported_media_type', { params: { type: type.slice(0, 80), wanted: 'application/json' } })
}
