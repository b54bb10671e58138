import type { Hold, HoldRequest } from '../ledger/ledger.ts'
import { nowSeconds } from '../lib/clock.ts'
import type { Bill } from './bill.ts'
import { OutputBudget } from './output-budget.ts'
import type { Parts } from './relay.ts'
import { reserveFor } from './reserve.ts'

/** Reserves what a request may cost; its bill is open from then on. @throws AppError */
export async function openBill(
  parts: Parts,
  given: Pick<Bill, 'requestId' | 'sight' | 'caller' | 'wanted' | 'quote' | 'pass'>,
): Promise<Bill> {
  const { requestId, sight, caller, wanted, quote, pass } = given
  const reservation = reserveFor(wanted, quote, parts.settings())
  const { amount, least } = reservation
  pass.expect(wanted.promptTokens)
  const { userId, tokenId } = caller
  const request = { requestId, userId, tokenId, amount, least, modelName: wanted.model, ceiling: pass.ceiling }
  const hold = await holdFor(request, parts)
  const { maxTokens, choices } = wanted
  const budget = new OutputBudget({ ledger: parts.ledger, hold, reservation, maxTokens, choices })
  return {
    ...given,
    hold,
    budget,
    createdAt: nowSeconds(parts.clock),
    startedMs: sight.startedMs,
    channel: null,
    attempts: 0,
    address: '',
    failures: [],
    firstByteAtMs: 0,
  }
}

/** @throws AppError */
async function holdFor(request: HoldRequest, { ledger, callers }: Parts): Promise<Hold> {
  try {
    return await ledger.hold(request)
  } catch (error) {
    return await callers.refused(request.tokenId, error)
  }
}
