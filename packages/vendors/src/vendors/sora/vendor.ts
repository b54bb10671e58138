import { bearer } from '../../core/auth.ts'
import type { Vendor } from '../../core/vendor.ts'
import { openaiVideos } from '../../protocols/openai/videos.ts'

/**
 * OpenAI's videos. Source: OpenAI API reference, "Videos", and "Deprecations", read 2026-11-23: OpenAI ended this interface on 2026-09-24.
 * The wire stays for the servers that still offer it, Azure and resellers among them.
 */
export const sora: Vendor = {
  type: 48,
  name: 'Sora',
  color: 'black',
  docs: { page: 'https://developers.openai.com/api/reference/resources/videos' },
  group: 'media',
  dialects: {},
  tasks: { videos: openaiVideos },
  routes: { baseUrl: 'https://api.openai.com' },
  auth: bearer,
  key: { hint: 'sk-...' },
  models: { names: ['sora-2', 'sora-2-pro'] },
}
