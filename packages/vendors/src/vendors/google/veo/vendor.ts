import { bearer } from '../../../core/auth.ts'
import type { ChannelFacts } from '../../../core/channel-config.ts'
import type { Vendor } from '../../../core/vendor.ts'
import { geminiVendor } from '../gemini/vendor.ts'
import { isAccount, secretOf } from '../key.ts'
import { isOmni } from '../omni/models.ts'
import { omniVideos } from '../omni/videos.ts'
import { askGoogleToken } from '../service-account.ts'
import { addressOf, isKey, regionalHost } from '../vertexai/host.ts'
import { withPlace } from './hosts.ts'
import { geminiVideos, vertexAiVideos } from './videos.ts'

/** A service account, or a key with region and project before it, is one of Google Cloud. */
function isOfCloud(channel: ChannelFacts): boolean {
  const secret = secretOf(channel)
  return isAccount(secret) || secret !== channel.key.trim()
}

/**
 * Google's videos. Source: Google Cloud, "Veo 3.1", and Gemini API, "Deprecations", as docs.apiyi.com (2026-10-25) and apidog.com (2026-11-06)
 * quote them, read 2026-11-23: the previews ended on 2026-10-22, and with them the Gemini API's only models of this protocol. It has the omni
 * models in their place. Google Cloud keeps those whose names end in a number until 2027-05-04 at least. The Gemini API's own protocol of Veo
 * stays for addresses of proxies, which still offer it.
 */
export const veo: Vendor = {
  type: 49,
  name: 'Veo',
  color: 'blue',
  docs: { page: 'https://ai.google.dev/gemini-api/docs/video' },
  group: 'media',
  dialects: {},
  tasks: { videos: (model) => (isOmni(model) ? omniVideos : geminiVideos) },
  routes: { keyHosts: ['googleapis.com'], baseUrl: geminiVendor.routes.baseUrl },
  auth: geminiVendor.auth,
  variant: (channel) =>
    isOfCloud(channel)
      ? {
          tasks: { videos: (model) => (isOmni(model) ? null : vertexAiVideos) },
          routes: {
            // Its videos are in the responses, or in a bucket.
            keyHosts: ['googleapis.com'],
            baseUrl: regionalHost,
            addressFor: (facts) => addressOf(withPlace(facts)),
          },
          auth: isAccount(secretOf(channel)) ? bearer : geminiVendor.auth,
          credential: askGoogleToken,
        }
      : null,
  key: {
    hint: 'AIza..., or region|project|{service account as JSON}',
    hintZh: 'AIza...，或 region|project|{服务账号 JSON}',
    isValid: (key) => !/[|{]/.test(key) || isKey(key),
  },
  configFields: ['region', 'vertex_ai_project_id', 'vertex_ai_adc'],
  ...(geminiVendor.otherLabel && { otherLabel: geminiVendor.otherLabel }),
  models: {
    names: [
      'gemini-omni-1.1-flash',
      'gemini-omni-1.2-flash',
      'veo-3.1-generate-001',
      'veo-3.1-fast-generate-001',
      'veo-3.1-lite-generate-001',
    ],
  },
}
