import { messageOr } from '../../core/failure-parts.ts'
import { isObject } from '../../core/is-object.ts'
import type { Json } from '../../core/json.ts'
import { addressOf, askOnce, at, numberOf, type QueryContext, type VendorQuery } from '../../core/vendor-query.ts'

type BalanceResult = { readonly result: number } | { readonly failed: string }

export function balanceResult(response: Json, value: number | null): BalanceResult {
  return value === null ? { failed: messageOr(response, 'the response has no balance') } : { result: value }
}

/** One GET; the balance is at this place of the response. */
export const askField = (path: string | ((context: QueryContext) => string), ...place: readonly string[]): VendorQuery<number> =>
  askOnce(path, (response) => balanceResult(response, numberOf(at(response, ...place))))

/** One GET; the response has the total and the used part. */
export const askDifference = (
  path: string,
  { whole, used }: { readonly whole: readonly string[]; readonly used: readonly string[] },
): VendorQuery<number> =>
  askOnce(path, (response) => {
    const [had, spent] = [numberOf(at(response, ...whole)), numberOf(at(response, ...used))]
    return balanceResult(response, had === null || spent === null ? null : had - spent)
  })

/** One balance for each currency: the one in yuan is used, or else the first. */
export const askCurrencies = (path: string): VendorQuery<number> =>
  askOnce(path, (response) => {
    const infos = at(response, 'balance_infos')
    const rows = Array.isArray(infos) ? infos.filter(isObject) : []
    const row = rows.find(({ currency }) => currency === 'CNY') ?? rows[0]
    return balanceResult(response, numberOf(at(row, 'total_balance')))
  })

/** Sends a query with the bare key in this header. */
export const withKeyHeader =
  (name: string, query: VendorQuery<number>): VendorQuery<number> =>
  (context, responses) =>
    query({ ...context, headers: { [name]: context.key } }, responses)

/** Sends a query as a POST without a body. */
export const posted =
  (query: VendorQuery<number>): VendorQuery<number> =>
  (context, responses) => {
    const step = query(context, responses)
    return 'request' in step ? { request: { ...step.request, method: 'POST' } } : step
  }

const dayMs = 86_400_000
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10)

/** OpenAI's old billing endpoints, which resellers still serve: the limit of a subscription, then its usage in cents. */
export const askDashboard: VendorQuery<number> = (context, [subscription, usage]) => {
  const request = (path: string) => ({
    request: { method: 'GET' as const, url: addressOf(context.baseUrl, `/v1/dashboard/billing/${path}`), headers: context.headers },
  })
  if (subscription === undefined) return request('subscription')
  const limit = numberOf(at(subscription, 'hard_limit_usd'))
  if (limit === null) return balanceResult(subscription, null)
  if (usage === undefined) {
    const today = dayOf(context.nowMs)
    // Monthly billing starts on the first day of the month; prepaid grants last a hundred days.
    const isMonthly = at(subscription, 'has_payment_method') !== false
    const from = isMonthly ? `${today.slice(0, 8)}01` : dayOf(context.nowMs - 100 * dayMs)
    return request(`usage?start_date=${from}&end_date=${today}`)
  }
  const spent = numberOf(at(usage, 'total_usage'))
  return balanceResult(usage, spent === null ? null : limit - spent / 100)
}

/** Divides the result of a query by `divisor`. */
export const inUnitsOf =
  (divisor: number, query: VendorQuery<number>): VendorQuery<number> =>
  (context, responses) => {
    const step = query(context, responses)
    return 'result' in step ? { result: step.result / divisor } : step
  }
