import { expect, test } from 'bun:test'
import { fromDraft, toDraft } from './task-draft.ts'
import { readTaskSearch } from './task-search.ts'

const empty = toDraft({})

test('filters and their fields are each made from the other', () => {
  const of = { kind: 'songs', model: 'suno_music', id: 'task_1', user: 'ann', channel: 7 } as const
  const filters = { ...of, start: 1_790_000_000, end: 1_790_000_060 } as const
  expect(fromDraft(toDraft(filters))).toEqual({ filters, errors: {} })
  expect(fromDraft(empty)).toEqual({ filters: {}, errors: {} })
})

test('a channel that is no number, a time that is none, and an end before the beginning are errors of their fields', () => {
  expect(fromDraft({ ...empty, channel: 'one' }).errors).toEqual({ channel: 'task.channel.wrong' })
  expect(fromDraft({ ...empty, start: 'noon', end: 'later' }).errors).toEqual({ start: 'task.time.wrong', end: 'task.time.wrong' })
  expect(fromDraft({ ...empty, start: '2026-11-23', end: '2026-11-22' }).errors).toEqual({ end: 'task.end.wrong' })
})

test('an address keeps known states and kinds only', () => {
  expect(readTaskSearch({ state: 'failed', kind: 'videos', model: 'sora-2', row: 3 })).toEqual({
    state: 'failed',
    kind: 'videos',
    model: 'sora-2',
    row: 3,
  })
  expect(readTaskSearch({ state: 'lost', kind: 'poems', channel: 'x' })).toEqual({})
})
