import type { RedemptionRow } from '@sluice/contract'
import { StatusBadge } from '../../ui/status-badge.tsx'
import { UnreadableBadge } from '../../ui/unreadable-badge.tsx'
import { redemptionLooks, stateOf } from './redemption-looks.ts'

/** The state of a code, and whether it can be shown. */
export function RedemptionState({ row }: { readonly row: RedemptionRow }) {
  return (
    <span className="inline-flex gap-1 max-xl:flex-wrap">
      <StatusBadge looks={redemptionLooks} status={stateOf(row)} />
      <UnreadableBadge row={row} />
    </span>
  )
}
