import type { OrderKind, TaskEstimate } from '@sluice/contract'
import type { SentFile } from '@sluice/vendors/dialect'
import type { JsonObject } from '@sluice/vendors/json'
import { type OrderForm, orderOf } from '../ingress/task-order.ts'
import type { Tasks } from './create-tasks.ts'
import { continuedSong, songForm } from './song-routes.ts'
import { videoForm } from './task-routes.ts'

/** An order that the console's form has not sent yet. */
export interface EstimateWish {
  readonly userId: number
  readonly groups: readonly string[]
  readonly kind: OrderKind
  /** The body of the call that would order it. */
  readonly body: JsonObject
  /** Number of pictures that would go along as files. */
  readonly files: number
}

/** How the calls that order it read it. */
const forms: Readonly<Record<OrderKind, OrderForm>> = {
  videos: videoForm,
  pictures: { kind: 'pictures', action: 'create' },
  songs: songForm,
}

/** What no price depends on. */
const anyPicture: SentFile = { name: 'input_reference', fileName: 'picture.png', contentType: 'image/png', bytes: new Uint8Array(1) }

/** What would be reserved for an order; it is read, checked and counted as the order itself. @throws AppError */
export async function estimateOrder({ userId, groups, kind, body, files }: EstimateWish, tasks: Tasks): Promise<TaskEstimate> {
  const order = orderOf({ body, files: Array.from({ length: files }, () => anyPicture), film: null }, forms[kind])
  const caller = { userId, groups, pin: null }
  const source = kind === 'songs' ? await continuedSong(order, caller, tasks) : null
  const { amount, seconds, size } = await tasks.estimate({ caller, order, source, cast: await tasks.castOf(caller, order) })
  return { quota: amount, seconds, size: size ?? '' }
}
