import { nowSeconds } from '../lib/clock.ts'
import type { Bill } from './bill.ts'
import type { Parts } from './relay.ts'
import { reserveFor } from './reserve.ts'

/** Reserves what a request may cost; its bill is open from then on. @throws AppError */
export async function openBill(
  parts: Parts,
  given: Pick<Bill, 'requestId' | 'sight' | 'caller' | 'wanted' | 'quote' | 'pass'>,
): Promise<Bill> {
  const { requestId, sight, caller, wanted, quote, pass } = given
  const amount = reserveFor(wanted, quote, parts.settings())
  pass.expect(wanted.promptTokens)
  const { userId, tokenId } = caller
  const request = { requestId, userId, tokenId, amount, modelName: wanted.model, ceiling: pass.ceiling }
  const hold = await parts.ledger.hold(request).catch((error) => parts.callers.refused(tokenId, error))
  return { ...given, hold, createdAt: nowSeconds(parts.clock), startedMs: sight.startedMs, channel: null, attempts: 0, firstByteAtMs: 0 }
}
