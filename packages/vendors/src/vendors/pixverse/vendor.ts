import type { Vendor } from '../../core/vendor.ts'
import { askCredits } from '../../protocols/balances/credits.ts'
import { pixverseVideos } from './videos.ts'

/** Source: as in `videos.ts`. Channels for China give the address https://app-api.pixverseai.cn. */
export const pixverse: Vendor = {
  type: 46,
  name: 'Pixverse',
  color: 'violet',
  docs: { page: 'https://docs.platform.pixverse.ai/text-to-video-generation-13016634e0' },
  group: 'media',
  dialects: {},
  tasks: { videos: pixverseVideos },
  routes: { baseUrl: 'https://app-api.pixverse.ai' },
  auth: { header: 'api-key' },
  otherLabel: { en: 'Webhook ID', zh: 'Webhook ID' },
  key: { hint: 'sk-...' },
  askBalance: askCredits,
  models: {
    names: ['pixverse-c1', 'pixverse-v3.5', 'pixverse-v4', 'pixverse-v4.5', 'pixverse-v5', 'pixverse-v5.5', 'pixverse-v5.6', 'pixverse-v6'],
  },
}
