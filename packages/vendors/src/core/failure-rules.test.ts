import { describe, expect, test } from 'bun:test'
import { openai } from '../protocols/openai/dialect.ts'
import type { Failure } from './failure.ts'
import { classified, type FailureRules, readFailureOf } from './failure-rules.ts'

const rules: FailureRules = {
  quota_used_up: 'no_quota',
  Limit: 'rate_limited',
  'Limit.Daily': 'no_quota',
  unclear: [
    [/trial is used up/i, 'no_quota'],
    [/queue/i, 'rate_limited'],
  ],
  invalid_request_error: [[/token limit/i, 'context_length']],
  '403': 'context_length',
  '451': 'content_filter',
}

const failed = (fields: Partial<Failure>): Failure => ({
  kind: 'bad_request',
  message: 'no',
  type: null,
  param: null,
  code: null,
  ...fields,
})

describe('an error that a vendor’s table has', () => {
  test.each([
    ['by its code', { code: 'quota_used_up' }, 'no_quota'],
    ['by its type, if the code is not in the table', { code: '1234', type: 'quota_used_up' }, 'no_quota'],
    ['by the part of its code before a point', { code: 'Limit.PerMinute' }, 'rate_limited'],
    ['by its whole code before a part of it', { code: 'Limit.Daily' }, 'no_quota'],
    ['by its text, where the code has several meanings', { code: 'unclear', message: 'Too many in the queue' }, 'rate_limited'],
  ] as const)('is classified %s', (_, fields, kind) => {
    expect(classified(failed({ ...fields, kind: 'unavailable' }), rules)).toEqual(failed({ ...fields, kind }))
  })

  test('gets OpenAI’s code, if it is about the context or the content', () => {
    const long = failed({ type: 'invalid_request_error', message: 'over the token limit' })
    expect(classified(long, rules)).toEqual({ ...long, param: 'messages', code: 'context_length_exceeded' })
    expect(classified(failed({ kind: 'unavailable' }), rules, 451)).toEqual(failed({ code: 'content_filter' }))
  })

  test('is classified once: a second time changes nothing', () => {
    const once = classified(failed({ kind: 'forbidden' }), { ...rules, x: 'no_quota' }, 403)
    expect(classified(once, { ...rules, '403': 'unavailable' }, 403)).toEqual(once)
  })
})

describe('an error that is not in the table', () => {
  test.each([
    ['another code', { code: 'other' }],
    ['a code whose texts do not fit', { code: 'unclear', message: 'no' }],
    ['a name that every object has', { code: 'constructor' }],
    ['no code', {}],
  ] as const)('is left as it is: %s', (_, fields) => {
    expect(classified(failed(fields), rules, 400)).toEqual(failed(fields))
    expect(classified(failed(fields), undefined, 403)).toEqual(failed(fields))
  })
})

describe('a limit', () => {
  const message = 'Rate limit reached. Please try again in 4.2s.'

  test('has the time that its message names, with and without a table', () => {
    expect(classified(failed({ kind: 'rate_limited', message }), undefined).retryAfterSeconds).toBe(5)
    expect(classified(failed({ code: 'Limit', message }), rules).retryAfterSeconds).toBe(5)
    const body = JSON.stringify({ error: { message, type: 'tokens', code: 'rate_limit_exceeded' } })
    expect(readFailureOf(openai, undefined, { status: 429, body })).toMatchObject({ kind: 'rate_limited', retryAfterSeconds: 5 })
  })

  test('keeps the time that the vendor named elsewhere', () => {
    expect(classified(failed({ kind: 'rate_limited', message, retryAfterSeconds: 9 }), undefined).retryAfterSeconds).toBe(9)
  })

  test('is needed: a time in the text of another error means nothing', () => {
    expect(classified(failed({ kind: 'unavailable', message }), undefined).retryAfterSeconds).toBeUndefined()
  })
})

describe('a response with an error', () => {
  test('is classified by its status, if it is the vendor’s JSON', () => {
    const body = '{"error":{"message":"too long"}}'
    expect(readFailureOf(openai, rules, { status: 403, body })).toMatchObject({ kind: 'bad_request', code: 'context_length_exceeded' })
  })

  test('keeps its class, if it is the page of a proxy', () => {
    expect(readFailureOf(openai, rules, { status: 403, body: '<html>blocked</html>' }).kind).toBe('forbidden')
  })

  test('has the type that vendors call a reason or a status text', () => {
    const reasoned = readFailureOf(openai, { quota_used_up: 'no_quota' }, { status: 403, body: '{"code":403,"reason":"quota_used_up"}' })
    expect(reasoned).toMatchObject({ kind: 'no_quota', type: 'quota_used_up', code: '403' })
    const worded = readFailureOf(openai, { unAuthApiKey: 'bad_key' }, { status: 500, body: '{"code":514,"statusText":"unAuthApiKey"}' })
    expect(worded.kind).toBe('bad_key')
  })
})
