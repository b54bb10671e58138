import { type RedemptionRow, redemptionState, redemptionStateAt } from '@sluice/contract'
import type { StatusLooks } from '../../ui/status-badge.tsx'

export const redemptionLooks: StatusLooks = {
  byStatus: {
    [redemptionState.unused]: { tone: 'green', shape: 'filled', text: 'redemption.status.1' },
    [redemptionState.disabled]: { tone: 'red', shape: 'ring', text: 'redemption.status.2' },
    [redemptionState.used]: { tone: 'grey', shape: 'half', text: 'redemption.status.3' },
    [redemptionState.expired]: { tone: 'yellow', shape: 'half', text: 'redemption.status.4' },
  },
  unknown: 'redemption.status.other',
}

/** The state of a code now. */
export const stateOf = (row: RedemptionRow): number => redemptionStateAt(row, Date.now() / 1000)
