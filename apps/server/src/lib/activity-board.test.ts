import { expect, test } from 'bun:test'
import { type Activity, boardBytes, createActivityBoard, readActivities } from './activity-board.ts'

const activity = (id: string, more: Partial<Activity> = {}): Activity => ({
  ...{ id, method: 'POST', url: '/v1/chat/completions', bytes: 0, startedMs: 0 },
  ...more,
})

function createBoard() {
  const memory = new SharedArrayBuffer(boardBytes)
  return { board: createActivityBoard(memory), seen: () => readActivities(memory) }
}

test('another thread finds what runs, the activity that made a step last first, and nothing that has ended', () => {
  const { board, seen } = createBoard()
  const [first, second, third] = ['a', 'b', 'c'].map((id) => board.add(activity(id)))
  board.setTarget(first ?? -1, { kind: 'chat', model: 'gpt-4o' })
  board.setChannel(first ?? -1, 7)
  expect(seen().map(({ id, kind, model, channel }) => [id, kind, model, channel])).toEqual([
    ['a', 'chat', 'gpt-4o', 7],
    ['c', '', '', 0],
    ['b', '', '', 0],
  ])
  board.remove(third ?? -1)
  board.touch(second ?? -1)
  expect(seen().map(({ id }) => id)).toEqual(['b', 'a'])
  board.add(activity('d', { bytes: 33_554_432, startedMs: 1_234.5 }))
  expect(seen()[0]).toEqual({
    id: 'd',
    method: 'POST',
    path: '/v1/chat/completions',
    kind: '',
    model: '',
    channel: 0,
    bytes: 33_554_432,
    startedMs: 1_234.5,
  })
})

test('the query of an address is left out, and long texts are cut', () => {
  const { board, seen } = createBoard()
  board.add(activity('a', { url: '/v1beta/models/m:generateContent?key=hidden' }))
  expect(seen()[0]?.path).toBe('/v1beta/models/m:generateContent')
  const slot = board.add(activity('x'.repeat(300), { method: 'M'.repeat(300), url: `/${'p'.repeat(300)}` }))
  board.setTarget(slot, { kind: 'k'.repeat(300), model: 'm'.repeat(300) })
  const [long] = seen()
  expect([long?.id, long?.method, long?.path, long?.kind, long?.model].map((text) => text?.length)).toEqual([36, 10, 80, 20, 47])
})

test('a full board takes nothing more, and slots are used again', () => {
  const { board, seen } = createBoard()
  const slots: number[] = []
  for (let slot = board.add(activity('a')); slot !== -1; slot = board.add(activity('a'))) slots.push(slot)
  const size = slots.length
  expect(size).toBeGreaterThan(1_000)
  board.setTarget(-1, { kind: 'chat', model: 'm' })
  board.setChannel(-1, 1)
  board.touch(-1)
  board.remove(-1)
  expect(seen()).toHaveLength(size)
  for (const slot of slots) board.remove(slot)
  expect(seen()).toEqual([])
  expect(board.add(activity('b'))).not.toBe(-1)
})
