import type { FailureMeaning, FailureRules } from '../../core/failure-rules.ts'

const all = (codes: readonly number[], meaning: FailureMeaning): FailureRules => Object.fromEntries(codes.map((code) => [code, meaning]))

/**
 * docs.z.ai and docs.bigmodel.cn, "API code", stored copies read 2026-11-22 and 2026-11-23. Status 429 has four meanings, so the code decides; 1304, 1308, 1310 and 1316 to 1321 are
 * the used up quota of a day, or of a plan for five hours or a week. 1001 says that the request had no key: a proxy on the way took it out, as a channel
 * is never saved without one.
 */
export const zhipuFailures: FailureRules = {
  ...all([1000, 1002, 1003, 1004, 1005, 1110, 1111, 1112, 1121], 'bad_key'),
  1113: 'no_quota',
  ...all([1211, 1221, 1222, 1311], 'model_not_found'),
  ...all([1210, 1212, 1213, 1214, 1215], 'bad_request'),
  ...all([1001, 1220, 1300, 1309], 'forbidden'),
  1261: 'context_length',
  1301: 'content_filter',
  ...all([1302, 1303, 1313], 'rate_limited'),
  ...all([1304, 1308, 1310, 1316, 1317, 1318, 1319, 1320, 1321], 'plan_used_up'),
  // 1120: the account cannot be reached at the moment.
  ...all([1120, 1305, 1312, 1230, 1231, 1234, 500], 'unavailable'),
  434: 'forbidden',
  435: 'bad_request',
}
