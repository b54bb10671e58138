import type { Settings } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import { storageOf } from '../storage/storage-share.ts'
import { storedBytes } from '../storage/stored-bytes-queries.ts'
import { deleteContent, oldestContent } from './content-queries.ts'

/** Keeps the content of stored responses within what an account, and all together, may have. */
export interface ResponseRoom {
  /** An account has stored so many bytes: its oldest content makes room, and the oldest of all. */
  stored(userId: number, bytes: number): Promise<void>
}

export type StorageSettings = Pick<Settings, 'ResponseGigabytes' | 'AccountStoragePercent'>

interface RoomDeps {
  readonly db: Db
  readonly settings: () => StorageSettings
}

/** Rows that are deleted at a time. */
const rowsAtOnce = 100
/** Most steps of one call. What is left after a much smaller limit goes with later calls. */
const stepsMax = 20
/** How much more room is made than is needed, so that not every response has to: a twentieth. */
const spare = 1 / 20
/** The bytes of all accounts are added up whenever a hundredth of the limit was stored here. */
const unseenMax = 1 / 100

export function createResponseRoom({ db, settings }: RoomDeps): ResponseRoom {
  /** Stored here since the bytes of all were added up. */
  let unseen = Number.POSITIVE_INFINITY

  return {
    async stored(userId, bytes) {
      const { all, share } = storageOf(settings().ResponseGigabytes, settings())
      await shrink(db, userId, share)
      unseen += bytes
      if (unseen < all * unseenMax) return
      unseen = 0
      await shrink(db, null, all)
    },
  }
}

async function shrink(db: Db, userId: number | null, most: number): Promise<void> {
  const excess = (await storedBytes(db, 'responses', userId)) - most
  if (excess <= 0) return
  let left = excess + most * spare
  for (let step = 0; step < stepsMax && left > 0; step += 1) {
    const oldest = await oldestContent(db, userId, rowsAtOnce)
    if (oldest.length === 0) return
    const idsOf = new Map<number, string[]>()
    for (const row of oldest) {
      if (left <= 0) break
      left -= row.bytes
      idsOf.set(row.user_id, [...(idsOf.get(row.user_id) ?? []), row.id])
    }
    for (const [owner, ids] of idsOf) await deleteContent(db, owner, ids)
  }
}
