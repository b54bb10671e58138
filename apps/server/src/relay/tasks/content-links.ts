import { timingSafeEqual } from 'node:crypto'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import type { Seal } from '../../lib/seal.ts'

/** Addresses of results that need no token, for players in a page: whoever has one can fetch this result until it expires. */
export interface ContentLinks {
  /** The address of a result, below this server's own. */
  linkTo(publicId: string, index: number): string
  /** Whether a request's query is that of a link which is still valid. */
  isValid(publicId: string, index: number, query: URLSearchParams): boolean
}

/** How long a link is valid, and by how much of that its end is rounded, so that a page that is loaded again can use what it has. */
const validSeconds = 3_600
const roundSeconds = 600

export function createContentLinks(seal: Pick<Seal, 'lookup'>, clock: Clock): ContentLinks {
  const proofOf = (publicId: string, index: number, expires: string): string =>
    seal.lookup(`${publicId} ${index} ${expires}`, 'task-content')

  return {
    linkTo(publicId, index) {
      const expires = String(Math.ceil((nowSeconds(clock) + validSeconds) / roundSeconds) * roundSeconds)
      const query = new URLSearchParams({ index: String(index), expires, signature: proofOf(publicId, index, expires) })
      return `/v1/tasks/${publicId}/content?${query}`
    },
    isValid(publicId, index, query) {
      const expires = query.get('expires') ?? ''
      if (!/^\d{1,12}$/.test(expires) || Number(expires) < nowSeconds(clock)) return false
      const given = Buffer.from(query.get('signature') ?? '')
      const wanted = Buffer.from(proofOf(publicId, index, expires))
      return given.length === wanted.length && timingSafeEqual(given, wanted)
    },
  }
}
