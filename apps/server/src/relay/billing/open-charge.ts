import type { Settings } from '@sluice/contract'
import type { Hold, HoldRequest, Ledger } from '../../ledger/ledger.ts'
import type { Clock } from '../../lib/clock.ts'
import { nowSeconds } from '../../lib/clock.ts'
import type { Charge } from './billing.ts'
import { OutputBudget } from './output-budget.ts'
import { reserveFor } from './reserve.ts'

export interface HoldDeps {
  readonly ledger: Pick<Ledger, 'hold' | 'extend'>
  readonly settings: () => Settings
  readonly clock: Clock
  readonly callers: {
    /** Passes on why nothing was reserved. */
    refused(tokenId: number, error: unknown): Promise<never>
  }
}

/** Reserves what a request may cost; its bill is open from then on. @throws AppError */
export async function openCharge(
  deps: HoldDeps,
  given: Pick<Charge, 'requestId' | 'span' | 'caller' | 'params' | 'resolvedPrice' | 'permit'>,
): Promise<Charge> {
  const { requestId, span, caller, params, resolvedPrice, permit } = given
  const reservation = reserveFor(params, resolvedPrice, deps.settings())
  const { amount, least } = reservation
  permit.expect(params.promptTokens)
  const { userId, tokenId } = caller
  const request = { requestId, userId, tokenId, amount, least, modelName: params.model, ceiling: permit.ceiling }
  const hold = await holdFor(request, deps)
  const { maxTokens, choices } = params
  const budget = new OutputBudget({ ledger: deps.ledger, hold, reservation, maxTokens, choices })
  return {
    ...given,
    hold,
    budget,
    createdAt: nowSeconds(deps.clock),
    startedMs: span.startedMs,
    channel: null,
    attempts: 0,
    address: '',
    failures: [],
    firstByteAtMs: 0,
  }
}

/** @throws AppError */
async function holdFor(request: HoldRequest, { ledger, callers }: HoldDeps): Promise<Hold> {
  try {
    return await ledger.hold(request)
  } catch (error) {
    return await callers.refused(request.tokenId, error)
  }
}
