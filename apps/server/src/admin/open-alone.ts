import type { Store } from '../db/connect.ts'
import { connectStore } from '../db/connect-store.ts'
import { isThere, placeLabel, storePlace } from '../db/store-place.ts'
import type { Env } from '../env.ts'
import type { Reached } from '../lib/failpoints.ts'

/** The store with its lock: a running server would continue to seal with the old master key in its memory. @throws where there is none, or one runs */
export async function openAlone(env: Env, reached: Reached): Promise<Store> {
  const place = storePlace(env)
  if (!isThere(place)) throw new Error(`no database found at ${placeLabel(place)}`)
  return await connectStore(place, {
    reached,
    report: (what, error) => console.error(`${what} ${error instanceof Error ? error.message : ''}`.trim()),
  })
}
