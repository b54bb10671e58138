import { describe, expect, test } from 'bun:test'
import { context, inResponse, meaningOf, withStatus } from '../../test/failures.ts'
import { readFailureOf } from '../core/failure-rules.ts'
import { openai } from '../protocols/openai/dialect.ts'
import { alibaba } from '../vendors/alibaba/vendor.ts'
import { baiduChat } from '../vendors/baidu/chat.ts'
import { baidu } from '../vendors/baidu/vendor.ts'
import { doubao } from '../vendors/bytedance/vendor.ts'
import { iflytekChat } from '../vendors/iflytek/chat.ts'
import { iflytek } from '../vendors/iflytek/vendor.ts'
import { tencentChat } from '../vendors/tencent/chat.ts'
import { tencent } from '../vendors/tencent/vendor.ts'
import { zhipu } from '../vendors/zhipu/vendor.ts'

// Every error that the vendors document, as the pages say that their records name.

describe('errors of Alibaba', () => {
  test.each([
    [401, 'InvalidApiKey', 'Invalid API-key provided.', 'bad_key'],
    [401, 'invalid_api_key', 'Incorrect API key provided.', 'bad_key'],
    [400, 'Arrearage', 'Access denied, your account is overdue.', 'no_quota'],
    [403, 'AccessDenied', 'Access denied.', 'forbidden'],
    [403, 'access_denied', 'Access denied, please make sure your account is not overdue-payment.', 'no_quota'],
    [403, 'AccessDenied.Unpurchased', 'Access to model denied.', 'no_quota'],
    [403, 'AllocationQuota.FreeTierOnly', 'The free tier of the model has been exhausted.', 'no_quota'],
    [429, 'Throttling.RateQuota', 'Requests rate limit exceeded', 'rate_limited'],
    [429, 'Throttling.AllocationQuota', 'Allocated quota exceeded', 'rate_limited'],
    [429, 'Throttling.AllocationQuota', 'Free allocated quota exceeded.', 'no_quota'],
    [429, 'insufficient_quota', 'You exceeded your current quota', 'rate_limited'],
    [429, 'limit_requests', 'You exceeded your current requests list.', 'rate_limited'],
    [404, 'ModelNotFound', 'The model does not exist.', 'model_not_found'],
    [404, 'model_not_found', 'The model does not exist.', 'model_not_found'],
    [400, 'InvalidParameter', 'Range of input length should be [1, 30720]', 'context_length_exceeded'],
    [400, 'invalid_parameter_error', 'Range of input length should be [1, 30720]', 'context_length_exceeded'],
    [400, 'invalid_parameter_error', 'parameter.enable_thinking must be set to false', 'bad_request'],
    [400, 'DataInspectionFailed', 'Input data may contain inappropriate content.', 'content_filter'],
    [400, 'data_inspection_failed', 'Output data may contain inappropriate content.', 'content_filter'],
    [500, 'InternalError.Algo', 'inference error', 'unavailable'],
    [503, 'ServiceUnavailable', 'busy', 'unavailable'],
    [500, 'RequestTimeOut', 'timed out', 'unavailable'],
  ])('%d %s, %s: %s', (status, code, message, meaning) => {
    expect(withStatus(alibaba)(status, { code, message, request_id: 'r' })).toBe(meaning)
    expect(withStatus(alibaba)(status, { error: { code, message, type: 'invalid_request_error' } })).toBe(meaning)
  })
})

describe('the used up quota of a plan', () => {
  test.each([
    ['Zhipu', zhipu, { error: { code: '1308', message: 'used up' } }],
    ['Zhipu for a day', zhipu, { error: { code: '1304', message: 'used up' } }],
    ['Baidu', baidu, { error: { code: 'coding_plan_hour_quota_exceeded', type: 'rate_limit_exceeded', message: 'used up' } }],
    [
      'ByteDance',
      doubao,
      { error: { code: 'QuotaExceeded', type: 'TooManyRequests', message: 'the 5-hour quota of your plan is used up' } },
    ],
  ] as const)('of %s lets the channel rest, and does not disable it', (_, { failures }, body) => {
    const failure = readFailureOf(openai, failures, { status: 429, body: JSON.stringify(body) })
    expect(failure).toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 60 })
  })
})

describe('errors of Zhipu', () => {
  test.each([
    [401, ['1000', '1002', '1003', '1004', '1005', '1110', '1111', '1112', '1121'], 'bad_key'],
    [429, ['1113'], 'no_quota'],
    [429, ['1302', '1303', '1304', '1308', '1310', '1313', '1316', '1317', '1318', '1319', '1320', '1321'], 'rate_limited'],
    [429, ['1305', '1312'], 'unavailable'],
    [401, ['1120'], 'unavailable'],
    [400, ['1211', '1221', '1222', '1311'], 'model_not_found'],
    [400, ['1210', '1212', '1213', '1214', '1215'], 'bad_request'],
    [400, ['1220', '1300', '1309'], 'forbidden'],
    [401, ['1001'], 'forbidden'],
    [400, ['1261'], 'context_length_exceeded'],
    [400, ['1301'], 'content_filter'],
    [500, ['500', '1230', '1231', '1234'], 'unavailable'],
    [435, ['435'], 'bad_request'],
  ])('%d %p: %s', (status, codes, meaning) => {
    for (const code of codes) {
      expect(withStatus(zhipu)(status, { error: { code, message: 'no' } })).toBe(meaning)
      expect(inResponse(zhipu, { error: { code, message: 'no' } })).toEqual([meaning, meaning])
    }
  })

  test('434: no right to the interface; a page of a proxy says nothing', () => {
    expect(withStatus(zhipu)(434, { error: { message: 'no' } })).toBe('forbidden')
    expect(meaningOf(readFailureOf(openai, zhipu.failures, { status: 434, body: '<html>' }))).toBe('unavailable')
  })
})

describe('errors of Baidu', () => {
  test.each([
    [400, 'malformed_json', 'invalid_request_error', 'bad_request'],
    [400, 'tokens_too_long', 'invalid_request_error', 'context_length_exceeded'],
    [400, 'characters_too_long', 'invalid_request_error', 'context_length_exceeded'],
    [400, 'image_url_unsafe', 'unsafe_request', 'content_filter'],
    [401, 'invalid_iam_token', 'access_denied', 'bad_key'],
    [401, 'invalid_model', 'access_denied', 'model_not_found'],
    [401, 'no_parameter_permission', 'access_denied', 'forbidden'],
    [403, 'system_unsafe', 'unsafe_request', 'content_filter'],
    [403, 'account_overdue', 'access_denied', 'no_quota'],
    [403, 'model_offline', 'access_denied', 'model_not_found'],
    [429, 'rpm_rate_limit_exceeded', 'rate_limit_exceeded', 'rate_limited'],
    [429, 'tpm_rate_limit_exceeded', 'rate_limit_exceeded', 'rate_limited'],
    [429, 'input_tpm_rate_limit_exceeded', 'rate_limit_exceeded', 'rate_limited'],
    [429, 'output_tpm_rate_limit_exceeded', 'rate_limit_exceeded', 'rate_limited'],
    [429, 'preemptible_rate_limit_exceeded', 'rate_limit_exceeded', 'rate_limited'],
    [429, 'user_rate_limit_exceeded', 'rate_limit_exceeded', 'rate_limited'],
    [429, 'cluster_rate_limit_exceeded', 'rate_limit_exceeded', 'rate_limited'],
    [429, 'cluster_rpm_rate_limit_exceeded', 'rate_limit_exceeded', 'rate_limited'],
    [429, 'cluster_tpm_rate_limit_exceeded', 'rate_limit_exceeded', 'rate_limited'],
    [429, 'Offline_batch_reasoning_refused', 'rate_limit_exceeded', 'rate_limited'],
    [429, 'coding_plan_hour_quota_exceeded', 'rate_limit_exceeded', 'rate_limited'],
    [429, 'coding_plan_week_quota_exceeded', 'rate_limit_exceeded', 'rate_limited'],
    [429, 'coding_plan_month_quota_exceeded', 'rate_limit_exceeded', 'rate_limited'],
    [429, 'coding_plan_rate_limit_exceeded', 'rate_limit_exceeded', 'rate_limited'],
    [429, 'coding_plan_cluster_rate_limited', 'rate_limit_exceeded', 'rate_limited'],
    [403, 'coding_plan_subscription_expired', 'access_denied', 'no_quota'],
    [403, 'coding_plan_not_subscribed', 'access_denied', 'no_quota'],
    [401, 'coding_plan_api_key_required', 'access_denied', 'bad_key'],
    [401, 'coding_plan_api_key_not_allowed', 'access_denied', 'bad_key'],
    [400, 'coding_plan_model_not_supported', 'access_denied', 'model_not_found'],
    [401, 'invalid_appid', 'access_denied', 'forbidden'],
    [400, 'invalid_model', 'invalid_request_error', 'model_not_found'],
    [400, 'invalid_messages', 'invalid_request_error', 'bad_request'],
    [400, 'invalid_argument', 'invalid_request_error', 'bad_request'],
    [400, 'invalid_plugin_argument', 'invalid_request_error', 'bad_request'],
    [403, 'user_setting_unsafe', 'unsafe_request', 'content_filter'],
    [403, 'functions_unsafe', 'unsafe_request', 'content_filter'],
    [405, 'method_not_supported', 'invalid_request_error', 'bad_request'],
    [500, 'internal_error', 'Internal_error', 'unavailable'],
    [500, 'image_generation_interal_error', 'Internal_error', 'unavailable'],
    [500, 'dispatch_internal_error', 'Internal_error', 'unavailable'],
  ])('%d %s (%s): %s', (status, code, type, meaning) => {
    expect(withStatus(baidu)(status, { error: { code, type, message: 'no' }, id: 'as-1' })).toBe(meaning)
  })

  test.each([
    [[1, 2, 336000], 'unavailable'],
    [[3], 'model_not_found'],
    [[4, 18, 336501, 336502], 'rate_limited'],
    [[6], 'forbidden'],
    [[13, 14, 15, 100, 110, 111], 'bad_key'],
    [[17, 19], 'no_quota'],
    [[336001, 336002, 336003], 'bad_request'],
    [[336007, 336103], 'context_length_exceeded'],
  ] as const)('%p of the interface of 2023: %s', (codes, meaning) => {
    for (const code of codes) expect(inResponse(baidu, { error_code: code, error_msg: 'no' }, baiduChat)).toEqual([meaning, meaning])
  })
})

describe('errors of Tencent', () => {
  test.each([
    ['AuthFailure.SecretIdNotFound', 'bad_key'],
    ['AuthFailure.SignatureFailure', 'bad_key'],
    ['AuthFailure.UnauthorizedOperation', 'forbidden'],
    ['FailedOperation.ResourcePackExhausted', 'no_quota'],
    ['FailedOperation.ServiceStopArrears', 'no_quota'],
    ['ResourceUnavailable.LowBalance', 'no_quota'],
    ['ResourceUnavailable.InterfaceNotExist', 'model_not_found'],
    ['ResourceInsufficient.ChargeResourceExhaust', 'no_quota'],
    ['FailedOperation.EngineServerLimitExceeded', 'rate_limited'],
    ['LimitExceeded', 'rate_limited'],
    ['RequestLimitExceeded', 'rate_limited'],
    ['FailedOperation.EngineRequestTimeout', 'unavailable'],
    ['FailedOperation.EngineServerError', 'unavailable'],
    ['InternalError', 'unavailable'],
    ['OperationDenied.TextIllegalDetected', 'content_filter'],
    ['OperationDenied.ImageIllegalDetected', 'content_filter'],
    ['InvalidParameterValue.Model', 'model_not_found'],
    ['InvalidParameter', 'bad_request'],
    ['UnsupportedOperation', 'bad_request'],
  ])('%s: %s', (code, meaning) => {
    const body = { Response: { Error: { Code: code, Message: 'no' }, RequestId: 'r' } }
    expect(inResponse(tencent, body, tencentChat)).toEqual([meaning, meaning])
    expect(withStatus(tencent, tencentChat)(500, body)).toBe(meaning)
  })

  test.each([
    [400, 'invalid_request_error', '400001', "invalid parameter 'model': model is required", 'bad_request'],
    [401, 'authentication_error', '401002', 'invalid api key', 'bad_key'],
    [402, 'permission_error', '403004', 'endpoint is inactive: FREE_QUOTA_EXHAUSTED', 'forbidden'],
    [403, 'permission_error', '403001', 'access denied: client IP 192.0.2.1', 'forbidden'],
    [429, 'rate_limit_error', '429001', 'rate limit exceeded on dimension: rpm', 'rate_limited'],
    [451, 'content_filter_error', '451001', 'content was filtered by safety policy', 'content_filter'],
    [502, 'upstream_error', '502001', 'the provider failed', 'unavailable'],
  ])('TokenHub: %d %s %s (%s): %s', (status, type, code, message, meaning) => {
    expect(withStatus(tencent)(status, { error: { type, code, message, source: 'gateway' } })).toBe(meaning)
  })

  test('an engine that fails in a stream is unavailable', () => {
    const step = tencentChat.stream(context).event(JSON.stringify({ ErrorMsg: { Code: 4001, Msg: 'engine' } }))
    expect(step.failure).toMatchObject({ code: '4001', message: 'engine' })
  })
})

describe('errors of iFlytek', () => {
  test.each([
    [[10003, 10004, 10005, 10163], 'bad_request'],
    [[10006, 10007, 11201, 11202, 11203], 'rate_limited'],
    [[10008, 10009, 10010, 10011, 10012, 10110, 10222], 'unavailable'],
    [[10013, 10014, 10019, 10021], 'content_filter'],
    [[10015, 10016], 'bad_key'],
    [[10404], 'model_not_found'],
    [[10907], 'context_length_exceeded'],
    [[11200], 'no_quota'],
  ] as const)('%p, in a message, a response, or a stream: %s', (codes, meaning) => {
    for (const code of codes) {
      expect(inResponse(iflytek, { header: { code, message: 'no', sid: 's' } }, iflytekChat)).toEqual([meaning, meaning])
      expect(inResponse(iflytek, { code, message: 'no', sid: 's' })).toEqual([meaning, meaning])
      expect(withStatus(iflytek)(500, { error: { code: String(code), message: 'no' } })).toBe(meaning)
    }
  })

  test('a refused handshake is one of the key, or of the clock', () => {
    expect(withStatus(iflytek, iflytekChat)(401, { message: 'HMAC signature does not match' })).toBe('bad_key')
    expect(withStatus(iflytek, iflytekChat)(403, { message: 'HMAC signature cannot be verified, a valid date header is required' })).toBe(
      'forbidden',
    )
  })
})
