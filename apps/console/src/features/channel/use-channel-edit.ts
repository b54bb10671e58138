import { type ChannelRow, channel, channelStatus } from '@sluice/contract'
import { useMemo } from 'react'
import { useT } from '../../lib/t.ts'
import { showToast } from '../../lib/toasts.ts'
import { useCall } from '../../lib/use-call.ts'
import type { ListView } from '../../lib/use-list.ts'

type Change = Partial<Pick<ChannelRow, 'status' | 'priority' | 'weight'>>

export interface ChannelEdit {
  /** Seen at once, corrected by the answer, taken back when it is refused; Undo does it the other way round. */
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
        // A refusal is told by the call itself.
        showToast('success', t('action.done'), canUndo ? () => void store({ ...row, ...change }, back).catch(() => null) : undefined)
      },
    }
  }, [patch, send, t])
}

/** What the changed fields were. */
function before(row: ChannelRow, change: Change): Change {
  const { status, priority, weight } = row
  return {
    ...(change.status !== undefined && { status }),
    ...(change.priority !== undefined && { priority }),
    ...(change.weight !== undefined && { weight }),
  }
}

/** What the switch of a row does: off if it is on, on if anybody turned it off. */
export function otherStatus(status: number): number {
  return status === channelStatus.enabled ? channelStatus.disabled : channelStatus.enabled
}
