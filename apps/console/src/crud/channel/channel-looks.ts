import { channelStatus } from '@sluice/contract'
import type { StatusLooks } from '../../ui/status-badge.tsx'

export const channelLooks: StatusLooks = {
  byStatus: {
    [channelStatus.enabled]: { tone: 'green', shape: 'filled', text: 'channel.status.1', note: 'channel.status.1.note' },
    [channelStatus.disabled]: { tone: 'red', shape: 'ring', text: 'channel.status.2', note: 'channel.status.2.note' },
    [channelStatus.autoDisabled]: { tone: 'yellow', shape: 'half', text: 'channel.status.3', note: 'channel.status.3.note' },
  },
  unknown: 'channel.status.other',
}
