import { describe, expect, test } from 'bun:test'
import { inResponse, withStatus } from '../../../test/failures.ts'
import { minimax } from './vendor.ts'

describe('errors of MiniMax', () => {
  test.each([
    [[1000, 1001, 1013, 1024, 1033], 'unavailable'],
    [[1002, 1039, 1041, 2056], 'rate_limited'],
    [[1004, 2049], 'bad_key'],
    [[1008], 'no_quota'],
    [[1026, 1027], 'content_filter'],
    [[1042, 2013], 'bad_request'],
  ] as const)('%p, with status 200 or another: %s', (codes, meaning) => {
    for (const code of codes) {
      const body = { base_resp: { status_code: code, status_msg: 'no' } }
      expect(inResponse(minimax, body)).toEqual([meaning, meaning])
      expect(withStatus(minimax)(500, body)).toBe(meaning)
    }
  })

  test('a prompt that is too long is recognized by its text', () => {
    const body = { base_resp: { status_code: 2013, status_msg: 'invalid params, context window exceeds limit' } }
    expect(inResponse(minimax, body)).toEqual(['context_length_exceeded', 'context_length_exceeded'])
  })

  test('a state of success is no error', () => {
    const choices = [{ index: 0, message: { role: 'assistant', content: 'Hi' }, finish_reason: 'stop' }]
    expect(inResponse(minimax, { choices, base_resp: { status_code: 0, status_msg: '' } })).toEqual([])
  })
})
