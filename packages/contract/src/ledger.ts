import * as z from 'zod/mini'
import { endpoint } from './endpoint.ts'
import { noInput } from './parts.ts'

/** The result of the last check of the ledger: balances that are not the sum of their entries are findings. */
const ledgerCheck = z.object({
  /** Seconds since the epoch; 0 = the first check is still running. */
  checked_at: z.int(),
  elapsed_ms: z.int(),
  entries: z.int(),
  unexplained: z.number(),
  findings: z.array(z.object({ what: z.string(), id: z.int(), stored: z.number(), summed: z.number() })),
  open_holds: z.int(),
  stale_holds: z.int(),
  negative_balances: z.int(),
  requests: z.int(),
  estimated: z.int(),
})

export const ledger = {
  check: endpoint({ method: 'GET', path: '/api/ledger/check', access: 'admin', input: noInput, data: ledgerCheck }),
}
