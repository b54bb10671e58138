import { type ChannelBoardRow, type ChannelHealthRow, channelStatus } from '@sluice/contract'

/**
 * What a channel of the board needs. `failing`: it was disabled automatically, no requests are sent to it, or its last test failed.
 * `resting`: it is in cooldown, or tried again. `off`: an administrator has disabled it.
 */
export const boardStates = ['failing', 'resting', 'working', 'off'] as const
export type BoardState = (typeof boardStates)[number]

export interface BoardChannel extends ChannelBoardRow {
  readonly state: BoardState
}

/** All channels, those that need somebody first; within a state the newest first, as they come. */
export function orderBoard(
  rows: readonly ChannelBoardRow[],
  health: readonly Pick<ChannelHealthRow, 'channel' | 'state'>[],
): readonly BoardChannel[] {
  const open = new Set(health.filter(({ state }) => state === 'open').map(({ channel }) => channel))
  const troubled = new Set(health.map(({ channel }) => channel))
  const stateOf = ({ id, status, test_failed: hasFailed }: ChannelBoardRow): BoardState => {
    if (status === channelStatus.disabled) return 'off'
    if (status === channelStatus.autoDisabled || open.has(id) || hasFailed) return 'failing'
    return troubled.has(id) ? 'resting' : 'working'
  }
  return rows
    .map((row) => ({ ...row, state: stateOf(row) }))
    .sort((one, other) => boardStates.indexOf(one.state) - boardStates.indexOf(other.state))
}
