import { describe, expect, test } from 'bun:test'
import type { Failure } from '../../core/failure.ts'
import type { RequestRule } from '../../core/request-rule.ts'
import { isLasting, learnRule } from './learned-rules.ts'

const failureOf = (message: string, more: Partial<Failure> = {}): Failure => ({
  ...{ kind: 'bad_request', message, type: null, param: null, code: null },
  ...more,
})

const body = { temperature: 0.2, seed: 7, messages: [{ role: 'assistant', content: 'a', reasoning_content: 'b', refusal: null }] }

const outputMax = (tokens: number): RequestRule => ({ rule: 'output-max', tokens })
const without = (parameter: Extract<RequestRule, { rule: 'without' }>['parameter']): RequestRule => ({ rule: 'without', parameter })

const errors: ReadonlyArray<readonly [message: string, rule: RequestRule, more?: Partial<Failure>]> = [
  ['max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.', outputMax(16_384)],
  ["Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 16384, but got 32000 instead.", outputMax(16_384)],
  ['Invalid max_tokens value, the valid range of max_tokens is [1, 8192]', outputMax(8_192)],
  ['<400> InternalError.Algo.InvalidParameter: Range of max_tokens should be [1, 8192]', outputMax(8_192)],
  [
    '`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window`',
    outputMax(8_192),
  ],
  ['max_tokens: 32000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-haiku-20241022', outputMax(8_192)],
  [
    'The maximum tokens you requested exceeds the model limit of 10000. Try again with a maximum tokens value that is lower than 10000.',
    outputMax(10_000),
  ],
  ['it has a maxOutputTokens value of 70000 but the supported range is from 1 (inclusive) to 65537 (exclusive).', outputMax(65_536)],
  [
    "This model's maximum context length is 32768 tokens. However, you requested 40123 tokens (8123 in the messages, 32000 in the completion).",
    { rule: 'room', tokens: 24_645 },
  ],
  [
    "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 32768 tokens and your request has 8123 input tokens (32000 > 32768 - 8123).",
    { rule: 'room', tokens: 24_645 },
  ],
  [
    "Requested token count exceeds the model's maximum context length of 32768 tokens. You requested a total of 40123 tokens: 8123 tokens from the input messages and 32000 tokens for the completion.",
    { rule: 'room', tokens: 24_645 },
  ],
  [
    'Input validation error: `inputs` tokens + `max_new_tokens` must be <= 32768. Given: 8123 `inputs` tokens and 32000 `max_new_tokens`',
    { rule: 'room', tokens: 24_645 },
  ],
  ['input length and `max_tokens` exceed context limit: 184915 + 20000 > 200000, decrease input length', { rule: 'room', tokens: 15_085 }],
  [
    "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
    without('temperature'),
    { param: 'temperature', code: 'unsupported_value' },
  ],
  ["Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.", without('max_tokens')],
  ['Unrecognized request argument supplied: max_completion_tokens', without('max_completion_tokens')],
  ["Unsupported parameter: 'stop' is not supported with this model.", without('stop'), { param: 'stop', code: 'unsupported_parameter' }],
  ['Unrecognized request argument supplied: parallel_tool_calls', without('parallel_tool_calls')],
  [
    "messages.2.assistant.reasoning_content: property 'messages.2.assistant.reasoning_content' is unsupported",
    { rule: 'without-members', members: ['reasoning_content'] },
  ],
  ["Unknown parameter: 'messages[2].refusal'.", { rule: 'without-members', members: ['refusal'] }],
  ['`temperature` is deprecated for this model.', without('temperature')],
  ['seed: Extra inputs are not permitted', without('seed')],
  ['`temperature` and `top_p` cannot both be specified for this model. Please use only one.', { rule: 'one-sampling' }],
  ['System message must be at the beginning.', { rule: 'instructions', place: 'first' }],
  ['Jinja Exception: System message must be at the beginning.', { rule: 'instructions', place: 'first' }, { kind: 'unavailable' }],
  ['System role not supported', { rule: 'instructions', place: 'user' }],
  ['Unexpected message role.', { rule: 'no-developer' }],
  ["'messages' must contain the word 'json' in some form, to use 'response_format' of type 'json_object'.", { rule: 'json-word' }],
  ['Requests ending with a model turn are not supported.', { rule: 'user-last' }],
  ['"thinking.type.enabled" is not supported for this model.', { rule: 'thinking', form: 'adaptive' }],
  ['system.0.cache_control.ephemeral.scope: Extra inputs are not permitted', { rule: 'cloud-marks' }],
  ['A maximum of 4 blocks with cache_control may be provided. Found 5.', { rule: 'few-marks' }],
  ['messages.0.content.0.cache_control: Extra inputs are not permitted', { rule: 'no-marks' }],
  ['adaptive thinking is not supported on this model', { rule: 'thinking', form: 'budget' }],
]

describe('an error teaches', () => {
  test.each(errors.map(([message, rule, more = {}]) => [message, { rule, more }] as const))('%s', (message, { rule, more }) => {
    expect(learnRule(failureOf(message, more), { model: 'team-chat', body })).toEqual(rule)
  })

  test('nothing, where a value or something else is wrong', () => {
    const messages = [
      'temperature must be between 0 and 1, 1.5 is not supported',
      'The user is not allowed to do this',
      'prompt is too long: 210000 tokens > 200000 maximum',
      "This model's maximum context length is 32768 tokens. However, you requested 40768 tokens (32700 in the messages, 8068 in the completion).",
      'max_tokens is invalid',
      'max_tokens is too large. This model supports at most 3 completion tokens.',
      '',
    ]
    expect(messages.map((message) => learnRule(failureOf(message), { model: 'm', body }))).toEqual(messages.map(() => null))
    expect(learnRule(failureOf("Unsupported parameter: 'temperature'", { kind: 'unavailable' }), { model: 'm', body })).toBeNull()
  })

  test('nothing of a text that may repeat the words of the client', () => {
    const failure = failureOf("temperature: Input should be a valid number, input 'is not supported'")
    expect(learnRule(failure, { model: 'm', body: { temperature: 'is not supported' } })).toBeNull()
    expect(learnRule(failure, { model: 'm', body: { temperature: 99 } })).toBeNull()
    expect(learnRule(failure, { model: 'm', body: { generationConfig: { temperature: 1 } } })).toEqual(without('temperature'))
    expect(learnRule(failureOf("reasoning_effort 'x is not supported'"), { model: 'm', body: { reasoning_effort: 'x' } })).toBeNull()
  })

  test('no other name of a limit, where the model has one name only', () => {
    const failure = failureOf('Unrecognized request argument supplied: max_completion_tokens')
    expect(learnRule(failure, { model: 'gpt-5', body })).toBeNull()
  })

  test('what is left beside one prompt holds for that request alone', () => {
    expect([isLasting({ rule: 'room', tokens: 1 }), isLasting(outputMax(1))]).toEqual([false, true])
  })
})
