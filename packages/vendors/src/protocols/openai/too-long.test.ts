import { expect, test } from 'bun:test'
import { withStatus } from '../../../test/failures.ts'
import type { JsonObject } from '../../core/json.ts'
import { vendorByType } from '../../registry/list.ts'

const openai = "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens."

/** Errors without OpenAI's code. The last one has the status of an older server. */
const tooLong: ReadonlyArray<readonly [number, JsonObject]> = [
  [400, { error: { message: openai, type: 'invalid_request_error', param: 'messages', code: null } }],
  [400, { object: 'error', message: openai, type: 'BadRequestError', param: null, code: 400 }],
  [400, { object: 'error', message: "The input (9000 tokens) is longer than the model's context length (8192 tokens).", code: 400 }],
  // A vendor behind custom channels has a sentence where others have a code.
  [
    400,
    {
      code: 'Client specified an invalid argument',
      error: "This model's maximum prompt length is 131072 but the request contains 136973 tokens.",
    },
  ],
  [
    400,
    {
      code: 'Client specified an invalid argument',
      error: 'Failed to start sampling: [input_too_large] Current message (1149677 tokens) exceeds budget (975424 tokens)',
    },
  ],
  [
    400,
    {
      error: {
        code: 400,
        message: 'request (9000 tokens) exceeds the available context size (8192 tokens)',
        type: 'exceed_context_size_error',
      },
    },
  ],
  [500, { error: { code: 500, message: 'the request exceeds the available context size.', type: 'exceed_context_size_error' } }],
]

// Custom servers, and resellers that repeat the errors of others.
test.each([1, 2, 3, 8, 9, 13, 23, 29, 32].flatMap((type) => tooLong.map(([status, body]) => [type, status, body] as const)))(
  'type %d: a prompt that is too long has the code that clients know (%d)',
  (type, status, body) => {
    const vendor = vendorByType(type)
    expect(vendor === null ? null : withStatus(vendor)(status, body)).toBe('context_length_exceeded')
  },
)

test.each([
  [400, { error: { message: 'The length of a name is 9', type: 'invalid_request_error', code: null } }, 'bad_request'],
  [429, { error: { message: openai, type: 'requests', code: 'rate_limit_exceeded' } }, 'rate_limited'],
  [400, { error: { message: openai, type: 'invalid_request_error', code: 'unknown_parameter' } }, 'bad_request'],
] as const)('another error has not (%d %p)', (status, body, meaning) => {
  const vendor = vendorByType(8)
  expect(vendor === null ? null : withStatus(vendor)(status, body)).toBe(meaning)
})
