import type { Generated } from 'kysely'

/** Work of a vendor that takes minutes. Ended tasks have no reservation, and all others have one. */
export interface TaskTable {
  id: Generated<number>
  /** Its id for clients. */
  public_id: string
  user_id: number
  token_id: number
  /** The request that created it; its hold and its log row have this ID too. */
  request_id: string
  kind: string
  action: string
  /** As the client named it, and as the vendor does. */
  model: string
  upstream_model: string
  /** The group whose price applies. */
  group_name: string
  /** queued, in_progress, completed, failed, cancelled, expired */
  state: string
  /** written (nothing was sent), sending (it is not known whether the vendor has it), running, ended */
  stage: string
  /** The start of the node that sends the order; 0: one process. */
  epoch: Generated<number>
  /** Percent. */
  progress: Generated<number>
  channel_id: Generated<number>
  channel_type: Generated<number>
  /** The vendor's id; empty: not known yet. */
  vendor_id: Generated<string>
  /** What reaches the task at its vendor: the channel as it was when the task was submitted, and the vendor's addresses. Sealed JSON. */
  upstream_sealed: Generated<string>
  idempotency_key: string
  /** The client's order without files. Sealed JSON. */
  order_sealed: string
  /** What was made. Sealed JSON; empty until then. */
  result_sealed: Generated<string>
  error_code: Generated<string>
  error_message: Generated<string>
  /** JSON: what was planned, and the prices at that time. */
  price: string
  /** Quota: what was reserved, and what was charged at the end. */
  held: number
  charged: Generated<number>
  /** How often the vendor was polled, and how often in a row it did not know the task. */
  polls: Generated<number>
  misses: Generated<number>
  /** When the vendor is polled next, in milliseconds since the epoch; null: never again. Whoever moves it on may poll. */
  next_poll_ms: number | null
  /** When the work is given up; created and ended (0: not yet); when its results are deleted (0: not known). */
  give_up_at: number
  created_at: number
  ended_at: Generated<number>
  expires_at: Generated<number>
}

/** The content of a result that its vendor sent with its response, and has at no address. */
export interface TaskContentTable {
  /** `public_id` of the task. */
  task_id: string
  /** Index of the result. */
  place: number
  /** Base64. Sealed. */
  content_sealed: string
}

/** A result that is copied from its vendor, and kept on the disk or in a store. */
export interface TaskFileTable {
  id: Generated<number>
  /** `public_id` of the task, and its account. */
  task_id: string
  user_id: Generated<number>
  /** Index of the result. */
  place: number
  /** wanted (it is to be copied), kept, dropped (its file is to be deleted) */
  state: string
  content_type: Generated<string>
  bytes: Generated<number>
  /** How often it was tried to copy it. */
  tries: Generated<number>
  /** When it is copied, in milliseconds since the epoch; null: never again. Whoever moves it on may copy. */
  next_try_ms: number | null
  /** When it was copied, and until when it is kept, in seconds since the epoch. */
  kept_at: Generated<number>
  kept_until: Generated<number>
}

/** The name that a client gave an order, and the task that it became. */
export interface TaskIdempotencyKeyTable {
  user_id: number
  client_key: string
  /** Of the task parameters: a different task request may not reuse the key. */
  order_hash: string
  /** `public_id` of the task. */
  task_id: string
  created_at: number
}

/** A character of videos, which a vendor made of a video. */
export interface TaskCharacterTable {
  id: Generated<number>
  /** Its id for clients. */
  public_id: string
  user_id: number
  /** The token that made it, and the model that it named; 0 and empty for rows of earlier versions. */
  token_id: Generated<number>
  model: Generated<string>
  channel_id: number
  /** Its id at the vendor of the channel. */
  vendor_id: string
  name: string
  created_at: number
}

/** The tables of tasks. */
export interface TaskTables {
  tasks: TaskTable
  task_contents: TaskContentTable
  task_files: TaskFileTable
  task_order_keys: TaskIdempotencyKeyTable
  task_characters: TaskCharacterTable
}
