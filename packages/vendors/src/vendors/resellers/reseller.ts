import { bearer } from '../../core/auth.ts'
import type { Vendor } from '../../core/vendor.ts'
import { gatewayFailures } from '../../protocols/compat/gateway-failures.ts'
import { everyKind } from '../../protocols/every-kind.ts'
import { openaiVideos } from '../../protocols/openai/videos.ts'
import { openaiCalls, openaiVendor } from '../openai/vendor.ts'

/**
 * A company that sells access to OpenAI's API at its own address, as OpenAI's reference describes it. Whether it has every kind is not known:
 * a server that lacks responses gets a chat instead.
 */
export function reseller(own: Pick<Vendor, 'type' | 'name' | 'color' | 'routes'> & Partial<Vendor>): Vendor {
  return {
    group: 'proxies',
    dialects: everyKind,
    tasks: { videos: openaiVideos },
    optionalKinds: { responses: {} },
    auth: bearer,
    key: { hint: 'sk-...' },
    chat: {
      streamUsage: true,
      takesFunctions: true,
      calls: openaiCalls,
      patch: openaiVendor.chat?.patch,
    },
    models: { names: openaiVendor.models.names, rulesFor: openaiVendor.models.rulesFor },
    failures: gatewayFailures,
    unsupported: openaiVendor.unsupported,
    patches: openaiVendor.patches,
    ...own,
  }
}
