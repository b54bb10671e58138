import { describe, expect, test } from 'bun:test'
import fc from 'fast-check'
import type { JsonObject } from '../../core/json.ts'
import { errorIn, readFailure } from './failure.ts'

const reasonOf = (reason: string) => ({ details: [{ '@type': 'type.googleapis.com/google.rpc.ErrorInfo', reason }] })
const delay = { details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '34.4s' }] }
const usedUp = (quotaId: string) => ({
  details: [{ '@type': 'type.googleapis.com/google.rpc.QuotaFailure', violations: [{ quotaId }] }, ...delay.details],
})

/** Gemini API, "Troubleshooting", and Google Cloud, "Errors", stored copies read 2026-11-22. */
const rows: ReadonlyArray<readonly [number, string, string, JsonObject, object]> = [
  [400, 'INVALID_ARGUMENT', 'Invalid value at contents', {}, { kind: 'bad_request', code: null }],
  [400, 'INVALID_ARGUMENT', 'API key not valid. Please pass a valid API key.', reasonOf('API_KEY_INVALID'), { kind: 'bad_key' }],
  [400, 'INVALID_ARGUMENT', 'API key expired. Please renew the API key.', {}, { kind: 'bad_key' }],
  [
    400,
    'INVALID_ARGUMENT',
    'The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).',
    {},
    { kind: 'bad_request', code: 'context_length_exceeded', param: 'messages' },
  ],
  [400, 'INVALID_ARGUMENT', 'Function call is missing a thought_signature in functionCall parts', {}, { kind: 'bad_request' }],
  [400, 'FAILED_PRECONDITION', 'User location is not supported for the API use.', {}, { kind: 'forbidden' }],
  [401, 'UNAUTHENTICATED', 'Request had invalid authentication credentials.', {}, { kind: 'bad_key' }],
  [403, 'PERMISSION_DENIED', 'Your API key was reported as leaked. Please use another API key.', {}, { kind: 'bad_key' }],
  [403, 'PERMISSION_DENIED', 'Permission denied: Consumer has been suspended.', reasonOf('CONSUMER_SUSPENDED'), { kind: 'bad_key' }],
  [403, 'PERMISSION_DENIED', 'The API is disabled.', reasonOf('SERVICE_DISABLED'), { kind: 'bad_key' }],
  [403, 'PERMISSION_DENIED', 'This API method requires billing to be enabled.', reasonOf('BILLING_DISABLED'), { kind: 'no_quota' }],
  [403, 'PERMISSION_DENIED', "Permission 'aiplatform.endpoints.predict' denied", reasonOf('IAM_PERMISSION_DENIED'), { kind: 'forbidden' }],
  [404, 'NOT_FOUND', 'models/x is not found for API version v1beta', {}, { kind: 'model_not_found' }],
  [429, 'RESOURCE_EXHAUSTED', 'You exceeded your current quota', delay, { kind: 'rate_limited', retryAfterSeconds: 35 }],
  [
    429,
    'RESOURCE_EXHAUSTED',
    'Quota of a minute',
    usedUp('GenerateRequestsPerMinutePerProjectPerModel'),
    { kind: 'rate_limited', retryAfterSeconds: 35 },
  ],
  [
    429,
    'RESOURCE_EXHAUSTED',
    'Quota of a day',
    usedUp('GenerateRequestsPerDayPerProjectPerModel-FreeTier'),
    { kind: 'rate_limited', retryAfterSeconds: 60 },
  ],
  [429, 'RESOURCE_EXHAUSTED', 'Resource has been exhausted', {}, { kind: 'rate_limited' }],
  [
    429,
    'RESOURCE_EXHAUSTED',
    'Your prepayment credits are depleted. Please go to AI Studio to manage your project and billing.',
    {},
    { kind: 'no_quota' },
  ],
  [429, 'RESOURCE_EXHAUSTED', 'Slow down: “Your prepayment credits are depleted.”', {}, { kind: 'rate_limited' }],
  [400, 'INVALID_ARGUMENT', 'Your prepayment credits are depleted.', {}, { kind: 'bad_request' }],
  [500, 'INTERNAL', 'An internal error has occurred.', {}, { kind: 'unavailable' }],
  [503, 'UNAVAILABLE', 'The model is overloaded.', {}, { kind: 'unavailable' }],
  [504, 'DEADLINE_EXCEEDED', 'The request timed out.', {}, { kind: 'unavailable' }],
]

describe('an error', () => {
  test.each(rows)('of status %d with %s that reads “%s” is classed', (status, name, message, more, expected) => {
    const body = { error: { code: status, status: name, message, ...more } }
    expect(readFailure(status, JSON.stringify(body))).toMatchObject({ type: name, message, ...expected })
    expect(readFailure(status, JSON.stringify([body]))).toEqual(readFailure(status, JSON.stringify(body)))
    // The status of a response that began is 200: a bare 401 in it is not about the key.
    const isBare = status === 401
    expect(errorIn(body)).toMatchObject(isBare ? { kind: 'forbidden' } : expected)
  })

  test('about a credential that is missing is not about the key, which is always sent', () => {
    const body = { error: { code: 401, status: 'UNAUTHENTICATED', message: 'missing', ...reasonOf('CREDENTIALS_MISSING') } }
    expect(readFailure(401, JSON.stringify(body)).kind).toBe('forbidden')
    const expired = { error: { code: 401, status: 'UNAUTHENTICATED', message: 'expired', ...reasonOf('ACCESS_TOKEN_EXPIRED') } }
    expect(errorIn(expired)?.kind).toBe('bad_key')
  })

  test('of any body becomes a failure with a message', () => {
    fc.assert(
      fc.property(fc.integer({ min: 300, max: 599 }), fc.oneof(fc.string(), fc.json()), (status, body) => {
        expect(readFailure(status, body).message).not.toBe('')
      }),
    )
  })

  test('is none in a response', () => {
    for (const json of [undefined, null, 1, [], {}, { candidates: [] }]) expect(errorIn(json)).toBeNull()
  })
})
