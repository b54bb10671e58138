import { describe, expect, test } from 'bun:test'
import { readFailureOf } from '../../core/failure-rules.ts'
import { addressAt } from '../../core/join-url.ts'
import type { JsonObject } from '../../core/json.ts'
import { addressed } from '../../registry/channel-facts.ts'
import { dialectOf } from '../../registry/dialect-of.ts'
import { buildRequest } from '../../registry/request/build-request.ts'
import { cloudflare } from './vendor.ts'

const channelOf = (config: string, baseUrl = '') => addressed(cloudflare, { baseUrl, key: 'token', config, other: '' })

describe('the address', () => {
  test.each(['', 'https://api.cloudflare.com', 'https://api.cloudflare.com/'])(
    'has the account where the channel gives "%s"',
    (baseUrl) => {
      const channel = channelOf('{"user_id":"0123abc"}', baseUrl)
      if (channel === null) throw new Error('there is no address')
      const urlOf = (kind: 'chat' | 'embeddings') =>
        addressAt(channel.facts.baseUrl, buildRequest(channel.vendor, {}, { kind, model: 'm', stream: false, channel: channel.facts }).path)
      const account = 'https://api.cloudflare.com/client/v4/accounts/0123abc/ai/v1'
      expect([urlOf('chat'), urlOf('embeddings')]).toEqual([`${account}/chat/completions`, `${account}/embeddings`])
    },
  )

  test('is missing without an account, unless the channel gives one', () => {
    expect(channelOf('')).toBeNull()
    expect(channelOf('{"user_id":"../x"}')).toBeNull()
    expect(channelOf('', 'https://api.cloudflare.com')).toBeNull()
    expect(channelOf('', 'https://gateway.ai.cloudflare.com/v1/a/g/workers-ai')).not.toBeNull()
  })
})

describe('an error', () => {
  const dialect = dialectOf(cloudflare, 'chat')
  if (dialect === null) throw new Error('there are no chats')

  test.each([
    [401, 10000, 'Authentication error', 'bad_key'],
    [400, 5007, 'No such model', 'model_not_found'],
    [403, 5018, 'This account is not allowed to access this model', 'forbidden'],
    [403, 5016, 'You must agree to the terms of the model', 'forbidden'],
    [429, 3036, 'You have used up your daily free allocation of neurons', 'rate_limited'],
    [429, 3040, 'Capacity temporarily exceeded, please try again', 'unavailable'],
    [408, 3007, 'Request timeout', 'unavailable'],
    [400, 5004, 'Invalid data sent', 'bad_request'],
  ] as const)('of status %d and code %d (%s) is %s', (status, code, message, kind) => {
    const body = JSON.stringify({ error: { message, code, type: 'api_error' } })
    expect(readFailureOf(dialect, cloudflare.failures, { status, body })).toMatchObject({ kind, message })
  })

  test('that says that the neurons of the day are used up keeps requests away for the longest pause', () => {
    const body = JSON.stringify({ error: { message: 'You have used up your daily free allocation of neurons', code: 3036 } })
    expect(readFailureOf(dialect, cloudflare.failures, { status: 429, body }).retryAfterSeconds).toBe(60)
  })
})

test('a chat without a limit gets one that is longer than the vendor’s own', () => {
  const channel = channelOf('{"user_id":"0123abc"}')
  if (channel === null) throw new Error('there is no address')
  const limitOf = (chat: JsonObject) =>
    buildRequest(channel.vendor, chat, { kind: 'chat', model: 'm', stream: false, channel: channel.facts }).body['max_tokens']
  expect([limitOf({}), limitOf({ max_tokens: 9 }), limitOf({ max_completion_tokens: 7 })]).toEqual([2_048, 9, 7])
})
