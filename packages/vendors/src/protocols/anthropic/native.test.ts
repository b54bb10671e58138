import { describe, expect, test } from 'bun:test'
import { targetOf } from '../../../test/channel.ts'
import type { Vendor } from '../../core/vendor.ts'
import { addressed } from '../../registry/channel-facts.ts'
import { dialectOf } from '../../registry/dialect-of.ts'
import { vendorByType } from '../../registry/list.ts'
import { buildRequest } from '../../registry/request/build-request.ts'

const body = { model: 'mine', max_tokens: 9, stream: true, messages: [{ role: 'user', content: 'Hi' }], speed: 'standard', not_known: 1 }
const clientHeaders = { 'anthropic-beta': 'context-1m-2025-08-07,new-thing-2027-01-01', 'anthropic-version': '2024-01-01' }

function requestAt(type: number, model: string, more: object = {}) {
  const vendor: Vendor | null = vendorByType(type)
  const dialect = vendor === null ? null : dialectOf(vendor, 'messages', model)
  return dialect?.request({ ...body, ...more }, { ...targetOf({ model, stream: true }), kind: 'messages', clientHeaders })
}

describe('a client’s own request for Claude in an envelope', () => {
  test('has version and features in the body on Bedrock, without those that the service does not know', () => {
    const { body: upstreamBody, path } = requestAt(33, 'anthropic.claude-sonnet-4-5-20250929-v1:0') ?? {}
    expect(path).toContain('invoke-with-response-stream')
    expect(upstreamBody).toEqual({
      anthropic_version: 'bedrock-2023-05-31',
      anthropic_beta: ['context-1m-2025-08-07'],
      max_tokens: 9,
      messages: body.messages,
      not_known: 1,
    })
  })

  test('is refused on Bedrock by the name of what the service does not have', () => {
    expect(requestAt(33, 'anthropic.claude-sonnet-4-5-20250929-v1:0', { speed: 'fast' })?.refused).toBe('speed')
    expect(requestAt(33, 'anthropic.claude-sonnet-4-5-20250929-v1:0', { tools: [{ type: 'web_search_20250305' }] })?.refused).toBe(
      'tools[].type',
    )
  })

  test('has them in the body on Vertex, too, where the body says that it is streamed', () => {
    const { body: upstreamBody, path, headers } = requestAt(42, 'claude-sonnet-4-5-20250929') ?? {}
    expect(path).toContain('claude-sonnet-4-5@20250929:streamRawPredict')
    expect(headers).toEqual({})
    expect(upstreamBody).toMatchObject({ anthropic_version: 'vertex-2023-10-16', stream: true, max_tokens: 9 })
    expect(upstreamBody?.['anthropic_beta']).toEqual(['context-1m-2025-08-07', 'new-thing-2027-01-01'])
  })
})

test('a client’s own request has the names of its host, and its headers, at `bedrock-mantle` and at Azure', () => {
  const params = { kind: 'messages', stream: true, model: 'claude-sonnet-5', clientHeaders } as const
  const mantle = channelOf(33, 'https://bedrock-mantle.eu-west-1.api.aws/v1')
  const outgoing = buildRequest(mantle.vendor, body, { ...params, channel: mantle.facts })
  expect(outgoing.path).toBe('https://bedrock-mantle.eu-west-1.api.aws/anthropic/v1/messages')
  expect(outgoing.body).toMatchObject({ model: 'anthropic.claude-sonnet-5', not_known: 1 })
  expect(outgoing.headers).toMatchObject(clientHeaders)
  const azure = channelOf(3, 'https://mine.openai.azure.com')
  expect(buildRequest(azure.vendor, body, { ...params, channel: azure.facts }).path).toBe(
    'https://mine.services.ai.azure.com/anthropic/v1/messages',
  )
})

function channelOf(type: number, baseUrl: string) {
  const vendor = vendorByType(type)
  const channel = vendor === null ? null : addressed(vendor, { key: 'k', baseUrl, config: '', other: 'v1' })
  if (channel === null) throw new Error(`no channel of type ${type}`)
  return channel
}
