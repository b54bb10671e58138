import { bearer } from '../auth.ts'
import { everyKind } from '../every-kind.ts'
import type { Vendor } from '../vendor.ts'
import { gatewayFailures } from './gateway-failures.ts'
import { openaiCalls, openaiVendor } from './openai.ts'

/**
 * A company that sells access to OpenAI's API at its own address, as OpenAI's reference describes it. Whether it has every kind is not known:
 * a server that lacks responses gets a chat instead.
 */
export function reseller(own: Pick<Vendor, 'type' | 'name' | 'color' | 'baseUrl'> & Partial<Vendor>): Vendor {
  return {
    group: 'proxies',
    dialects: everyKind,
    tasks: { videos: 'openai' },
    optionalKinds: ['responses'],
    auth: bearer,
    keyHint: 'sk-...',
    streamUsage: true,
    takesFunctions: true,
    models: openaiVendor.models,
    failures: gatewayFailures,
    rulesFor: openaiVendor.rulesFor,
    calls: openaiCalls,
    refuses: openaiVendor.refuses,
    patch: openaiVendor.patch,
    patches: openaiVendor.patches,
    ...own,
  }
}
