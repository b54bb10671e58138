import { type ChannelRow, channel, channelStatus } from '@sluice/contract'
import { useMemo } from 'react'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall } from '../../lib/use-call.ts'
import type { ListView } from '../../lib/use-list.ts'

type Change = Partial<Pick<ChannelRow, 'status' | 'priority' | 'weight'>>

export interface ChannelEdit {
  /** An optimistic update: shown at once, replaced by the answer, reverted if refused. Undo sets the old values. */
  readonly set: (row: ChannelRow, change: Change) => Promise<void>
}

export function useChannelEdit({ patch }: ListView<ChannelRow>): ChannelEdit {
  const t = useT()
  const { mutateAsync: send } = useCall(channel.update)
  return useMemo(() => {
    const store = async (row: ChannelRow, change: Change) => {
      patch(row.id, change)
      try {
        patch(row.id, await send({ id: row.id, ...change }))
      } catch (error) {
        patch(row.id, before(row, change))
        throw error
      }
    }
    return {
      set: async (row, change) => {
        await store(row, change)
        const back = before(row, change)
        // Only the program can say "disabled by the program".
        const canUndo = back.status !== channelStatus.autoDisabled
        // The call itself reports a refusal.
        showToast('success', t('action.done'), canUndo ? () => void store({ ...row, ...change }, back).catch(() => null) : undefined)
      },
    }
  }, [patch, send, t])
}

/** The previous values of the changed fields. */
function before(row: ChannelRow, change: Change): Change {
  const { status, priority, weight } = row
  return {
    ...(change.status !== undefined && { status }),
    ...(change.priority !== undefined && { priority }),
    ...(change.weight !== undefined && { weight }),
  }
}

/** The status after the row's switch: disabled if it is enabled, otherwise enabled. */
export function otherStatus(status: number): number {
  return status === channelStatus.enabled ? channelStatus.disabled : channelStatus.enabled
}
