import { describe, expect, test } from 'bun:test'
import { fromDraft, toDraft } from './log-draft.ts'

const empty = toDraft({})

describe('typed filters', () => {
  test('become the filters that they were made from', () => {
    const names = {
      token: 'ci',
      model: 'gpt-4o',
      request: '019a',
      outcome: 'failures',
      error: 'upstream_timeout',
      duration: 'first_byte_500',
      user: 'ann',
      channel: 3,
    } as const
    const filters = { ...names, start: 1_700_000_000, end: 1_700_000_100 }
    expect(fromDraft(toDraft(filters))).toEqual({ filters, errors: {} })
  })

  test('that are empty or blank choose nothing', () => {
    expect(fromDraft({ ...empty, token: '  ', channel: '0' })).toEqual({ filters: {}, errors: {} })
  })

  test('say which field is wrong', () => {
    expect(fromDraft({ ...empty, channel: 'azure', start: 'yesterday' }).errors).toEqual({
      channel: 'log.channel.wrong',
      start: 'log.time.wrong',
    })
  })

  test('refuse an end before its beginning', () => {
    expect(fromDraft({ ...empty, start: '2026-01-02 00:00', end: '2026-01-01 00:00' }).errors).toEqual({ end: 'log.end.wrong' })
  })
})
