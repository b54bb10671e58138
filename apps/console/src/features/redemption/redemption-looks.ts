import { redemptionStatus } from '@sluice/contract'
import type { StatusLooks } from '../../ui/status-badge.tsx'

export const redemptionLooks: StatusLooks = {
  byNumber: {
    [redemptionStatus.unused]: { tone: 'green', shape: 'filled', text: 'redemption.status.1' },
    [redemptionStatus.disabled]: { tone: 'red', shape: 'ring', text: 'redemption.status.2' },
    [redemptionStatus.used]: { tone: 'grey', shape: 'half', text: 'redemption.status.3' },
  },
  unknown: 'redemption.status.other',
}
