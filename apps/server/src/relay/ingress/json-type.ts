import type { Received } from '@sluice/http1/received'
import { AppError } from '../../lib/app-error.ts'

/** What curl and hand-made clients say of JSON, beside its own types. */
const jsonType = /^\s*(?:application\/(?:[\w.+-]+\+)?json|application\/x-www-form-urlencoded|text\/plain)\s*(?:;|$)/i

/** Refuses what cannot be JSON before it is read. A request without a type may be. @throws AppError */
export function needJson({ headers }: Received): void {
  const type = headers.get('content-type')
  if (type === null || type === '' || type === 'application/json' || jsonType.test(type)) return
  throw new AppError('unsupported_media_type', { params: { type: type.slice(0, 80), wanted: 'application/json' } })
}
