import { bearer } from '../../core/auth.ts'
import type { Vendor } from '../../core/vendor.ts'
import { uncounted } from '../../protocols/openai/without-usage.ts'

/**
 * Source: doc.fastgpt.io, "API getting started" and "Access App via API" of November 2026, stored copies read 2026-11-26 and
 * again 2026-11-28, and tests of two clients.
 * The app decides model and sampling, so both are ignored there. A personal key belongs to a member and names the app behind it
 * (`apiKey-appId`, 24 hexadecimal digits); also one that was made at an app before 4.18.0 is personal, with that app as its default. App keys,
 * from 4.18.0 on, are bound to their app, whatever app stands behind them. Its counts are placeholders, so tokens are counted here. Names of
 * models are the operator's own.
 */
export const fastgpt: Vendor = {
  type: 22,
  hasOwnPrompts: true,
  name: 'knowledge base FastGPT',
  nameZh: '知识库 FastGPT',
  color: 'teal',
  docs: { page: 'https://doc.fastgpt.io/docs/openapi/intro', chat: 'https://doc.fastgpt.io/docs/openapi/chat', without: ['model list'] },
  group: 'self_hosted',
  dialects: { chat: uncounted },
  routes: { baseUrl: 'https://fastgpt.run/api/openapi' },
  auth: bearer,
  key: { hint: 'APIKey-AppId / fastgpt-...', isValid: (key) => /^\S+-[0-9a-f]{24}$/i.test(key) || /^fastgpt-\w{20,}$/.test(key) },
  chat: {
    drop: ['n', 'logprobs', 'top_logprobs', 'reasoning_effort', 'reasoning'],

    // The app has its own tools and form of responses; files have an address, and no content.
    lacks: ['tools', 'structured output', 'files in', 'audio in', 'web search'],
  },
  models: { names: [] },
  // It responds with HTTP 500 to a wrong key. Names of errors: labring/FastGPT, "common/error", read 2026-11-23.
  failures: {
    '514': 'bad_key',
    unAuthApiKey: 'bad_key',
    unAuthUser: 'bad_key',
    openapiUnExist: 'bad_key',
    '510': 'no_quota',
    insufficientQuota: 'no_quota',
    aiPointsNotEnough: 'no_quota',
    // The limit of points that this key has.
    openapiExceedLimit: 'no_quota',
    unAuthModel: 'model_not_found',
    appUnExist: 'model_not_found',
    unAuthApp: 'forbidden',
    unAuthTeam: 'forbidden',
    openapiUnAuth: 'forbidden',
  },
}
