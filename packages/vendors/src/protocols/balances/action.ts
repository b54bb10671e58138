import { hasParts } from '../../core/split-key.ts'
import { at, numberOf, type VendorQuery, type VendorQueryRequest } from '../../core/vendor-query.ts'
import { balanceResult } from './shapes.ts'

const request: VendorQueryRequest = {
  method: 'POST',
  url: 'https://billing.tencentcloudapi.com/',
  headers: { 'content-type': 'application/json', 'x-tc-action': 'DescribeAccountBalance', 'x-tc-version': '2018-07-09' },
  body: '{}',
}

/**
 * A signed action of the account, in hundredths of a yuan (cloud.tencent.com, "DescribeAccountBalance" of 2018-07-09, read 2026-11-23). Its right
 * belongs to keys of the account; those of models have none.
 */
export const askSignedAction: VendorQuery<number> = (context, [response]) => {
  if (!hasParts(context.key, 3)) return { failed: 'only a key AppId|SecretId|SecretKey can ask for the balance' }
  if (response === undefined) return { request: { ...request, headers: context.signed?.(request) ?? request.headers } }
  const balance = numberOf(at(response, 'Response', 'RealBalance'))
  const error = at(response, 'Response', 'Error', 'Message')
  return balanceResult(typeof error === 'string' ? { message: error } : response, balance === null ? null : balance / 100)
}
