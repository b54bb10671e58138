import { bearer } from '../auth.ts'
import { hasParts } from '../split-key.ts'
import type { Vendor, VendorInterface } from '../vendor.ts'
import { withoutFields } from './fields.ts'
import { iflytekFailures } from './iflytek-failures.ts'
import { developerToSystem, withMessages } from './messages.ts'
import { withinRanges } from './sampling.ts'

/**
 * Source: xfyun.cn, "Spark: HTTP", "Spark: Web", "Spark-X2.5" and "Error codes", stored copies read 2026-11-22. A key
 * `APPID|APISecret|APIKey` opens a WebSocket, any other is the password of the HTTP interface. Not offered: several choices, log probabilities.
 */
export const iflytek: Vendor = {
  type: 18,
  name: 'iFlytek Spark',
  nameZh: '讯飞星火',
  color: 'blue',
  docs: { page: 'https://www.xfyun.cn/doc/spark/Web.html', without: ['model list'] },
  group: 'china',
  dialects: { chat: 'openai' },
  baseUrl: 'https://spark-api-open.xf-yun.com',
  pathFor: (path, { model }) => (/^(?:spark-)?x/.test(model) ? path.replace('/v1/', pathOfX(model)) : path),
  auth: bearer,
  variant: ({ key }) => (key.split('|').length > 2 ? socket : null),
  keyHint: 'APIPassword / APPID|APISecret|APIKey',
  otherLabel: { en: 'Version of unnamed models (v1.1, v3.5, v4.0)', zh: '未列出模型的版本(v1.1、v3.5、v4.0)' },
  isKey: (key) => !key.includes('|') || hasParts(key, 3),
  drop: ['presence_penalty', 'frequency_penalty', 'logit_bias', 'seed', 'n', 'logprobs', 'top_logprobs'],
  failures: iflytekFailures,
  streamUsage: true,
  refuses: ({ n, logprobs }) => (typeof n === 'number' && n > 1 ? 'n' : logprobs === true ? 'logprobs' : null),
  models: ['4.0Ultra', 'max-32k', 'generalv3.5', 'pro-128k', 'generalv3', 'lite', 'spark-x'],
  patch: (body) => withLimitOf(withMessages(body, developerToSystem)),
}

const pathOfX = (model: string): string => (model.includes('2') ? '/x2/' : '/v2/')

/** From X2.5 on the limit has OpenAI's newer name and sampling is fixed. */
function withLimitOf(body: Parameters<NonNullable<Vendor['patch']>>[0]) {
  const { max_tokens: older, max_completion_tokens: newer, ...rest } = body
  const limit = newer ?? older
  if (/^spark-x2\.5/.test(String(body['model']))) {
    return { ...withoutFields(rest, ['temperature', 'top_p']), ...(limit === undefined ? {} : { max_completion_tokens: limit }) }
  }
  return withinRanges({ ...rest, ...(limit === undefined ? {} : { max_tokens: limit }) }, { temperature: [0.01, 2] })
}

const socket: Partial<VendorInterface> = {
  dialects: { chat: 'iflytek' },
  baseUrl: 'https://spark-api.xf-yun.com',
  auth: { signer: 'spark-url' },
  pathFor: (path) => path,
  drop: [],
  patch: undefined,
}
