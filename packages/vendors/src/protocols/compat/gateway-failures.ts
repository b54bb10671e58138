import type { FailureRules } from '../../core/failure-rules.ts'

/**
 * What remains is named and is more than nothing: this request costs more than it, and others may not. So a request with a high limit of
 * output does not take the channel away from all.
 */
const someRemains = /(?:剩余额度|remain(?:ing)? quota)\s{0,8}[:：]\s{0,8}[＄$￥¥]?\s{0,8}(?:0\.0{0,20})?[1-9]/i

const outOfQuota = [
  [someRemains, 'forbidden'],
  [/^/, 'no_quota'],
] as const

/** The upstreams of a group are busy. It has the code of the upstream's own error, which is about a key of the reseller. */
const isBusy = [[/^当前(?:分组)?(?:上游)?负载已饱和/, 'rate_limited']] as const

/** What a gateway says itself, without a code. Its texts begin so, after the end of the key in some versions. */
const own = [
  [/^(?:\[sk-[^\]]{0,80}\] ?)?(?:该)?令牌(?: ?\S{1,60} ?)?额度(?:已用尽|不足)/, 'no_quota'],
  [/^用户已被封禁|^user has been banned/i, 'bad_key'],
] as const

/**
 * Errors of one-api, new-api and gateways made from them, which most resellers run, as their users quote them (songquanpeng/one-api #330 and
 * #1061, QuantumNous/new-api #991 and #7448, popjane/free_chatgpt_api #78, 666ghj/BettaFish #579) and as two services document them
 * (doc.tokendog.io and docs.aihubmix.com, "Error codes"), stored copies read 2026-11-23.
 */
export const gatewayFailures: FailureRules = {
  insufficient_user_quota: outOfQuota,
  pre_consume_token_quota_failed: outOfQuota,
  insufficient_quota: isBusy,
  billing_not_active: isBusy,
  sensitive_words_detected: 'content_filter',
  prompt_blocked: 'content_filter',
  access_denied: 'forbidden',
  ...Object.fromEntries(
    // The keys of the reseller's own upstreams, and whether it can reach them.
    ['no_available_key', 'invalid_key', 'model_mapped_error', 'response_time_exceeded'].map((name) => [`channel:${name}`, 'unavailable']),
  ),
  ...Object.fromEntries(
    ['get_channel_failed', 'do_request_failed', 'bad_response', 'empty_response', 'read_response_body_failed'].map((name) => [
      name,
      'unavailable',
    ]),
  ),
  model_price_error: 'model_not_found',
  one_api_error: own,
  new_api_error: own,
  v_api_error: own,
}
