import { role, userStatus } from '@sluice/contract'
import type { StatusLooks } from '../../ui/status-badge.tsx'

export const userLooks: StatusLooks = {
  byStatus: {
    [userStatus.enabled]: { tone: 'green', shape: 'filled', text: 'user.status.1' },
    [userStatus.banned]: { tone: 'red', shape: 'ring', text: 'user.status.2' },
  },
  unknown: 'user.status.other',
}

export const roleLooks: StatusLooks = {
  byStatus: {
    [role.user]: { tone: 'grey', text: 'user.role.1' },
    [role.admin]: { tone: 'yellow', text: 'user.role.10' },
    [role.root]: { tone: 'orange', text: 'user.role.100' },
  },
  unknown: 'user.role.other',
}
