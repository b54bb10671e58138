import type { Db } from '../../db/connect.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import type { Viewer } from '../model/caller.ts'
import { ownerOf } from '../storage/viewer-queries.ts'
import { freeIdempotencyKey, readIdempotencyKey, takeIdempotencyKey } from './idempotency-key-queries.ts'
import { readTask, type TaskRow } from './task-queries.ts'

/** How long a name is remembered: as long as OpenAI's and Stripe's clients repeat a request. */
export const keptSeconds = 86_400
/** An order of which there is no row by then was lost with its process: it was not sent. */
const lostSeconds = 300
const keyMax = 255

/** The name of an order. @throws AppError for one that is empty or too long */
export function idempotencyKeyOf(header: string | null): string | null {
  if (header === null) return null
  if (!/^[\x21-\x7e]+$/.test(header) || header.length > keyMax)
    throw new AppError('invalid_parameter', { params: { name: 'Idempotency-Key' } })
  return header
}

/** Whether an order of the account has this name. */
export async function isKeyTaken(db: Db, userId: number, key: string | null): Promise<boolean> {
  return key !== null && (await readIdempotencyKey(db, userId, key)) !== undefined
}

interface Once {
  readonly db: Db
  readonly clock: Clock
  readonly caller: Viewer
  readonly key: string
  /** Of the whole task request: a different request may not have its name. */
  readonly hash: string
  readonly publicId: string
}

/** Runs an order, unless one with its name was taken: then it is the task of that. @throws AppError */
export async function createOnce(once: Once, run: () => Promise<TaskRow>): Promise<TaskRow> {
  const { db, clock, caller, key, hash, publicId } = once
  const row = { user_id: caller.userId, client_key: key, order_hash: hash, task_id: publicId, created_at: nowSeconds(clock) }
  if (!(await takeIdempotencyKey(db, row))) {
    const known = await takenBy(once)
    if (known !== null) return known
    if (!(await takeIdempotencyKey(db, row))) throw new AppError('idempotency_key_in_use', { retryAfterSeconds: 1 })
  }
  try {
    return await run()
  } catch (error) {
    // Nothing is running: the order may be sent again under its name.
    await freeIdempotencyKey(db, row)
    throw error
  }
}

/** The task that has the name; `null`: the name is free again. @throws AppError */
async function takenBy({ db, clock, caller, key, hash }: Once): Promise<TaskRow | null> {
  const taken = await readIdempotencyKey(db, caller.userId, key)
  if (taken === undefined) return null
  if (taken.order_hash !== hash) throw new AppError('idempotency_key_reused')
  const task = await readTask(db, ownerOf(caller.userId), taken.task_id)
  if (task !== undefined && (await readTask(db, caller, taken.task_id)) === undefined) throw new AppError('idempotency_key_reused')
  if (task !== undefined && (task.stage === 'running' || task.stage === 'ended')) return task
  const isLost = task === undefined && nowSeconds(clock) - taken.created_at > lostSeconds
  if (!isLost) throw new AppError('idempotency_key_in_use', { retryAfterSeconds: 1 })
  await freeIdempotencyKey(db, taken)
  return null
}
