import { gatewayAddress } from '../lib/gateway-address.ts'
import type { LostOutcome } from '../lib/saved-values.ts'

interface NamedRow {
  readonly name: string
  /** Unix seconds, by the server's clock. */
  readonly created_time: number
}

/** Searches for a text. @returns the newest of the rows that it finds */
export type FindNamed = (text: string) => Promise<readonly NamedRow[]>

interface Sent {
  readonly name: string
  /** By `performance.now()`. */
  readonly atMs: number
}

/** The server writes whole seconds, and its answers tell them too. */
const roundingSeconds = 2

/**
 * Whether a row was created although the answer was lost: one of its name that is not older than the call. Ages are told by the server's
 * clock, which its answers tell to pages of its own site; elsewhere nobody can see it.
 */
export async function findCreated(findNamed: FindNamed, { name, atMs }: Sent): Promise<LostOutcome> {
  const [found, { headers }] = await Promise.all([findNamed(name), fetch(`${gatewayAddress}/api/status`, { cache: 'no-store' })])
  const nowSeconds = Date.parse(headers.get('date') ?? '') / 1000
  if (Number.isNaN(nowSeconds)) return 'unseen'
  const fromSeconds = nowSeconds - (performance.now() - atMs) / 1000 - roundingSeconds
  return found.some((row) => row.name === name && row.created_time >= fromSeconds) ? 'stored' : 'differs'
}
