import { describe, expect, test } from 'bun:test'
import { cryptoFunctions as crypto } from '../../../test/crypto.ts'
import { authHeaders } from '../../core/auth.ts'
import { readFailureOf } from '../../core/failure-rules.ts'
import { addressAt } from '../../core/join-url.ts'
import type { Kind } from '../../core/kind.ts'
import { anthropic } from '../../protocols/anthropic/dialect.ts'
import { addressed } from '../../registry/channel-facts.ts'
import { dialectOf } from '../../registry/dialect-of.ts'
import { buildRequest } from '../../registry/request/build-request.ts'
import { askEntraToken } from './credential.ts'
import { azure } from './vendor.ts'

function urlOf(kind: Kind, { model = 'gpt-4.1', baseUrl = 'https://r.openai.azure.com', other = '' } = {}) {
  const channel = addressed(azure, { baseUrl, key: 'key', config: '', other })
  if (channel === null) throw new Error('there is no address')
  const params = { kind, model, stream: false, channel: channel.facts } as const
  return addressAt(channel.facts.baseUrl, buildRequest(channel.vendor, { messages: [] }, params).path)
}

describe('the address', () => {
  const version = '?api-version=2024-03-01-preview'

  test.each([
    ['chat', 'deployments/gpt-4.1/chat/completions'],
    ['completions', 'deployments/gpt-4.1/completions'],
    ['embeddings', 'deployments/gpt-4.1/embeddings'],
    ['images', 'deployments/gpt-4.1/images/generations'],
    ['image-edits', 'deployments/gpt-4.1/images/edits'],
    ['speech', 'deployments/gpt-4.1/audio/speech'],
    ['transcriptions', 'deployments/gpt-4.1/audio/transcriptions'],
    ['translations', 'deployments/gpt-4.1/audio/translations'],
  ] as const)('of %s names the deployment and the version', (kind, path) => {
    expect(urlOf(kind)).toBe(`https://r.openai.azure.com/openai/${path}${version}`)
  })

  test('has the version of the channel, and the name of the deployment as Azure writes it', () => {
    expect(urlOf('chat', { other: '2024-10-21', model: 'gpt-3.5-turbo' })).toBe(
      'https://r.openai.azure.com/openai/deployments/gpt-35-turbo/chat/completions?api-version=2024-10-21',
    )
    expect(urlOf('realtime', { other: '2025-04-01-preview' })).toBe(
      'https://r.openai.azure.com/openai/realtime?api-version=2025-04-01-preview&deployment=gpt-4.1',
    )
  })

  const root = 'https://r.openai.azure.com/openai'

  test.each([
    ['', 'responses', 'gpt-4.1', `${root}/v1/responses`],
    ['2024-10-21', 'responses', 'gpt-4.1', `${root}/v1/responses`],
    ['2025-03-01-preview', 'responses', 'gpt-4.1', `${root}/responses?api-version=2025-03-01-preview`],
    ['2025-04-01-preview', 'responses', 'gpt-5.6-sol', `${root}/responses?api-version=2025-04-01-preview`],
    ['', 'realtime', 'gpt-realtime', `${root}/v1/realtime`],
    ['2024-10-01-preview', 'realtime', 'gpt-realtime', `${root}/realtime?api-version=2024-10-01-preview&deployment=gpt-realtime`],
    ['', 'chat', 'gpt-5.2', `${root}/v1/chat/completions`],
    ['2024-10-21', 'chat', 'o3', `${root}/v1/chat/completions`],
    ['2024-12-01-preview', 'chat', 'gpt-5.2', `${root}/deployments/gpt-5.2/chat/completions?api-version=2024-12-01-preview`],
    ['', 'chat', 'gpt-4.1', `${root}/deployments/gpt-4.1/chat/completions${version}`],
    ['', 'chat', 'our-deployment', `${root}/deployments/our-deployment/chat/completions${version}`],
  ] as const)('at the version "%s" of %s with %s has no version if that one is too old', (other, kind, model, url) => {
    expect(urlOf(kind, { other, model })).toBe(url)
  })

  test('of a chat with a model that reasons keeps its version at other hosts, whose rules nobody knows', () => {
    expect(urlOf('chat', { model: 'gpt-5.2', baseUrl: 'https://gateway.example' })).toBe(
      `https://gateway.example/openai/deployments/gpt-5.2/chat/completions${version}`,
    )
  })

  test.each([
    { other: 'v1' },
    { baseUrl: 'https://r.openai.azure.com/openai/v1' },
    { baseUrl: 'https://r.openai.azure.com/openai/v1', other: '2024-10-21' },
  ])('of %p is the one without versions', (fields) => {
    expect(urlOf('chat', fields)).toBe('https://r.openai.azure.com/openai/v1/chat/completions')
    expect(urlOf('realtime', fields)).toBe('https://r.openai.azure.com/openai/v1/realtime')
  })

  test('must be given', () => {
    expect(addressed(azure, { baseUrl: '', key: 'key', config: '', other: '' })).toBeNull()
  })
})

describe('Claude', () => {
  test.each([
    ['https://r.openai.azure.com', ''],
    ['https://r.services.ai.azure.com', '2024-10-21'],
    ['https://r.openai.azure.com/openai/v1', ''],
    ['https://r.cognitiveservices.azure.com', 'v1'],
  ])('at %s (%s) is called as Anthropic’s', (baseUrl, other) => {
    expect(urlOf('chat', { model: 'claude-sonnet-5', baseUrl, other })).toBe('https://r.services.ai.azure.com/anthropic/v1/messages')
    expect(dialectOf(azure, 'chat', 'claude-sonnet-5')).toBe(anthropic)
    expect(dialectOf(azure, 'responses', 'claude-sonnet-5')?.fallbackKind).toBe('chat')
    expect(dialectOf(azure, 'responses', 'gpt-4.1')?.fallbackKind).toBeUndefined()
  })
})

describe('a key in three parts', () => {
  const key = 'contoso.example|client-1|the-secret'
  const tokenStep = (baseUrl: string, of = key) =>
    askEntraToken({ baseUrl, key: of, config: {}, other: '', headers: {}, modelsPath: undefined, nowMs: 0, crypto }, [])

  test('is sent as the token of its application', () => {
    const { vendor } = addressed(azure, { baseUrl: 'https://r.openai.azure.com', key, config: '', other: '' }) ?? { vendor: azure }
    expect([vendor.credential, authHeaders(vendor, 'eyJ')]).toEqual([askEntraToken, { authorization: 'Bearer eyJ' }])
    const plain = addressed(azure, { baseUrl: 'https://r.openai.azure.com', key: 'key', config: '', other: '' })?.vendor ?? azure
    expect([plain.credential, authHeaders(plain, 'key')]).toEqual([undefined, { 'api-key': 'key' }])
  })

  test.each([
    ['https://r.openai.azure.com', 'login.microsoftonline.com', 'cognitiveservices.azure.com'],
    ['https://r.openai.azure.us/openai/v1', 'login.microsoftonline.us', 'cognitiveservices.azure.us'],
    ['https://r.openai.azure.cn', 'login.partner.microsoftonline.cn', 'cognitiveservices.azure.cn'],
  ])('at %s is exchanged at %s', (baseUrl, login, service) => {
    const step = tokenStep(baseUrl)
    if (!('request' in step)) throw new Error(JSON.stringify(step))
    expect(step.request.url).toBe(`https://${login}/contoso.example/oauth2/v2.0/token`)
    expect(Object.fromEntries(new URLSearchParams(step.request.body))).toEqual({
      grant_type: 'client_credentials',
      client_id: 'client-1',
      client_secret: 'the-secret',
      scope: `https://${service}/.default`,
    })
  })

  test('may name the whole authority of its tenant', () => {
    expect(tokenStep('https://r.openai.azure.com', 'https://login.private.example/contoso|client-1|the-secret')).toMatchObject({
      request: { url: 'https://login.private.example/contoso/oauth2/v2.0/token' },
    })
    for (const tenant of ['https://a.example', 'https://a.example/b/c', 'ftp://a.example/b', 'https://u@a.example/b'])
      expect(tokenStep('https://r.openai.azure.com', `${tenant}|c|d`)).toEqual({ failed: 'the key must be tenant|client id|client secret' })
  })

  test('that names no tenant is refused, and the service’s message is reported', () => {
    expect(tokenStep('https://r.openai.azure.com', 'a/../b|c|d')).toEqual({ failed: 'the key must be tenant|client id|client secret' })
    const context = { baseUrl: '', key, config: {}, other: '', headers: {}, modelsPath: undefined, nowMs: 0, crypto }
    const words = 'AADSTS7000215: Invalid client secret provided.'
    expect(askEntraToken(context, [{ error: 'invalid_client', error_description: words }])).toEqual({ failed: words })
    expect(askEntraToken(context, [{ access_token: 'eyJ', expires_in: 3599 }])).toEqual({
      result: { value: 'eyJ', expiresInSeconds: 3599 },
    })
  })
})

describe('an error', () => {
  const dialect = dialectOf(azure, 'chat')
  if (dialect === null) throw new Error('there are no chats')

  test.each([
    [401, { code: '401', message: 'Access denied due to invalid subscription key' }, 'bad_key', '401'],
    [404, { code: 'DeploymentNotFound', message: 'The API deployment does not exist' }, 'model_not_found', 'DeploymentNotFound'],
    [429, { code: '429', message: 'Requests have exceeded the call rate limit' }, 'rate_limited', '429'],
    [
      429,
      { code: 'insufficient_quota', type: 'insufficient_quota', message: 'You exceeded your quota' },
      'rate_limited',
      'insufficient_quota',
    ],
    [
      400,
      { code: 'content_filter', message: 'The response was filtered', innererror: { code: 'ResponsibleAIPolicyViolation' } },
      'bad_request',
      'content_filter',
    ],
    [400, { code: 'context_length_exceeded', message: 'maximum context length' }, 'bad_request', 'context_length_exceeded'],
    [500, { code: 'InternalServerError', message: 'Try again' }, 'unavailable', 'InternalServerError'],
    [
      400,
      { code: 'BadRequest', message: 'Model o1 is enabled only for api versions 2024-12-01-preview and later' },
      'model_not_found',
      'BadRequest',
    ],
    [400, { code: 'BadRequest', message: 'API version not supported' }, 'model_not_found', 'BadRequest'],
  ] as const)('%d %p is %s', (status, error, kind, code) => {
    const read = readFailureOf(dialect, azure.failures, { status, body: JSON.stringify({ error }) })
    expect(read).toMatchObject({ kind, code, message: error.message })
  })
})
