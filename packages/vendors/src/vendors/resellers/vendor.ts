import type { Vendor } from '../../core/vendor.ts'
import { addressOf } from '../../core/vendor-query.ts'
import { askField, posted, withKeyHeader } from '../../protocols/balances/shapes.ts'
import { gatewayFailures } from '../../protocols/compat/gateway-failures.ts'
import { reseller } from './reseller.ts'

const yuan = { unit: '¥' } as const
const units = { unit: 'quota' } as const

/**
 * Sources: each company's documentation as clients of 2026 quote it, read 2026-11-22, and what their `docs` name. All were searched again on
 * 2026-11-28: only AIGC2D has changed.
 */
const api2d: Vendor = reseller({
  type: 2,
  name: 'API2D',
  color: 'blue',
  docs: { page: 'https://api2d-doc.apifox.cn' },
  routes: { baseUrl: 'https://oa.api2d.net' },
  key: { hint: 'fk...' },
  askBalance: askField('/dashboard/billing/credit_grants', 'total_available'),
})

/**
 * Its main address is now https://api.openai-proxy.org/v1; this one has less capacity, and keys work at both. It takes responses, and has models of other vendors in OpenAI's form, too ("Quick start", read 2026-11-28). Anthropic's protocol is at
 * https://api.openai-proxy.org/anthropic with `x-api-key`, and Google's at https://api.openai-proxy.org/google (doc.closeai-asia.com, "Anthropic" and
 * "Gemini", stored copies read 2026-11-26): channels of types 14 and 24 with these addresses speak them.
 */
const closeai: Vendor = reseller({
  type: 4,
  name: 'CloseAI',
  color: 'teal',
  docs: { page: 'https://doc.closeai-asia.com/tutorial/api/openai.html', read: '2026-11-27' },
  routes: { baseUrl: 'https://api.closeai-proxy.xyz' },
  askBalance: askField('/dashboard/billing/credit_grants', 'total_available'),
  balance: yuan,
})

/** "OpenAI API" lists the calls that it has, and says that they are OpenAI's; a stored copy of 2023. */
const openaiSb: Vendor = reseller({
  type: 5,
  name: 'OpenAI-SB',
  color: 'pink',
  docs: { page: 'https://openai-sb.com/api/openai', read: '2026-11-27' },
  routes: { baseUrl: 'https://api.openai-sb.com' },
  key: { hint: 'sb-...' },
  // The key is in the query string: this vendor reads it nowhere else.
  askBalance: askField(
    ({ baseUrl, key }) => addressOf(baseUrl, `/sb-api/user/status?api_key=${encodeURIComponent(key)}`),
    'data',
    'credit',
  ),
  balance: { unit: '¥', divisor: 10_000 },
})

const openaiMax: Vendor = reseller({
  type: 6,
  name: 'OpenAI Max',
  color: 'violet',
  undocumented: {
    why: 'nothing published',
    lookedFor: '2026-11-28',
    note:
      'Public programs name its address, `api.openaimax.com`, in tables of default addresses, as ' +
      '[one-api](https://github.com/songquanpeng/one-api/blob/f9c4384ccc3d81035632290aa61f1817a1faf9b8/relay/channeltype/url.go) does, and ' +
      "one sends chats in OpenAI's form there. No page at `openaimax.com`, and no repository of it, is among stored pages and public code.",
  },
  routes: { baseUrl: 'https://api.openaimax.com' },
})

const ohmygpt: Vendor = reseller({
  type: 7,
  name: 'OhMyGPT',
  color: 'purple',
  // The list of all its calls, in English.
  docs: { page: 'https://ohmygpt-docs.apifox.cn/us', read: '2026-11-28' },
  routes: { baseUrl: 'https://api.ohmygpt.com' },
  // Accepts only keys with administrator rights.
  askBalance: posted(askField('/api/v1/user/admin/balance', 'data', 'balance')),
})

const ails: Vendor = reseller({
  type: 9,
  name: 'AI.LS',
  color: 'yellow',
  undocumented: {
    why: 'nothing published',
    lookedFor: '2026-11-28',
    note:
      'It was a page for chats at `ai.ls`; its address for programs, `api.caipacity.com`, is in the same tables, and public programs of 2023 send ' +
      "chats in OpenAI's form there. No page of either host is among stored pages and public code.",
  },
  routes: { baseUrl: 'https://api.caipacity.com' },
})

const aiproxy: Vendor = reseller({
  type: 10,
  name: 'AI Proxy',
  color: 'purple',
  undocumented: {
    why: 'nothing published',
    lookedFor: '2026-11-28',
    note:
      'Its documentation was at `docs.aiproxy.io`, which [one-api](https://github.com/songquanpeng/one-api/tree/8df4a26) cites for its knowledge bases; ' +
      'no copy of a page there is among stored pages. Pages at other hosts that carry its name are not its own.',
  },
  routes: { baseUrl: 'https://api.aiproxy.io' },
  // Accounts are on the host without `api.`.
  askBalance: withKeyHeader(
    'api-key',
    askField(({ baseUrl }) => addressOf(baseUrl.replace('//api.', '//'), '/api/report/getUserOverview'), 'data', 'totalPoints'),
  ),
  balance: units,
})

/**
 * Its documentation lists chats, completions, embeddings, images, speech, transcripts, and what was spent, of 2024-10-21; its codes of errors:
 * "Developer guide" (www.api2gpt.com/developer.html), where keys begin with `AK`. Stored copies read 2026-11-27.
 */
const api2gpt: Vendor = reseller({
  type: 12,
  name: 'API2GPT',
  color: 'blue',
  docs: { page: 'https://s.apifox.cn/8924a8cc-182a-442f-a2b2-3b29b977fe6c/llms.txt', read: '2026-11-27' },
  key: { hint: 'AK...' },
  failures: {
    ...gatewayFailures,
    // What its other codes mean, their statuses say, too.
    '40302': 'model_not_found',
  },
  routes: { baseUrl: 'https://api.api2gpt.com' },
  askBalance: askField('/dashboard/billing/credit_grants', 'total_remaining'),
  balance: yuan,
})

/**
 * Programs of September to November 2026 call it at https://new.aigc2d.com, which is a server of new-api: chats, images and edits in OpenAI's form, and
 * Google's protocol at `/v1beta`; read 2026-11-28. A channel has to give that address (type 24 for Google's protocol). The address here
 * is the one that programs until 2024 name.
 */
const aigc2d: Vendor = reseller({
  type: 13,
  name: 'AIGC2D',
  color: 'purple',
  // Its own documentation, of 2023; the pages about Claude, Midjourney and ERNIE beside it have forms of their own.
  docs: { page: 'https://github.com/AIGC2D/aigc2d-docs/blob/3731fb3b26b62092f4559fee4db574967fbb8ab3/openai/sdk.md', read: '2026-11-27' },
  routes: { baseUrl: 'https://api.aigc2d.com' },
  askBalance: askField('/dashboard/billing/credit_grants', 'total_available'),
  balance: units,
})

/** In the order in which the channel form offers them. */
export const resellers: readonly Vendor[] = [api2d, closeai, openaiSb, openaiMax, ohmygpt, ails, aiproxy, api2gpt, aigc2d]
