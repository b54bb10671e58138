import type { Vendor } from '../../core/vendor.ts'
import { askDifference } from '../../protocols/balances/shapes.ts'
import { deepl } from './chat.ts'

/** Keys of the free plan end in `:fx`, and are valid at another host. */
const addressOf = (key: string): string => (key.trim().endsWith(':fx') ? 'https://api-free.deepl.com' : 'https://api.deepl.com')

/**
 * Source: developers.deepl.com, "Translate text", "Authentication" and "Error handling", release notes of 2026, stored copies read 2026-11-22. The
 * model names the language (`deepl-zh`); the last message is translated, and instructions are its context. Settings of sampling and limits
 * mean nothing to a translation and are left out.
 */
export const deeplVendor: Vendor = {
  type: 38,
  name: 'DeepL',
  color: 'teal',
  docs: {
    page: 'https://developers.deepl.com/docs',
    chat: 'https://developers.deepl.com/api-reference/translate',
    // Stored copy read 2026-11-23.
    pages: { 'model list': 'https://developers.deepl.com/docs/translate/understanding-model-types' },
  },
  group: 'global',
  dialects: { chat: deepl },
  routes: { baseUrl: 'https://api.deepl.com', addressFor: ({ key }) => addressOf(key) },
  auth: { header: 'authorization', prefix: 'DeepL-Auth-Key ' },
  key: { hint: 'DeepL API key (free ones end in :fx)', hintZh: 'DeepL API 密钥（免费版以 :fx 结尾）' },
  // The balance is the number of characters left to translate.
  askBalance: askDifference('/v2/usage', { whole: ['character_limit'], used: ['character_count'] }),
  failures: { 456: 'no_quota', 403: 'bad_key', 414: 'bad_request', 529: 'rate_limited' },
  chat: { lacks: ['web search'] },
  models: { names: ['deepl-zh', 'deepl-en', 'deepl-ja'] },
}
