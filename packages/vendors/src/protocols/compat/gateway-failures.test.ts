import { describe, expect, test } from 'bun:test'
import { withStatus } from '../../../test/failures.ts'
import type { JsonObject } from '../../core/json.ts'
import { vendorByType } from '../../registry/list.ts'

const remaining = '预扣费额度失败, 用户剩余额度: ＄0.123456, 需要预扣费额度: ＄0.500000'

const rows: ReadonlyArray<readonly [number, JsonObject, string]> = [
  [403, { message: 'user quota is not enough (request id: 2)', type: 'v_api_error', code: 'insufficient_user_quota' }, 'no_quota'],
  [403, { message: '用户额度不足, 剩余额度: ＄-0.000002', type: 'new_api_error', code: 'insufficient_user_quota' }, 'no_quota'],
  [403, { message: '用户额度不足, 剩余额度: ＄0.000000', type: 'new_api_error', code: 'insufficient_user_quota' }, 'no_quota'],
  [403, { message: remaining, type: 'new_api_error', code: 'insufficient_user_quota' }, 'forbidden'],
  [
    403,
    {
      message: 'token quota is not enough, token remain quota: $0.100000, need quota: $2',
      type: 'new_api_error',
      code: 'pre_consume_token_quota_failed',
    },
    'forbidden',
  ],
  [403, { message: '令牌额度不足', type: 'new_api_error', code: 'pre_consume_token_quota_failed' }, 'no_quota'],
  [401, { message: '无效的令牌 (request id: 2)', type: 'new_api_error', code: '' }, 'bad_key'],
  [401, { message: '该令牌已过期', type: 'one_api_error' }, 'bad_key'],
  [401, { message: '该令牌额度已用尽 TokenStatusExhausted[sk-abc***xyz]', type: 'new_api_error', code: '' }, 'no_quota'],
  [401, { message: '[sk-abc***xyz] 该令牌额度已用尽 !token.RemainQuota = -12', type: 'new_api_error', code: '' }, 'no_quota'],
  [401, { message: '令牌 mine（#12）额度已用尽', type: 'one_api_error' }, 'no_quota'],
  [403, { message: '该令牌无权使用模型：gpt-x', type: 'one_api_error' }, 'forbidden'],
  [403, { message: '用户已被封禁', type: 'one_api_error' }, 'bad_key'],
  [403, { message: 'no access', type: 'new_api_error', code: 'access_denied' }, 'forbidden'],
  [404, { message: 'no such model', type: 'new_api_error', code: 'model_not_found' }, 'model_not_found'],
  [
    503,
    { message: '分组 default 下模型 gpt-x 无可用渠道（distributor）', type: 'new_api_error', code: 'model_not_found' },
    'model_not_found',
  ],
  [503, { message: '当前分组 default 下对于模型 gpt-x 无可用渠道', type: 'one_api_error' }, 'unavailable'],
  [500, { message: 'price not set', type: 'new_api_error', code: 'model_price_error' }, 'model_not_found'],
  [429, { message: '当前分组上游负载已饱和，请稍后再试', type: 'new_api_error', code: null }, 'rate_limited'],
  [429, { message: '当前分组上游负载已饱和，请稍后再试', type: 'insufficient_quota', code: 'insufficient_quota' }, 'rate_limited'],
  [429, { message: '当前分组负载已饱和，请稍后再试', type: 'billing_not_active', code: 'billing_not_active' }, 'rate_limited'],
  [429, { message: '当前分组上游负载已饱和，请稍后再试', type: 'requests', code: 'rate_limit_exceeded' }, 'rate_limited'],
  [429, { message: 'You exceeded your current quota', type: 'insufficient_quota', code: 'insufficient_quota' }, 'no_quota'],
  [401, { message: 'bad response status code 401', type: 'upstream_error', code: 'bad_response_status_code', param: '401' }, 'unavailable'],
  [402, { message: 'bad response status code 402', type: 'upstream_error', code: 'bad_response_status_code' }, 'unavailable'],
  [400, { message: 'bad response status code 400', type: 'upstream_error', code: 'bad_response_status_code' }, 'bad_request'],
  [500, { message: 'no key', type: 'new_api_error', code: 'channel:no_available_key' }, 'unavailable'],
  [500, { message: 'no answer', type: 'new_api_error', code: 'do_request_failed' }, 'unavailable'],
  [400, { message: 'sensitive words', type: 'new_api_error', code: 'sensitive_words_detected' }, 'content_filter'],
  [400, { message: 'blocked', type: 'new_api_error', code: 'prompt_blocked' }, 'content_filter'],
  [
    400,
    { message: "This model's maximum context length is 8192 tokens.", type: 'invalid_request_error', code: null },
    'context_length_exceeded',
  ],
  // A prompt that repeats such words is no word of the gateway.
  [400, { message: 'bad value: 该令牌额度已用尽', type: 'invalid_request_error', code: null }, 'bad_request'],
  [403, { message: 'flagged: 用户已被封禁', type: 'one_api_error' }, 'forbidden'],
]

describe.each([2, 4, 5, 6, 7, 8, 9, 10, 12, 13])('the errors of gateways at type %d', (type) => {
  const vendor = vendorByType(type)
  test.each(rows)('%d %p: %s', (status, error, meaning) => {
    expect(vendor === null ? null : withStatus(vendor)(status, { error })).toBe(meaning)
  })
})

test.each([
  [401, '40001', '未提供 Key', 'bad_key'],
  [401, '40004', '用户状态异常', 'bad_key'],
  [402, '40201', '余额不足', 'no_quota'],
  [403, '40301', '暂未开放的访问路径', 'forbidden'],
  [403, '40302', '参数中提供的模型参数暂未开放', 'model_not_found'],
  [429, '42901', '您的账户请求次数过多', 'rate_limited'],
] as const)('API2GPT has codes of its own (%d %s)', (status, code, message, meaning) => {
  const vendor = vendorByType(12)
  expect(vendor === null ? null : withStatus(vendor)(status, { error: { message, code } })).toBe(meaning)
})
