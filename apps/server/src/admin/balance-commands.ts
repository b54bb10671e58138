import { connectStore } from '../db/connect-store.ts'
import { openForChanges } from '../db/open-beside.ts'
import { isThere, placeLabel, storePlace } from '../db/store-place.ts'
import type { Env } from '../env.ts'
import { listBalanceGaps } from '../ledger/verify-queries.ts'
import { nowSeconds, systemClock } from '../lib/clock.ts'
import { type Recomputed, recomputeBalances, recomputeUsers } from './recompute-queries.ts'
import { UsageError } from './usage-error.ts'

/** Recomputes stored balances from their entries: those of the system beside servers, those of users with the database alone. */
export async function recompute(env: Env, args: readonly string[]): Promise<readonly string[]> {
  if (args.length === 0) return await recomputeSystem(env)
  if (args.length > 1 || args[0] !== '--users') throw new UsageError()
  const place = storePlace(env)
  if (!isThere(place)) throw new Error(`no database found at ${placeLabel(place)}`)
  const store = await connectStore(place, { report: (what) => console.error(what) })
  try {
    const changes = await recomputeUsers(store.db, nowSeconds(systemClock))
    await store.durable()
    return linesOf(changes)
  } finally {
    await store.close()
  }
}

async function recomputeSystem(env: Env): Promise<readonly string[]> {
  const { db, close } = await openForChanges(storePlace(env))
  try {
    const changes = await recomputeBalances(db, nowSeconds(systemClock))
    const gaps = await listBalanceGaps(db)
    const others =
      gaps.length === 0 ? [] : ['These are balances of users; stop every server, then: admin recompute-balances --users', ...gaps]
    return [...linesOf(changes), ...others]
  } finally {
    await close()
  }
}

function linesOf(changes: readonly Recomputed[]): readonly string[] {
  if (changes.length === 0) return ['Every balance already equals the sum of its entries.']
  return changes.map(({ account, from, to }) => `${account}: ${from} -> ${to}`)
}
