import { AppError } from '../lib/app-error.ts'
import type { Operation } from './commit.ts'
import type { Adjustment, Moved, NewTokenQuota, TokenQuota } from './ledger.ts'
import type { SharedStore } from './ledger-store.ts'

// Changes that depend on a whole balance, on a store that several nodes share: no node knows it, so its row is locked while the change is
// decided. Reservations of running requests stay; what they are charged may then take the balance below zero, as on a store of one process.

/** @throws AppError not_found, quota_too_large */
export async function adjustShared(
  shared: SharedStore,
  { userId, kind, ref, amountAt, log: logOf }: Adjustment,
  nowSeconds: number,
): Promise<Moved> {
  let moved: Moved | null = null
  await shared.decide({ of: 'user', id: userId, nowSeconds }, ({ balance: from }): Operation | null => {
    if (from === null) return null
    const amount = amountAt(from)
    moved = { from, to: from + amount }
    if (amount === 0) return null
    if (!Number.isSafeInteger(moved.to)) throw new AppError('quota_too_large')
    return { do: 'post', posting: { userId, kind, ref, amount, log: logOf(moved) }, isCounted: true }
  })
  if (moved === null) throw new AppError('not_found', { messageKey: 'no_such_user' })
  return moved
}

interface TokenChange {
  readonly tokenId: number
  readonly change: (now: TokenQuota) => NewTokenQuota
}

/** @throws AppError not_found, quota_too_large */
export async function setSharedToken(shared: SharedStore, { tokenId, change }: TokenChange, nowSeconds: number): Promise<void> {
  let isFound = false
  await shared.decide({ of: 'token', id: tokenId, nowSeconds }, ({ limit: now }): Operation | null => {
    if (now === null) return null
    isFound = true
    const { remain, isUnlimited, forms } = change(now)
    if (!Number.isSafeInteger(remain)) throw new AppError('quota_too_large')
    return { do: 'set-token', limit: { tokenId, remain, isUnlimited, forms } }
  })
  if (!isFound) throw new AppError('not_found', { messageKey: 'no_such_token' })
}
