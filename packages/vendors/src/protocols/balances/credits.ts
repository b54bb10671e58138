import { textOr } from '../../core/is-object.ts'
import { uuidOf } from '../../core/uuid.ts'
import { addressOf, at, numberOf, type VendorQuery } from '../../core/vendor-query.ts'
import { balanceResult } from './shapes.ts'

/** Credits of a subscription and those that were bought (its vendor, "Get user credit balance", a copy read 2026-11-23). */
export const askCredits: VendorQuery<number> = (context, [response]) => {
  if (response === undefined) {
    const headers = { ...context.headers, 'ai-trace-id': uuidOf(context.crypto, `balance ${context.nowMs}`) }
    return { request: { method: 'GET', url: addressOf(context.baseUrl, '/openapi/v2/account/balance'), headers } }
  }
  const [monthly, bought] = ['credit_monthly', 'credit_package'].map((name) => numberOf(at(response, 'Resp', name)))
  const balance = typeof monthly === 'number' && typeof bought === 'number' ? monthly + bought : null
  return balanceResult({ message: textOr(at(response, 'ErrMsg'), '') }, balance)
}
