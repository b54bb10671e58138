import { rootOf } from '../../core/join-url.ts'
import { addressOf, type VendorQuery } from '../../core/vendor-query.ts'
import { askSignedAction } from './action.ts'
import { askCredits } from './credits.ts'
import { askCurrencies, askDashboard, askDifference, askField, inUnitsOf, posted, withKeyHeader } from './shapes.ts'

/**
 * The balance queries by channel type number; a vendor's record names its row as `askBalance`. A channel's own address is always used
 * if it has one: a key for a proxy must not be sent to the vendor behind it.
 */
export const balances = {
  1: askDashboard,
  2: askField('/dashboard/billing/credit_grants', 'total_available'),
  4: askField('/dashboard/billing/credit_grants', 'total_available'),
  // The key is in the query string: this vendor reads it nowhere else.
  5: askField(({ baseUrl, key }) => addressOf(baseUrl, `/sb-api/user/status?api_key=${encodeURIComponent(key)}`), 'data', 'credit'),
  // Answers only keys with administrator rights.
  7: posted(askField('/api/v1/user/admin/balance', 'data', 'balance')),
  8: askDashboard,
  // Accounts are on the host without `api.`.
  10: withKeyHeader(
    'api-key',
    askField(({ baseUrl }) => addressOf(baseUrl.replace('//api.', '//'), '/api/report/getUserOverview'), 'data', 'totalPoints'),
  ),
  12: askField('/dashboard/billing/credit_grants', 'total_remaining'),
  13: askField('/dashboard/billing/credit_grants', 'total_available'),
  20: askDifference('/v1/credits', { whole: ['data', 'total_credits'], used: ['data', 'total_usage'] }),
  23: askSignedAction,
  25: askField('/v1/users/me/balance', 'data', 'available_balance'),
  32: askField('/v1/accounts', 'balance'),
  36: askCurrencies('/user/balance'),
  // The balance is the number of characters left to translate.
  38: askDifference('/v2/usage', { whole: ['character_limit'], used: ['character_count'] }),
  // At the root of the host, in ten-thousandths of a dollar.
  41: inUnitsOf(
    10_000,
    askField(({ baseUrl }) => `${rootOf(baseUrl)}/openapi/v1/billing/balance/detail`, 'availableBalance'),
  ),
  46: askCredits,
  47: askField('/v1/credits', 'credits'),
} as const satisfies Readonly<Record<number, VendorQuery<number>>>
