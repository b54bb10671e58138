/** A new task, written in the transaction of its reservation. The names are those of its columns. */
export interface NewTask {
  readonly public_id: string
  readonly kind: string
  readonly action: string
  readonly model: string
  readonly upstream_model: string
  readonly group_name: string
  readonly state: string
  readonly stage: string
  readonly idempotency_key: string
  readonly order_sealed: string
  readonly price: string
  readonly give_up_at: number
  readonly next_poll_ms: number
}

/** The end of a task, written in the transaction that charges or releases its reservation. */
export interface TaskEnd {
  readonly publicId: string
  readonly state: 'completed' | 'failed' | 'cancelled' | 'expired'
  readonly progress: number
  readonly resultSealed: string
  readonly errorCode: string
  readonly errorMessage: string
  /** When its results are deleted; 0: not known. */
  readonly expiresAt: number
}

/** The columns of a new task besides those of its reservation, in the order of `newTaskValues`. */
export const newTaskColumns = [
  'public_id',
  'kind',
  'action',
  'model',
  'upstream_model',
  'group_name',
  'state',
  'stage',
  'idempotency_key',
  'order_sealed',
  'price',
  'give_up_at',
  'next_poll_ms',
] as const satisfies ReadonlyArray<keyof NewTask>

export function newTaskValues(task: NewTask): readonly (string | number)[] {
  return newTaskColumns.map((name) => task[name])
}
