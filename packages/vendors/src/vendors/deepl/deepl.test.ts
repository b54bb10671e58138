import { describe, expect, test } from 'bun:test'
import { targetOf } from '../../../test/channel.ts'
import { readFailureOf } from '../../core/failure-rules.ts'
import type { JsonObject } from '../../core/json.ts'
import { addressed } from '../../registry/channel-facts.ts'
import { deepl } from './chat.ts'
import { deeplVendor } from './vendor.ts'

const ask = (chat: JsonObject, model = 'deepl-en') =>
  deepl.request({ messages: [{ role: 'user', content: 'Grüße 🙂' }], ...chat }, targetOf({ model }))

describe('a translation', () => {
  test('is of the last message, into the language of the model', () => {
    const messages = [
      { role: 'system', content: 'A letter.' },
      { role: 'user', content: 'Old' },
      { role: 'user', content: [{ type: 'text', text: 'Hallo' }] },
    ]
    expect(ask({ messages, formality: 'more' }).body).toEqual({
      text: ['Hallo'],
      target_lang: 'EN-US',
      context: 'A letter.',
      formality: 'more',
    })
  })

  test.each([
    ['deepl-zh', 'ZH'],
    ['deepl-pt', 'PT-BR'],
    ['deepl-pt-pt', 'PT-PT'],
    ['deepl-zh-hans', 'ZH-HANS'],
    ['deepl', 'ZH'],
  ])('by %s is into %s', (model, language) => {
    expect(ask({}, model).body['target_lang']).toBe(language)
  })

  test('is refused with images, tools and schemas', () => {
    const image = [{ type: 'image_url', image_url: { url: 'data:,' } }]
    expect(ask({ messages: [{ role: 'user', content: image }] }).refused).toBe('messages')
    expect(ask({ tools: [{}] }).refused).toBe('tools')
    expect(ask({ stop: 'END' }).refused).toBe('stop')
    expect(ask({ stop: ['', ''] }).refused).toBeUndefined()
    expect(ask({ response_format: { type: 'json_object' } }).refused).toBe('response_format')
  })

  test('is charged by the characters of its text', () => {
    const { echo } = ask({})
    const response = deepl.response(
      { translations: [{ detected_source_language: 'DE', text: 'Hi' }] },
      { id: 'i', created: 1, model: 'm', echo },
    )
    expect(response).toMatchObject({
      usage: { promptTokens: 6, completionTokens: 1 },
      response: { choices: [{ message: { content: 'Hi' } }] },
    })
    expect(deepl.response({ translations: [] }, { id: 'i', created: 1, model: 'm' })).toBeNull()
  })
})

test('the host is that of the key’s plan, unless the channel names one', () => {
  const hostOf = (key: string, baseUrl = '') => addressed(deeplVendor, { baseUrl, key, config: '', other: '' })?.facts.baseUrl
  expect([hostOf('k:fx'), hostOf('k'), hostOf('k:fx', 'https://own.example')]).toEqual([
    'https://api-free.deepl.com',
    'https://api.deepl.com',
    'https://own.example',
  ])
})

test.each([
  [400, 'Value for target_lang not supported', 'bad_request'],
  [403, 'Wrong endpoint or authorization failed', 'bad_key'],
  [404, 'Not found', 'model_not_found'],
  [413, 'Request too large', 'bad_request'],
  [429, 'Too many requests', 'rate_limited'],
  [456, 'Quota exceeded', 'no_quota'],
  [503, 'Resource currently unavailable', 'unavailable'],
  [529, 'Too many requests', 'rate_limited'],
] as const)('an error of status %d (%s) is %s', (status, message, kind) => {
  expect(readFailureOf(deepl, deeplVendor.failures, { status, body: JSON.stringify({ message }) })).toMatchObject({ kind, message })
})
