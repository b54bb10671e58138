import type { SetAsideRow } from '@sluice/contract'
import type { Db } from '../../db/connect.ts'
import type { AsideEnd, Ledger, Resolution } from '../../ledger/ledger.ts'
import { operationPreview, readEnd, toCleanEnd } from '../../ledger/set-aside.ts'
import {
  type AsideRow,
  closeEnded,
  countAsides,
  dropDecision,
  findAside,
  type ListedAside,
  listAsides,
  listDecided,
} from '../../ledger/set-aside-queries.ts'
import { AppError } from '../../lib/app-error.ts'
import { type Clock, nowSeconds } from '../../lib/clock.ts'
import { eachAlone } from '../../lib/each-alone.ts'
import { type Audit, operator } from '../audit.ts'

interface Actor {
  readonly id: number
  readonly username: string
}

export interface ResolveInput {
  readonly id: number
  /** Quota; 0: nothing. */
  readonly charge: number
  readonly remark: string
}

/** What the ledger has set aside, and what people decide on it. */
export interface SetAsides {
  list(input: { readonly state: string; readonly p: number; readonly after: number; readonly size: number }): Promise<SetAsideRow[]>
  get(id: number): Promise<SetAsideRow & { readonly operation: string }>
  /** Does it again as it was. */
  retry(id: number, actor: Actor): Promise<SetAsideRow>
  /** Ends its reservation with a charge. */
  resolve(input: ResolveInput, actor: Actor): Promise<SetAsideRow>
  /** Counts what is open, and carries out what commands have decided. */
  look(): Promise<void>
  /** How many are open now. */
  count(): Promise<number>
  /** How many were open when it was looked last. */
  open(): number
}

interface SetAsidesDeps {
  readonly db: Db
  readonly ledger: Pick<Ledger, 'endSetAside'>
  readonly clock: Clock
  readonly audit: Audit
  /** For the log. */
  readonly report: (what: string, details: Readonly<Record<string, unknown>>) => void
}

export function createSetAsides({ db, ledger, clock, audit, report }: SetAsidesDeps): SetAsides {
  let open = 0

  async function find(id: number): Promise<AsideRow> {
    const row = await findAside(db, id)
    if (row === undefined) throw new AppError('not_found')
    return row
  }

  async function findOpen(id: number): Promise<AsideRow> {
    const row = await find(id)
    if (row.state !== 'open') throw new AppError('set_aside_ended')
    return row
  }

  /** Of two who end the same, one ends it. */
  async function end(what: AsideEnd, resolution: Resolution): Promise<SetAsideRow> {
    const isEnded = await ledger.endSetAside(what, resolution).catch((cause: unknown) => {
      throw cause instanceof AppError && cause.code === 'internal_error' ? new AppError('set_aside_refused', { cause }) : cause
    })
    const { id, by, remark } = resolution
    if (isEnded) return toRow(withoutOperation(await find(id)))
    // It has lost its reservation otherwise, such as when the client stopped its task.
    await closeEnded(db, { id, by, remark, at: nowSeconds(clock) })
    throw new AppError('set_aside_ended')
  }

  async function retry(id: number, actor: Actor): Promise<SetAsideRow> {
    const row = await findOpen(id)
    const what = readEnd(row.operation, holdOf(row))
    if (what === null) throw new AppError('set_aside_incomplete')
    const { amount } = what.settlement
    const ended = await end(what, { id, state: 'retried', charged: amount, by: actor.id, remark: '' })
    await audit({ actor, messageKey: 'log_set_aside_retried', params: { request: row.request_id, amount } })
    return ended
  }

  async function resolve({ id, charge, remark }: ResolveInput, actor: Actor): Promise<SetAsideRow> {
    const row = await findOpen(id)
    const max = Math.max(row.amount, row.held)
    if (charge > max) throw new AppError('set_aside_charge_too_large', { params: { max } })
    const what = toCleanEnd(row.operation, holdOf(row), { charge, nowSeconds: nowSeconds(clock) })
    const ended = await end(what, { id, state: 'resolved', charged: charge, by: actor.id, remark })
    const params = { request: row.request_id, amount: charge, remark: remark || '-' }
    await audit({ actor, messageKey: 'log_set_aside_resolved', params })
    return ended
  }

  async function carryOut(row: AsideRow): Promise<void> {
    const { id, charged: charge, remark } = row
    try {
      await (row.decision === 'retry' ? retry(id, operator) : resolve({ id, charge, remark }, operator))
    } catch (err) {
      report('set-aside decision not carried out', { err, id })
      await dropDecision(db, id)
    }
  }

  const carryOutOne = eachAlone(carryOut, (err, { id }) => report('set-aside decision not carried out, will retry', { err, id }))

  return {
    list: async ({ state, ...page }) => (await listAsides(db, { state, ...page })).map(toRow),
    async get(id) {
      const row = await find(id)
      return { ...toRow(withoutOperation(row)), operation: operationPreview(row.operation) }
    },
    retry,
    resolve,
    async look() {
      const { open: now, decided } = await countAsides(db)
      if (now > open) report('ledger operations set aside, a super admin must resolve them', { open: now })
      open = now
      if (decided > 0) for (const row of await listDecided(db)) await carryOutOne(row)
    },
    count: async () => (await countAsides(db)).open,
    open: () => open,
  }
}

const holdOf = ({ request_id: requestId, user_id: userId, token_id: tokenId, held: amount, task_id: taskId }: AsideRow) => ({
  requestId,
  userId,
  tokenId,
  amount,
  taskId,
})

function withoutOperation({ operation, ...row }: AsideRow): ListedAside {
  return { ...row, has_operation: operation !== '' }
}

function toRow({ has_operation: hasOperation, ...row }: ListedAside): SetAsideRow {
  return { ...row, can_retry: row.state === 'open' && hasOperation }
}
