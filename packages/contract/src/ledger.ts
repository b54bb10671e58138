import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { byId, id, noInput, page, quota, says, text } from './parts.ts'

/** A whole number; as text beyond 2^53. */
const exact = z.union([z.int(), z.string()])

/** The result of the last check of the ledger: balances that are not the sum of their entries are findings. */
const ledgerCheck = z.object({
  /** Seconds since the epoch; 0 = the first check is still running. */
  checked_at: z.int(),
  elapsed_ms: z.int(),
  entries: z.int(),
  unexplained: z.number(),
  findings: z.array(z.object({ what: z.string(), id: z.int(), stored: exact, summed: exact })),
  open_holds: z.int(),
  stale_holds: z.int(),
  negative_balances: z.int(),
  requests: z.int(),
  estimated: z.int(),
  /** Charges that the database refused and nobody has retried or resolved. */
  set_aside: z.int(),
})

/** What becomes of it: `open` it waits for a person, `retried` it was done again as it was, `resolved` somebody decided on its charge. */
export const setAsideStates = ['open', 'retried', 'resolved'] as const

/** The end of a reservation that the database refused. Until it is retried or resolved, its reservation stays. */
const setAsideRow = z.object({
  id: z.int(),
  request_id: z.string(),
  user_id: z.int(),
  token_id: z.int(),
  /** Empty = it was deleted. */
  username: z.string(),
  token_name: z.string(),
  /** Of the reservation; empty = there is none any more. */
  model_name: z.string(),
  /** settle: it charges; release: it does not. */
  kind: z.enum(['settle', 'release']),
  /** What it was to charge, and what is reserved. */
  amount: z.int(),
  held: z.int(),
  /** Empty = a request. */
  task_id: z.string(),
  error_code: z.string(),
  error_message: z.string(),
  /** How often the database has refused it. */
  tries: z.int(),
  created_at: z.int(),
  state: z.enum(setAsideStates),
  /** What a command has decided and no server has carried out yet; empty = nothing. */
  decision: z.enum(['', 'retry', 'resolve']),
  /** What was charged in the end. */
  charged: z.int(),
  /** The user who retried or resolved it; 0 = nobody yet, or a command. */
  resolved_by: z.int(),
  resolved_at: z.int(),
  remark: z.string(),
  /** Whether it can be done again as it was. */
  can_retry: z.boolean(),
})
export type SetAsideRow = z.output<typeof setAsideRow>

/** With the operation as JSON for people to read; empty: it was too large to keep. */
const setAsideDetail = z.extend(setAsideRow, { operation: z.string() })
export type SetAsideDetail = z.output<typeof setAsideDetail>

/** Longest remark. */
export const setAsideRemarkMax = 200

const asideState = z._default(
  z.pipe(
    z.transform((value) => (setAsideStates.some((state) => state === value) ? value : '')),
    z.enum(['', ...setAsideStates]),
  ),
  '',
)

export const ledger = {
  /** What the ledger has set aside, newest first. An empty `state` = all. */
  setAside: endpoint({
    method: 'GET',
    path: '/api/ledger/set-aside',
    access: 'root',
    input: z.extend(page, { state: asideState }),
    data: z.array(setAsideRow),
  }),
  setAsideOf: endpoint({ method: 'GET', path: '/api/ledger/set-aside/:id', access: 'root', input: byId, data: setAsideDetail }),
  /** Does it again as it was. */
  retry: endpoint({ method: 'POST', path: '/api/ledger/set-aside/retry', access: 'root', input: z.object({ id }), data: setAsideRow }),
  /** Ends its reservation and charges an amount, at most the larger of `amount` and `held`; 0 = nothing. */
  resolve: endpoint({
    method: 'POST',
    path: '/api/ledger/set-aside/resolve',
    access: 'root',
    input: z.object({ id, charge: quota, remark: text.check(z.maxLength(setAsideRemarkMax, says('invalid_parameter'))) }),
    data: setAsideRow,
  }),
  check: endpoint({ method: 'GET', path: '/api/ledger/check', access: 'admin', input: noInput, data: ledgerCheck }),
}
