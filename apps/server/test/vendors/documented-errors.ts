import type { Script } from '../fake-upstream.ts'
import { json } from '../fake-upstream.ts'

// Errors as the vendors document them, by channel type and by what is wrong. A vendor's record names the pages; a row says where another source is used.

export const errorClasses = ['context length', 'rate limit', 'no quota', 'overload', 'bad key', 'content filter'] as const
export type ErrorClass = (typeof errorClasses)[number]

export interface DocumentedError {
  readonly response: Script
  /** Seconds that the vendor's headers or words ask to wait. Missing: it has none for limits. */
  readonly wait?: number
}

/** A text: why there is no such error. */
type ErrorOrReason = DocumentedError | string

export interface DocumentedErrors {
  readonly source: string
  /** What the channel needs, where the usual key and the first model of the vendor do not fit. */
  readonly channel?: { readonly key?: string; readonly config?: string; readonly other?: string; readonly model?: string }
  readonly errors: Readonly<Record<ErrorClass, ErrorOrReason>>
}

/** How a limit is reported. */
interface Limit {
  readonly headers?: Readonly<Record<string, string>>
  readonly wait?: number
}

const documented = (status: number, body: object, { headers, ...limit }: Limit = {}): DocumentedError => ({
  response: json(body, status, headers),
  ...limit,
})

type Words = readonly [message: string, code?: string | null, type?: string | null]

/** An error in OpenAI's form. */
const openaiError = (status: number, [message, code = null, type = null]: Words, limit?: Limit): DocumentedError =>
  documented(status, { error: { message, type, param: null, code } }, limit)

const noBody = 'no page shows the body of its errors'

/** Gateways of the kind that most resellers run (QuantumNous/new-api and songquanpeng/one-api, as their users quote them). */
const gateway = {
  'context length': openaiError(400, ["This model's maximum context length is 8192 tokens.", null, 'invalid_request_error']),
  'rate limit': openaiError(429, ['当前分组上游负载已饱和，请稍后再试', null, 'new_api_error']),
  'no quota': openaiError(403, ['用户额度不足, 剩余额度: ＄0.000000', 'insufficient_user_quota', 'new_api_error']),
  overload: openaiError(500, ['no answer', 'do_request_failed', 'new_api_error']),
  'bad key': openaiError(401, ['无效的令牌', '', 'new_api_error']),
  'content filter': openaiError(400, ['sensitive words', 'sensitive_words_detected', 'new_api_error']),
} as const

const reseller: DocumentedErrors = { source: 'what gateways of their kind answer', errors: gateway }

const google = (name: string, message: string, details: readonly object[] = []): object => ({ error: { status: name, message, details } })
const ofReason = (reason: string) => [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason }]
const ofDelay = (retryDelay: string) => [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay }]
const longPrompt = 'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).'

const gemini = {
  'context length': documented(400, google('INVALID_ARGUMENT', longPrompt)),
  'rate limit': documented(429, google('RESOURCE_EXHAUSTED', 'You exceeded your current quota', ofDelay('34.4s')), { wait: 35 }),
  'no quota': documented(429, google('RESOURCE_EXHAUSTED', 'Your prepayment credits are depleted. Please go to AI Studio.')),
  overload: documented(503, google('UNAVAILABLE', 'The model is overloaded.')),
  'bad key': documented(400, google('INVALID_ARGUMENT', 'API key not valid.', ofReason('API_KEY_INVALID'))),
  'content filter': 'it is told in the answer (`finishReason`, `blockReason`)',
} as const

const anthropic = (status: number, [type, message]: readonly [string, string], limit?: Limit): DocumentedError =>
  documented(status, { type: 'error', error: { type, message } }, limit)

const minimax = (code: number, message: string) => documented(200, { base_resp: { status_code: code, status_msg: message } })
const spark = (code: number, message: string) => documented(200, { code, message, sid: 's' })
const coze = (code: number, msg: string) => documented(200, { code, msg })
const plain = (status: number, message: string): DocumentedError => documented(status, { message })
const novita = (status: number, reason: string, message: string) => documented(status, { code: status, reason, message, metadata: {} })
const fastgpt = (status: number, code: number, statusText: string) =>
  documented(status, { code, statusText, message: statusText, data: null })
const library = (code: number, message: string) => documented(code, { success: false, errCode: code, message })
const aws = (status: number, type: string, message: string) =>
  documented(status, { message }, { headers: { 'x-amzn-errortype': `${type}:http://internal/` } })

export const documentedErrors: Readonly<Record<number, DocumentedErrors>> = {
  1: {
    source: 'OpenAI, "Error codes" and "Rate limits"',
    errors: {
      'context length': openaiError(400, ['maximum context length is 128000 tokens', 'context_length_exceeded', 'invalid_request_error']),
      'rate limit': openaiError(429, ['Rate limit reached for requests', 'rate_limit_exceeded', 'requests'], {
        headers: { 'x-ratelimit-remaining-requests': '0', 'x-ratelimit-reset-requests': '7s' },
        wait: 7,
      }),
      'no quota': openaiError(429, ['You exceeded your current quota', 'insufficient_quota', 'insufficient_quota']),
      overload: openaiError(503, ['The engine is currently overloaded', null, 'server_error']),
      'bad key': openaiError(401, ['Incorrect API key provided', 'invalid_api_key', 'invalid_request_error']),
      'content filter': openaiError(400, [
        'Your request was rejected by the safety system',
        'content_policy_violation',
        'invalid_request_error',
      ]),
    },
  },
  ...Object.fromEntries([2, 4, 5, 6, 7, 8, 9, 10, 13].map((type) => [type, reseller])),
  3: {
    source: 'Azure OpenAI, "Quotas and limits", and its errors as clients quote them',
    channel: { model: 'gpt-5.2' },
    errors: {
      'context length': openaiError(400, ['maximum context length is 128000 tokens', 'context_length_exceeded']),
      'rate limit': openaiError(429, ['You have exceeded the call rate limit. Please retry after 9 seconds.', '429'], {
        headers: { 'retry-after': '9' },
        wait: 9,
      }),
      'no quota': 'its insufficient_quota is a limit of a deployment; accounts are billed afterwards',
      overload: openaiError(500, ['Try again', 'InternalServerError']),
      'bad key': openaiError(401, ['Access denied due to invalid subscription key or wrong API endpoint.', '401']),
      'content filter': openaiError(400, ['The response was filtered', 'content_filter']),
    },
  },
  11: {
    source: 'Google, "Errors"',
    errors: {
      'context length': 'its reference of 2023 names none',
      'rate limit': documented(429, google('RESOURCE_EXHAUSTED', 'Quota exceeded')),
      'no quota': 'its reference of 2023 names none',
      overload: documented(503, google('UNAVAILABLE', 'The service is unavailable.')),
      'bad key': gemini['bad key'],
      'content filter': 'it is told in the answer (`filters`)',
    },
  },
  14: {
    source: 'Anthropic, "Errors" and "Rate limits"',
    errors: {
      'context length': anthropic(400, ['invalid_request_error', 'prompt is too long: 203000 tokens > 200000 maximum']),
      'rate limit': anthropic(429, ['rate_limit_error', 'This request would exceed your rate limit'], {
        headers: { 'retry-after': '12' },
        wait: 12,
      }),
      'no quota': anthropic(400, ['invalid_request_error', 'Your credit balance is too low to access the Anthropic API.']),
      overload: anthropic(529, ['overloaded_error', 'Overloaded']),
      'bad key': anthropic(401, ['authentication_error', 'invalid x-api-key']),
      'content filter': anthropic(400, ['invalid_request_error', 'Output blocked by content filtering policy']),
    },
  },
  15: {
    source: 'cloud.baidu.com, "Error codes"',
    errors: {
      'context length': openaiError(400, ['the prompt is too long', 'tokens_too_long', 'invalid_request_error']),
      'rate limit': openaiError(429, ['Rate limit reached for RPM', 'rpm_rate_limit_exceeded', 'rate_limit_exceeded']),
      'no quota': openaiError(403, ['The account is overdue', 'account_overdue', 'access_denied']),
      overload: openaiError(500, ['Internal error', 'internal_error', 'Internal_error']),
      'bad key': openaiError(401, ['Invalid token', 'invalid_iam_token', 'access_denied']),
      'content filter': openaiError(403, ['The text is unsafe', 'system_unsafe', 'unsafe_request']),
    },
  },
  16: {
    source: 'docs.bigmodel.cn, "API code"',
    errors: {
      'context length': openaiError(400, ['Prompt 超长', '1261']),
      'rate limit': openaiError(429, ['您的账户已达到速率限制', '1302']),
      'no quota': openaiError(429, ['您的账户已欠费，请充值后重试', '1113']),
      overload: openaiError(429, ['当前API请求过多，请稍后重试', '1305']),
      'bad key': openaiError(401, ['身份验证失败', '1000']),
      'content filter': openaiError(400, ['系统检测到输入或生成内容可能包含不安全或敏感内容', '1301']),
    },
  },
  17: {
    source: 'Alibaba Cloud Model Studio, "Error codes"',
    errors: {
      'context length': openaiError(400, [
        'Range of input length should be [1, 30720]',
        'invalid_parameter_error',
        'invalid_request_error',
      ]),
      'rate limit': openaiError(429, ['You exceeded your current requests list.', 'limit_requests', 'limit_requests']),
      'no quota': openaiError(400, ['Access denied, your account is overdue.', 'Arrearage', 'Arrearage']),
      overload: openaiError(503, ['busy', 'ServiceUnavailable', 'ServiceUnavailable']),
      'bad key': openaiError(401, ['Incorrect API key provided.', 'invalid_api_key', 'invalid_request_error']),
      'content filter': openaiError(400, [
        'Input data may contain inappropriate content.',
        'data_inspection_failed',
        'data_inspection_failed',
      ]),
    },
  },
  18: {
    source: 'www.xfyun.cn, "Spark: error codes"',
    errors: {
      'context length': spark(10907, 'the tokens exceed the limit'),
      'rate limit': spark(11202, 'the limit of a second is exceeded'),
      'no quota': spark(11200, 'no right, or the tokens are used up'),
      overload: spark(10008, 'the service has no capacity'),
      'bad key': spark(10015, 'the app is on a blacklist'),
      'content filter': spark(10013, 'the input was refused by the filter'),
    },
  },
  12: {
    source: `www.api2gpt.com, "Developer guide": ${noBody}, so they are in OpenAI's form; what it does not name is as gateways of its kind answer`,
    errors: {
      ...gateway,
      'rate limit': openaiError(429, ['您的账户请求次数过多，超过分钟配额', '42901']),
      'no quota': openaiError(402, ['余额不足', '40201']),
      'bad key': openaiError(401, ['Key 错误', '40002']),
    },
  },
  19: {
    source: `OpenAI's form, as clients call it: ${noBody}`,
    errors: {
      'context length': openaiError(400, ["This model's maximum context length is 8192 tokens"]),
      'rate limit': openaiError(429, ['Slow down']),
      'no quota': openaiError(402, ['No balance']),
      overload: openaiError(503, ['busy']),
      'bad key': openaiError(401, ['Invalid key', 'invalid_api_key', 'invalid_request_error']),
      'content filter': 'its pages name none',
    },
  },
  20: {
    source: 'OpenRouter, "Errors and debugging"',
    errors: {
      'context length': documented(400, { error: { message: 'Too long', code: 400, metadata: { error_type: 'context_length_exceeded' } } }),
      'rate limit': documented(
        429,
        { error: { message: 'Slow down', code: 429, metadata: { error_type: 'rate_limit_exceeded' } } },
        { headers: { 'retry-after': '5' }, wait: 5 },
      ),
      'no quota': documented(402, { error: { message: 'Insufficient credits', code: 402, metadata: { error_type: 'payment_required' } } }),
      overload: documented(529, {
        error: { message: 'Provider returned error', code: 529, metadata: { error_type: 'provider_overloaded' } },
      }),
      'bad key': documented(401, { error: { message: 'No auth credentials found', code: 401 } }),
      'content filter': documented(403, {
        error: { message: 'Your usage policy', code: 403, metadata: { error_type: 'content_policy_violation' } },
      }),
    },
  },
  21: {
    source: 'songquanpeng/one-api at 8df4a26, which has the form of its errors',
    channel: { other: 'library-1', model: 'library' },
    errors: {
      'context length': 'its form has none',
      'rate limit': { ...library(429, 'Try again in 3s'), wait: 3 },
      'no quota': library(402, 'no money'),
      overload: library(503, 'busy'),
      'bad key': library(401, 'invalid key'),
      'content filter': 'its form has none',
    },
  },
  22: {
    source: 'labring/FastGPT, its table of errors',
    channel: { key: 'fastgpt-z51pkjqm9nrk03a1rx2funoy', model: 'app' },
    errors: {
      'context length': 'the app shortens the chat itself',
      'rate limit': fastgpt(429, 429, 'tooManyRequest'),
      'no quota': fastgpt(500, 500002, 'aiPointsNotEnough'),
      overload: fastgpt(500, 500, ''),
      'bad key': fastgpt(500, 514, 'unAuthApiKey'),
      'content filter': 'the app answers',
    },
  },
  23: {
    source: 'cloud.tencent.com, "TokenHub: errors"',
    errors: {
      'context length':
        'its table has one code for every wrong parameter, and no words for this one; clients quote none (looked for 2026-11-27)',
      'rate limit': openaiError(429, ['rate limit exceeded on dimension: rpm', '429001', 'rate_limit_error']),
      'no quota': 'its 402 is about one model',
      overload: openaiError(502, ['the provider failed', '502001', 'upstream_error']),
      'bad key': openaiError(401, ['invalid api key', '401002', 'authentication_error']),
      'content filter': openaiError(451, ['content was filtered by safety policy', '451001', 'content_filter_error']),
    },
  },
  24: { source: 'Gemini API, "Troubleshooting"', errors: gemini },
  25: {
    source: 'platform.kimi.com, "Errors"',
    errors: {
      'context length': openaiError(400, [
        'Invalid request: Your request exceeded model token limit: 262144',
        null,
        'invalid_request_error',
      ]),
      'rate limit': openaiError(
        429,
        ['request reached organization max RPM: 3, please try again after 1 seconds', null, 'rate_limit_reached_error'],
        { wait: 1 },
      ),
      'no quota': openaiError(429, ['Your account is suspended, please check your plan', null, 'exceeded_current_quota_error']),
      overload: openaiError(429, ['The engine is currently overloaded', null, 'engine_overloaded_error']),
      'bad key': openaiError(401, ['Invalid Authentication', null, 'invalid_authentication_error']),
      'content filter': openaiError(400, ['The request was rejected because it was considered high risk', null, 'content_filter']),
    },
  },
  26: {
    source: `OpenAI's form, as clients call it: ${noBody}`,
    errors: {
      'context length': openaiError(400, ['The prompt is too long']),
      'rate limit': openaiError(429, ['Rate limit reached for requests', 'rate_limit', 'rate_limit']),
      'no quota': openaiError(429, ['Insufficient account balance, please recharge']),
      overload: openaiError(500, ['Internal Server Error']),
      'bad key': openaiError(401, ['Incorrect API key provided', 'invalid_api_key', 'invalid_request_error']),
      'content filter': 'its pages name none',
    },
  },
  27: {
    source: 'platform.minimaxi.com, "Error codes"',
    errors: {
      'context length': minimax(2013, 'invalid params, context window exceeds limit'),
      'rate limit': minimax(1002, 'rate limit'),
      'no quota': minimax(1008, 'insufficient balance'),
      overload: minimax(1000, 'unknown error'),
      'bad key': minimax(1004, 'login fail'),
      'content filter': minimax(1026, 'sensitive content in the input'),
    },
  },
  28: {
    source: 'docs.mistral.ai, "Errors", and its headers as clients read them (prism-php/prism, tidyverse/ellmer)',
    errors: {
      'context length': documented(400, {
        ...{ object: 'error', type: 'invalid_request_error', param: null, code: null },
        message: 'Prompt contains 300000 tokens, too large for model with 262144 maximum context length',
      }),
      'rate limit': documented(
        429,
        { object: 'error', message: 'Rate limit exceeded', type: 'rate_limited', param: null, code: '1300' },
        { headers: { 'ratelimitbysize-limit': '500000', 'ratelimitbysize-remaining': '0', 'ratelimitbysize-reset': '12' }, wait: 12 },
      ),
      'no quota': 'its pages name none',
      overload: documented(429, {
        ...{ object: 'error', type: 'service_tier_capacity_exceeded', param: null, code: '3505' },
        message: 'Service tier capacity exceeded for this model.',
      }),
      'bad key': plain(401, 'Unauthorized'),
      'content filter': 'its pages name none',
    },
  },
  29: {
    source: 'console.groq.com, "Errors" and "Rate limits"',
    errors: {
      'context length': openaiError(400, ['Please reduce the length of the messages', 'context_length_exceeded', 'invalid_request_error']),
      'rate limit': openaiError(429, ['Rate limit reached on tokens per minute (TPM)', 'rate_limit_exceeded', 'tokens'], {
        headers: { 'x-ratelimit-remaining-tokens': '0', 'x-ratelimit-reset-tokens': '7.66s' },
        wait: 8,
      }),
      'no quota': 'its pages name none: accounts are billed afterwards',
      overload: openaiError(503, ['Over capacity', null, 'internal_server_error']),
      'bad key': openaiError(401, ['Invalid API Key', 'invalid_api_key', 'invalid_request_error']),
      'content filter': 'its pages name none',
    },
  },
  30: {
    source: 'docs.ollama.com, "Errors", and ollama/ollama',
    errors: {
      'context length': documented(400, { error: 'prompt too long; exceeded max context length by 4 tokens' }),
      'rate limit': documented(429, { error: 'too many requests' }),
      'no quota': documented(402, { error: 'payment required' }),
      overload: documented(503, { error: 'server busy, please try again. maximum pending requests exceeded' }),
      'bad key': documented(401, { error: 'unauthorized' }),
      'content filter': 'it has no filter',
    },
  },
  31: {
    source: 'platform.lingyiwanwu.com, "Error codes"',
    errors: {
      'context length': openaiError(400, ['The tokens exceed the context of the model', null, 'invalid_request_error']),
      'rate limit': openaiError(429, ['Slow down', null, 'rate_limit']),
      'no quota': openaiError(402, ['No balance', null, 'invalid_request_error']),
      overload: openaiError(529, ['Overloaded', null, 'overloaded']),
      'bad key': openaiError(401, ['Invalid key', 'invalid_api_key', 'invalid_request_error']),
      'content filter': 'its pages name none',
    },
  },
  32: {
    source: 'platform.stepfun.com, "Error codes", and esengine/DeepSeek-Reasonix 9129 (2026-08-19) for the length of the context',
    errors: {
      'context length': openaiError(400, [
        "This model's maximum context length is 262144 tokens. However, you requested 264128 tokens (264128 in the messages, 0 in the completion).",
        null,
        'invalid_request_error',
      ]),
      'rate limit': openaiError(429, ['Too many requests', null, 'rate_limit_error']),
      'no quota': openaiError(402, ['Your balance is not enough', null, 'insufficient_balance']),
      overload: openaiError(503, ['Overloaded', null, 'overloaded']),
      'bad key': openaiError(401, ['Incorrect API key provided', null, 'invalid_api_key']),
      'content filter': openaiError(451, ['The content was blocked', null, 'censorship_blocked']),
    },
  },
  33: {
    source: 'Amazon Bedrock, "Converse: errors" and "Troubleshooting"',
    channel: { key: 'the-api-key|eu-west-1', model: 'amazon-nova-pro' },
    errors: {
      'context length': aws(400, 'ValidationException', 'Input is too long for requested model.'),
      'rate limit': aws(429, 'ThrottlingException', 'Too many requests, please wait before trying again.'),
      'no quota': 'its ServiceQuotaExceededException is a limit; accounts are billed afterwards',
      overload: aws(503, 'ServiceUnavailableException', 'Try again'),
      'bad key': aws(403, 'UnrecognizedClientException', 'The security token included in the request is invalid.'),
      'content filter': 'it is told in the answer (`guardrail_intervened`, `content_filtered`)',
    },
  },
  34: {
    source: 'www.coze.cn, "Error codes"',
    channel: { other: '7000000000000000000', model: 'bot' },
    errors: {
      'context length': coze(4010, 'the prompt has too many tokens'),
      'rate limit': coze(4013, 'Your requests have exceeded the rate limit'),
      'no quota': coze(4011, 'the balance of Coze tokens is too low'),
      overload: coze(5000, 'internal server error'),
      'bad key': coze(4100, 'authentication is invalid'),
      'content filter': coze(4105, 'sensitive content'),
    },
  },
  35: {
    source: 'docs.cohere.com, "Errors"',
    errors: {
      'context length': plain(422, 'too many tokens: size limit exceeded by 11326 tokens'),
      'rate limit': plain(429, 'You are using a Trial key, which is limited to 20 API calls / minute'),
      'no quota': plain(402, 'Please add or update your payment method'),
      overload: plain(503, 'service unavailable'),
      'bad key': plain(401, 'invalid api token'),
      'content filter': 'its pages name none',
    },
  },
  36: {
    source: 'api-docs.deepseek.com, "Error codes"',
    errors: {
      'context length': openaiError(400, [
        "This model's maximum context length is 1048576 tokens.",
        'invalid_request_error',
        'invalid_request_error',
      ]),
      'rate limit': openaiError(429, ['Too many requests', null, 'rate_limit_error']),
      'no quota': openaiError(402, ['Insufficient Balance', 'invalid_request_error', 'unknown_error']),
      overload: openaiError(503, ['Overloaded', null, 'server_error']),
      'bad key': openaiError(401, ['Authentication Fails', 'invalid_request_error', 'authentication_error']),
      'content filter': openaiError(400, ['Content Exists Risk', 'invalid_request_error', 'invalid_request_error']),
    },
  },
  37: {
    source: 'Cloudflare Workers AI, "Errors"',
    channel: { config: '{"user_id":"account-1"}' },
    errors: {
      'context length': openaiError(413, [
        'The estimated number of input and maximum output tokens exceeded this model context window limit',
        '5021',
      ]),
      'rate limit': documented(
        429,
        { error: { message: 'You have used up your daily free allocation of neurons', code: 3036 } },
        { wait: 60 },
      ),
      'no quota': 'what is free comes back every day, and the rest is billed afterwards',
      overload: documented(429, { error: { message: 'Capacity temporarily exceeded, please try again', code: 3040 } }),
      'bad key': documented(401, { error: { message: 'Authentication error', code: 10_000 } }),
      'content filter': 'its pages name none',
    },
  },
  38: {
    source: 'developers.deepl.com, "Error handling"',
    errors: {
      'context length': 'a text has no context; a request that is too large is a 413',
      'rate limit': plain(429, 'Too many requests'),
      'no quota': plain(456, 'Quota exceeded'),
      overload: plain(503, 'Resource currently unavailable'),
      'bad key': plain(403, 'Wrong endpoint or authorization failed'),
      'content filter': 'it has no filter',
    },
  },
  39: {
    source: 'docs.together.ai, "Error codes" and "Rate limits"',
    errors: {
      'context length': openaiError(403, ['tokens + max_tokens must be <= 131073', null, 'invalid_request_error']),
      'rate limit': documented(
        429,
        { error: 'rate limited' },
        { headers: { 'x-ratelimit-remaining': '0', 'x-ratelimit-reset': '3' }, wait: 3 },
      ),
      'no quota': openaiError(402, ['Credit limit exceeded', null, 'credit_limit']),
      overload: openaiError(503, ['Overloaded', null, 'service_unavailable']),
      'bad key': openaiError(401, ['Invalid API key', 'invalid_api_key', 'invalid_request_error']),
      'content filter': 'its pages name none',
    },
  },
  40: {
    source: 'www.volcengine.com, "Error codes"',
    errors: {
      'context length': openaiError(400, ['Input and image are too long', 'OutofContextError', 'BadRequest']),
      'rate limit': openaiError(429, ['RPM', 'ModelAccountRpmRateLimitExceeded', 'TooManyRequests']),
      'no quota': openaiError(403, ['The account has overdue balance', 'AccountOverdueError', 'Forbidden']),
      overload: openaiError(429, ['Busy', 'ServerOverloaded', 'TooManyRequests']),
      'bad key': openaiError(401, ["The API key doesn't exist", 'AuthenticationError', 'Unauthorized']),
      'content filter': openaiError(400, ['The input may be sensitive', 'InputTextSensitiveContentDetected', 'BadRequest']),
    },
  },
  41: {
    source: 'novita.ai, "Error codes"',
    errors: {
      'context length': novita(400, 'INVALID_REQUEST_BODY', "This model's maximum context length is 8192 tokens"),
      'rate limit': novita(429, 'RATE_LIMIT_EXCEEDED', 'RPM'),
      'no quota': novita(403, 'NOT_ENOUGH_BALANCE', 'not enough balance'),
      overload: novita(503, 'SERVICE_NOT_AVAILABLE', 'busy'),
      'bad key': novita(403, 'INVALID_API_KEY', 'invalid key'),
      'content filter': 'its pages name none',
    },
  },
  42: {
    source: 'Google Cloud, "Generative AI API errors" and "Errors"',
    channel: { key: 'us|project|AQ.an-api-key-of-the-cloud', model: 'gemini-2.5-pro' },
    errors: {
      ...gemini,
      'rate limit': documented(429, google('RESOURCE_EXHAUSTED', 'Resource exhausted. Please try again later.')),
      'no quota': documented(
        403,
        google('PERMISSION_DENIED', 'This API method requires billing to be enabled.', ofReason('BILLING_DISABLED')),
      ),
      'bad key': documented(401, google('UNAUTHENTICATED', 'Request had invalid authentication credentials.')),
    },
  },
  50: { source: 'Gemini API, "Troubleshooting"', errors: gemini },
}
