import { describe, expect, test } from 'bun:test'
import { toFullQuery, toOwnQuery } from './log-query.ts'
import { readLogSearch } from './log-search.ts'

describe('the address of the log page', () => {
  test('gives every filter back', () => {
    const search = {
      type: 2,
      token: 'ci',
      model: 'gpt-4o',
      request: '019a',
      user: 'ann',
      channel: 3,
      start: 100,
      end: 200,
      page: 2,
      sort: '-quota',
    } as const
    expect(readLogSearch(search)).toEqual(search)
  })

  test('is empty where nothing is chosen', () => {
    expect(readLogSearch({ type: 0, token: ' ', model: '', channel: 0, start: 0, end: '' })).toEqual({})
  })

  test('keeps names that look like something else', () => {
    expect(readLogSearch({ token: 123, model: true })).toEqual({ token: '123', model: 'true' })
  })

  test('leaves out what makes no sense', () => {
    expect(readLogSearch({ type: 9, channel: 'x', start: -5, end: {}, range: '2y', token: ['a'] })).toEqual({})
  })

  test('lets a moving range stand before fixed times', () => {
    expect(readLogSearch({ range: '1h', start: 5, end: 6 })).toEqual({ range: '1h' })
  })
})

describe('what the server is queried for', () => {
  const nowSeconds = 1_000_000

  test('is everything until an hour from now, where nothing is chosen', () => {
    expect(toFullQuery({}, nowSeconds)).toEqual({
      type: 0,
      token_name: '',
      model_name: '',
      request_id: '',
      start_timestamp: 0,
      end_timestamp: nowSeconds + 3_600,
      username: '',
      channel: 0,
    })
  })

  test('names no user and no channel where one sees only the own log', () => {
    const query = toOwnQuery({ user: 'ann', channel: 3, token: 'ci' }, nowSeconds)
    expect(query).not.toHaveProperty('username')
    expect(query).not.toHaveProperty('channel')
    expect(query.token_name).toBe('ci')
  })

  test('moves with the clock in a moving range', () => {
    expect(toOwnQuery({ range: '15m' }, nowSeconds).start_timestamp).toBe(nowSeconds - 900)
  })

  test('keeps fixed times', () => {
    expect(toOwnQuery({ start: 5, end: 6 }, nowSeconds)).toMatchObject({ start_timestamp: 5, end_timestamp: 6 })
  })
})
