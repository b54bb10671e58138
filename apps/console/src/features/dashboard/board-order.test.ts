import { expect, test } from 'bun:test'
import { type ChannelBoardRow, channelStatus } from '@sluice/contract'
import { orderBoard } from './board-order.ts'

const row = (id: number, more: Partial<ChannelBoardRow> = {}): ChannelBoardRow => ({
  ...{ id, name: `channel ${id}`, status: channelStatus.enabled, test_failed: false, ...more },
})

test('channels that need somebody come first, those that are off last, and others stay in their order', () => {
  const rows = [
    row(7),
    row(6, { status: channelStatus.disabled, test_failed: true }),
    row(5),
    row(4, { status: channelStatus.autoDisabled }),
    row(3),
    row(2, { test_failed: true }),
    row(1),
  ]
  const health = [
    { channel: 1, state: 'open' },
    { channel: 3, state: 'cooling' },
    { channel: 6, state: 'open' },
  ] as const
  expect(orderBoard(rows, health).map(({ id, state }) => [id, state])).toEqual([
    [4, 'failing'],
    [2, 'failing'],
    [1, 'failing'],
    [3, 'resting'],
    [7, 'working'],
    [5, 'working'],
    [6, 'off'],
  ])
})
