import { bearer } from '../../core/auth.ts'
import type { Vendor } from '../../core/vendor.ts'
import { aiProxyLibrary } from './chat.ts'

/**
 * Source: as in `dialect.ts`, which cites the vendor's page; no stored copy of it was found on 2026-11-28. Settings of sampling are left out; names of models are the operator's own.
 */
export const aiProxyLibraryVendor: Vendor = {
  type: 21,
  hasOwnPrompts: true,
  name: 'knowledge base AI Proxy',
  nameZh: '知识库 AI Proxy',
  color: 'purple',
  docs: { page: 'https://docs.aiproxy.io/dev/library', citedBy: 'songquanpeng/one-api 8df4a26', untranslated: ['balance'] },
  group: 'proxies',
  dialects: { chat: aiProxyLibrary },
  routes: { baseUrl: 'https://api.aiproxy.io' },
  auth: bearer,
  key: { hint: 'sk-...' },
  otherLabel: { en: 'Library ID', zh: '知识库 ID' },
  needsOther: true,
  chat: { lacks: ['web search'] },
  models: { names: [] },
}
