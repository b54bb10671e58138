import { tokenStatus } from '@sluice/contract'
import type { StatusLooks } from '../../ui/status-badge.tsx'

export const tokenLooks: StatusLooks = {
  byStatus: {
    [tokenStatus.enabled]: { tone: 'green', shape: 'filled', text: 'token.status.1' },
    [tokenStatus.disabled]: { tone: 'red', shape: 'ring', text: 'token.status.2' },
    [tokenStatus.expired]: { tone: 'yellow', shape: 'half', text: 'token.status.3' },
    [tokenStatus.exhausted]: { tone: 'grey', shape: 'half', text: 'token.status.4' },
  },
  unknown: 'token.status.other',
}
