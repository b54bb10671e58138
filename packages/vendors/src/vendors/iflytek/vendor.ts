import { bearer } from '../../core/auth.ts'
import { hasParts } from '../../core/split-key.ts'
import { unsupportedByKind } from '../../core/unsupported.ts'
import type { Vendor, VendorVariant } from '../../core/vendor.ts'
import { openai } from '../../protocols/openai/dialect.ts'
import { iflytekChat } from './chat.ts'
import { iflytekEmbeddings } from './embeddings.ts'
import { iflytekFailures } from './failures.ts'
import { chatHost } from './hosts.ts'
import { iflytekHttpChat } from './http-chat.ts'
import { iflytekImages } from './images.ts'
import { sparkUrl } from './sign.ts'
import { iflytekSpeech } from './speech.ts'
import { iflytekTranscriptions } from './transcriptions.ts'

/**
 * Source: xfyun.cn, "Spark: HTTP", "Spark: Web", "Spark-X2.5" and "Error codes", stored copies read 2026-11-22. A key
 * `APPID|APISecret|APIKey` opens a WebSocket, makes embeddings, draws (both read 2026-11-27), speaks and listens (read 2026-11-28); any other is the password of the HTTP interface. Not offered: several choices, log probabilities.
 */
export const iflytek: Vendor = {
  type: 18,
  name: 'iFlytek Spark',
  nameZh: '讯飞星火',
  color: 'blue',
  docs: {
    page: 'https://www.xfyun.cn/doc/spark/HTTP%E8%B0%83%E7%94%A8%E6%96%87%E6%A1%A3.html',
    // Only keys of three parts have them: a signature is made of these.
    pages: {
      embeddings: 'https://www.xfyun.cn/doc/spark/Embedding_api.html',
      pictures: 'https://www.xfyun.cn/doc/spark/ImageGeneration.html',
      speech: 'https://www.xfyun.cn/doc/spark/super%20smart-tts.html',
      transcripts: 'https://www.xfyun.cn/doc/spark/spark_zh_iat.html',
    },
    without: ['model list', 'cache usage'],
    keyOfKinds: 'APPID|APISecret|APIKey',
  },
  group: 'china',
  dialects: { chat: openai },
  routes: {
    baseUrl: 'https://spark-api-open.xf-yun.com',
    pathFor: (path, { model }) => (/^(?:spark-)?x/.test(model) ? path.replace('/v1/', pathOfX(model)) : path),
  },
  auth: bearer,
  variant: ({ key }) => (key.split('|').length > 2 ? socket : null),
  key: { hint: 'APIPassword / APPID|APISecret|APIKey', isValid: (key) => !key.includes('|') || hasParts(key, 3) },
  otherLabel: { en: 'Version of unnamed models (v1.1, v3.5, v4.0)', zh: '未列出模型的版本(v1.1、v3.5、v4.0)' },
  chat: {
    drop: ['presence_penalty', 'frequency_penalty', 'logit_bias', 'seed', 'n', 'logprobs', 'top_logprobs'],
    streamUsage: true,
    lacks: ['images in', 'files in', 'audio in', 'videos in', 'web search'],
    patch: iflytekHttpChat,
  },
  failures: iflytekFailures,
  unsupported: unsupportedByKind({
    chat: ({ n, logprobs }) => (typeof n === 'number' && n > 1 ? 'n' : logprobs === true ? 'logprobs' : null),
  }),
  models: { names: ['4.0Ultra', 'max-32k', 'generalv3.5', 'pro-128k', 'generalv3', 'lite', 'spark-x'] },
}

const pathOfX = (model: string): string => (model.includes('2') ? '/x2/' : '/v2/')

const socket: VendorVariant = {
  // One text a request.
  embeddingInputs: { most: 1, isTextOnly: true },
  dialects: {
    chat: iflytekChat,
    embeddings: iflytekEmbeddings,
    images: iflytekImages,
    speech: iflytekSpeech,
    transcriptions: iflytekTranscriptions,
  },
  routes: { baseUrl: chatHost, pathFor: (path) => path },
  auth: { signer: sparkUrl },
  chat: { drop: [], lacks: ['web search'], patch: undefined },
}
