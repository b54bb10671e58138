import type { Endpoint } from '@sluice/contract'
import type { ZodMiniType } from 'zod/mini'
import { call, isUnanswered, serverSeconds } from '../lib/api.ts'
import type { LostOutcome } from '../lib/saved-values.ts'

export interface CreatedRow {
  /** Unix seconds, by the server's clock. */
  readonly created_time: number
}

interface Searched {
  readonly search: Endpoint<ZodMiniType, ZodMiniType<CreatedRow[]>>
  /** The member that is searched. */
  readonly firstField: string
}

interface LostCreate {
  readonly name: string
  /** By `performance.now()`. */
  readonly atMs: number
  /** Why there was no response. */
  readonly failure: Error | null
}

/** The server writes whole seconds, and its responses carry whole seconds too. */
const roundingSeconds = 2
/** What the server was doing when the connection was lost is over then. */
const againMs = 2_000

/**
 * Whether a row was created although the response was lost: one of its name that is not older than the call. Ages are measured by the
 * server's clock, which its responses expose to pages of its own site; elsewhere it cannot be determined. Nor can it be ruled out that the
 * row will still appear while the server, or a proxy in front of it, is slow.
 */
export async function findCreated({ search, firstField }: Searched, { name, atMs, failure }: LostCreate): Promise<LostOutcome> {
  const isThere = async (): Promise<boolean | null> => {
    const [rows, nowSeconds] = await Promise.all([call(search, { keyword: name }), serverSeconds()])
    if (nowSeconds === null) return null
    const fromSeconds = nowSeconds - (performance.now() - atMs) / 1000 - roundingSeconds
    return rows.some((row) => Reflect.get(row, firstField) === name && row.created_time >= fromSeconds)
  }
  const isStored = await isThere()
  if (isStored !== false) return isStored === true ? 'stored' : 'unseen'
  if (!isUnanswered(failure)) return 'unseen'
  await new Promise((resolve) => setTimeout(resolve, againMs))
  return (await isThere()) === true ? 'stored' : 'differs'
}
