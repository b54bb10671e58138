import { bareKey } from '../../core/auth.ts'
import type { Vendor } from '../../core/vendor.ts'

/** Any server with a key (specification, section 3): requests are forwarded almost unchanged, and the gateway does not read them. */
export const proxyVendor: Vendor = {
  type: 43,
  name: 'Proxy',
  nameZh: '代理',
  color: 'grey',
  undocumented: { why: 'own server' },
  group: 'proxies',
  dialects: {},
  routes: { baseUrl: null },
  auth: bareKey,
  key: { hint: 'Bearer sk-...' },
  models: { names: [] },
  rawProxy: {
    requestHeaders: [
      'accept',
      'accept-language',
      'content-type',
      'range',
      'if-match',
      'if-none-match',
      'if-modified-since',
      'idempotency-key',
      'prefer',
      'openai-beta',
      'anthropic-version',
      'anthropic-beta',
      // Makes one video of equal orders; the vendor takes none without it (its reference, stored copies read 2026-11-25).
      'ai-trace-id',
      // How work is queued, repeated and kept (docs.fal.ai, "Platform Headers", stored copy read 2026-11-27).
      'x-fal-request-timeout',
      'x-fal-queue-priority',
      'x-fal-runner-hint',
      'x-fal-no-retry',
      'x-fal-store-io',
      'x-fal-object-lifecycle-preference',
    ],
    responseHeaders: [
      'content-type',
      'content-disposition',
      'content-language',
      'content-range',
      'accept-ranges',
      'cache-control',
      'etag',
      'expires',
      'last-modified',
      'retry-after',
      'x-fal-request-id',
      'x-fal-request-timeout-type',
    ],
  },
}
