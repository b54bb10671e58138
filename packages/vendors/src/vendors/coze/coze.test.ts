import { describe, expect, test } from 'bun:test'
import { targetOf } from '../../../test/channel.ts'
import { classified, readFailureOf } from '../../core/failure-rules.ts'
import type { JsonObject } from '../../core/json.ts'
import type { ResponseContext } from '../../core/response.ts'
import { addressed } from '../../registry/channel-facts.ts'
import { coze } from './chat.ts'
import { cozeVendor } from './vendor.ts'

const context: ResponseContext = { id: 'chatcmpl-1', created: 1, model: 'm' }
const channel = { baseUrl: 'https://api.coze.com', key: 'k', config: { user_id: 'u-1' }, other: '' }
const ask = (chat: JsonObject, params = {}) =>
  coze.request({ messages: [{ role: 'user', content: 'Hi' }], ...chat }, targetOf({ model: 'bot-7379', channel, ...params }))
const bodyFor = (messages: readonly JsonObject[], more: JsonObject = {}) =>
  ask({ messages: [...messages], ...more }).body['additional_messages']

describe('a request', () => {
  test('names the bot and the user, streams, and stores nothing', () => {
    expect(ask({ temperature: 1, max_tokens: 9, custom_variables: { city: 'Porto' } })).toMatchObject({ path: '/v3/chat' })
    expect(ask({ temperature: 1, max_tokens: 9, custom_variables: { city: 'Porto' } }).body).toEqual({
      bot_id: '7379',
      user_id: 'u-1',
      stream: true,
      auto_save_history: false,
      additional_messages: [{ role: 'user', type: 'question', content_type: 'text', content: 'Hi' }],
      custom_variables: { city: 'Porto' },
    })
    const other = { ...channel, config: {} }
    expect(ask({ user: 'ann' }, { channel: other }).body['user_id']).toBe('ann')
  })

  test.each([
    ['bot-7', '8', '7'],
    ['coze-7', '8', '7'],
    ['7', '', '7'],
    ['travel-guide', '8', '8'],
  ])('for the model %s on a channel of the bot %p is for the bot %s', (model, other, bot) => {
    expect(ask({}, { model, channel: { ...channel, other } }).body['bot_id']).toBe(bot)
  })

  test('has instructions at the beginning of the next message of the user', () => {
    const messages = [
      { role: 'system', content: 'Be brief.' },
      { role: 'user', content: 'One' },
      { role: 'assistant', content: 'Two' },
      { role: 'developer', content: 'Be kind.' },
      { role: 'user', content: [{ type: 'text', text: 'Three' }] },
    ]
    expect(bodyFor(messages)).toMatchObject([
      { role: 'user', type: 'question', content: 'Be brief.\n\nOne' },
      { role: 'assistant', type: 'answer', content: 'Two' },
      { role: 'user', type: 'question', content: 'Be kind.\n\nThree' },
    ])
    expect(bodyFor([{ role: 'system', content: 'Alone' }])).toMatchObject([{ role: 'user', content: 'Alone' }])
    const format = { response_format: { type: 'json_schema', json_schema: { schema: { type: 'object' } } } }
    expect(bodyFor([{ role: 'user', content: 'Hi' }], format)).toMatchObject([{ content: expect.stringContaining('{"type":"object"}') }])
  })

  test('has images by their address', () => {
    const inputImage = (url: string) => ({
      role: 'user',
      content: [
        { type: 'text', text: 'This?' },
        { type: 'image_url', image_url: { url } },
      ],
    })
    const [message] = [bodyFor([inputImage('https://pictures.example/a.png')])].flat()
    expect(message).toMatchObject({ content_type: 'object_string' })
    expect(message).toHaveProperty(
      'content',
      JSON.stringify([
        { type: 'text', text: 'This?' },
        { type: 'image', file_url: 'https://pictures.example/a.png' },
      ]),
    )
    expect(ask({ messages: [inputImage('data:image/png;base64,AAAA')] }).refused).toBe('messages')
  })

  const called = { role: 'assistant', content: null, tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }] }
  test.each([
    ['tools', { tools: [{ type: 'function', function: { name: 'f' } }] }],
    ['functions', { functions: [{ name: 'f' }] }],
    ['stop', { stop: ['END'] }],
    ['messages', { messages: [] }],
    ['messages', { messages: [{ role: 'user', content: 'Hi' }, called] }],
    ['messages', { messages: [{ role: 'tool', tool_call_id: 'c', content: 'dry' }] }],
    ['messages', { messages: [{ role: 'user', content: [{ type: 'input_audio', input_audio: {} }] }] }],
  ])('is refused for %s that the bot cannot have', (field, chat) => {
    expect(ask(chat).refused).toBe(field)
  })

  test('that forbids its tools or asks for one choice is not refused', () => {
    expect(ask({ tools: [{ type: 'function', function: { name: 'f' } }], tool_choice: 'none', n: 1, stop: [] })).not.toHaveProperty(
      'refused',
    )
  })
})

/** The chunks of these events, the first failure, and the end. */
function read(...events: ReadonlyArray<readonly [string | undefined, JsonObject | string]>) {
  const stream = coze.stream(context)
  const steps = events.map(([name, data]) => stream.event(JSON.stringify(data), name))
  const text = steps.map((step) => step.text).join('')
  return { text, last: steps.at(-1), failure: steps.find((step) => step.failure !== null)?.failure, end: stream.end() }
}

describe('a stream', () => {
  const delta = ['conversation.message.delta', { id: '1', type: 'answer', content: 'Hi' }] as const
  const completed = ['conversation.chat.completed', { usage: { token_count: 140, output_count: 11, input_count: 129 } }] as const

  test('has the response once, without what the bot did for it', () => {
    const { text, last, end } = read(
      ['conversation.chat.created', { status: 'created' }],
      ['conversation.message.completed', { id: '0', type: 'function_call', content: '{"name":"f"}' }],
      delta,
      ['conversation.message.completed', { id: '1', type: 'answer', content: 'Hi' }],
      ['conversation.message.completed', { id: '2', type: 'answer', content: ' there' }],
      ['conversation.message.completed', { id: '3', type: 'follow_up', content: 'And now?' }],
      completed,
      ['done', '[DONE]'],
    )
    expect({ text, isLast: last?.isLast }).toEqual({ text: 'Hi there', isLast: true })
    expect(end).toMatchObject({ complete: true, usage: { promptTokens: 129, completionTokens: 11 } })
  })

  const whole = ['conversation.message.completed', { id: '1', type: 'answer', content: 'Hi there' }] as const
  test.each([
    ['after its pieces', [delta, ['conversation.message.delta', { id: '1', type: 'answer', content: ' there' }] as const, whole]],
    ['alone', [whole]],
    ['twice', [whole, whole]],
  ])('has the text of a message once if it comes whole %s', (_when, events) => {
    const { text, end } = read(...events, completed)
    expect([text, end.complete]).toEqual(['Hi there', true])
  })

  test('without its end is not complete, and counts of zero are none', () => {
    expect(read(delta, ['done', '[DONE]']).end).toEqual({ complete: false, usage: null })
    expect(read(delta, ['conversation.chat.completed', { usage: { output_count: 0, input_count: 0 } }]).end).toEqual({
      complete: true,
      usage: null,
    })
    const odd = read(delta, ['conversation.chat.completed', { usage: { output_count: -1, input_count: 2 } }])
    expect(odd.end).toMatchObject({ usage: { isSuspect: true } })
  })

  test.each([
    ['conversation.chat.failed', { last_error: { code: 4028, msg: 'used up' } }, 'no_quota', 'used up'],
    ['conversation.chat.failed', { last_error: { code: 0, msg: '' } }, 'unavailable', 'the upstream service reported an error'],
    ['conversation.chat.canceled', {}, 'unavailable', 'the vendor has canceled the chat'],
    ['error', { code: 4013, msg: 'slow down' }, 'rate_limited', 'slow down'],
    [undefined, { code: 4101, msg: 'token incorrect' }, 'bad_key', 'token incorrect'],
  ])('fails by %p', (name, data, kind, message) => {
    const { failure } = read(delta, [name, data])
    expect(classified(failure ?? expect.unreachable(), cozeVendor.failures)).toMatchObject({ kind, message })
  })

  test('fails if the bot waits for the client', () => {
    expect(read(['conversation.chat.requires_action', { required_action: {} }]).failure).toMatchObject({ kind: 'bad_request' })
  })

  test('takes garbage', () => {
    const stream = coze.stream(context)
    for (const [data, name] of [
      ['{', 'error'],
      ['[]', 'conversation.chat.completed'],
      ['null', undefined],
      ['1', 'toString'],
    ] as const)
      expect(() => stream.event(data, name)).not.toThrow()
  })
})

/** Errors come with status 200, and some with their own. */
test.each([
  [200, 4000, 'Request parameter error', 'bad_request'],
  [404, 4000, 'Not found', 'model_not_found'],
  [200, 4001, 'Invalid chat', 'bad_request'],
  [200, 4004, 'too many additional messages', 'bad_request'],
  [200, 4006, 'invalid bot', 'model_not_found'],
  [200, 4008, 'the bot was used too often today', 'rate_limited'],
  [200, 4009, 'the system has reached its limit', 'rate_limited'],
  [200, 4011, 'the balance of Coze tokens is too low', 'no_quota'],
  [200, 4012, 'invalid model', 'model_not_found'],
  [200, 4013, 'Your requests have exceeded the rate limit', 'rate_limited'],
  [200, 4013, 'the model failed', 'unavailable'],
  [200, 4014, 'the question cannot be answered', 'bad_request'],
  [200, 4016, 'a chat is running', 'unavailable'],
  [200, 4019, 'the account is in arrears', 'no_quota'],
  [200, 4020, 'more than the requests a minute that were bought', 'rate_limited'],
  [200, 4021, 'no workflow', 'model_not_found'],
  [200, 4022, 'the model is in arrears', 'no_quota'],
  [200, 4102, 'blocked by risk control', 'forbidden'],
  [200, 4200, 'resource not found', 'model_not_found'],
  [200, 4015, 'The bot_id has not been published to the channel Agent As API', 'model_not_found'],
  [200, 4028, 'Your free quota is used up', 'no_quota'],
  [200, 4100, 'authentication is invalid', 'bad_key'],
  [200, 4101, 'token incorrect', 'bad_key'],
  [200, 4101, 'The token you entered is incorrect. Please check the token', 'bad_key'],
  [200, 4101, 'no permission to access the resource', 'forbidden'],
  [401, 700012006, 'access token invalid', 'bad_key'],
  [200, 700012006, 'access token invalid', 'bad_key'],
  [200, 5000, 'internal server error', 'unavailable'],
  [200, 9999, 'something new', 'unavailable'],
  [429, 1, 'too many requests', 'rate_limited'],
] as const)('an error of status %d and code %d (%s) is %s', (status, code, msg, kind) => {
  const body = { code, msg, detail: { logid: 'l' } }
  const read =
    status === 200 ? coze.response(body, context) : readFailureOf(coze, cozeVendor.failures, { status, body: JSON.stringify(body) })
  const failure = read !== null && 'kind' in read ? classified(read, cozeVendor.failures) : null
  expect(failure).toMatchObject({ kind, message: msg })
})

test.each([
  [4010, 'the prompt has too many tokens', 'context_length_exceeded'],
  [4105, 'sensitive content', 'content_filter'],
])('an error of code %d has OpenAI’s code', (code, msg, own) => {
  const read = coze.response({ code, msg }, context)
  expect(read !== null && 'kind' in read ? classified(read, cozeVendor.failures) : null).toMatchObject({ kind: 'bad_request', code: own })
})

test('a whole response that is no error is none', () => {
  expect(coze.response({ code: 0, msg: '', data: { status: 'in_progress' } }, context)).toBeNull()
  expect(coze.response([], context)).toBeNull()
})

test('the host is that of the region, unless the channel names one', () => {
  const hostOf = (region: string, baseUrl = '') =>
    addressed(cozeVendor, { baseUrl, key: 'k', config: JSON.stringify({ region }), other: '' })?.facts.baseUrl
  expect([hostOf(''), hostOf('cn'), hostOf('CN-north'), hostOf('cn', 'https://own.example')]).toEqual([
    'https://api.coze.com',
    'https://api.coze.cn',
    'https://api.coze.cn',
    'https://own.example',
  ])
})
