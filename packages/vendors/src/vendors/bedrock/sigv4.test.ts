import { describe, expect, test } from 'bun:test'
import { cryptoFunctions as crypto } from '../../../test/crypto.ts'
import { signV4 } from './sigv4.ts'

// The examples of AWS's signing test suite and documentation, and requests of Bedrock, computed by two independent libraries.

const scope = { accessKey: 'AKIDEXAMPLE', secretKey: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY', region: 'us-east-1' }
const nowMs = Date.UTC(2015, 7, 30, 12, 36)

function signatureOf(
  service: string,
  url: string,
  parts: { readonly headers?: Record<string, string>; readonly body?: string } = {},
): string {
  const { headers = {}, body } = parts
  const request = { method: body === undefined ? 'GET' : 'POST', url, headers, body: body ?? '' }
  const { authorization } = signV4(request, { ...scope, service }, { crypto, nowMs }).headers
  return authorization.split('Signature=')[1] ?? ''
}

const example = 'https://example.amazonaws.com/'
const bedrock = 'https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-3-haiku-20240307-v1%3A0/'
const chat = '{"anthropic_version":"bedrock-2023-05-31","max_tokens":16,"messages":[{"role":"user","content":"hi"}]}'
const json = { 'content-type': 'application/json', accept: 'is not signed' }

describe('the signature', () => {
  test.each([
    ['of a plain request', signatureOf('service', example), '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    [
      'sorts the query',
      signatureOf('service', `${example}?Param2=value2&Param1=value1`),
      'b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500',
    ],
    [
      'covers the token of a session',
      signatureOf('service', example, {
        headers: { 'x-amz-security-token': '6e86291e8372ff2a2260956d9b8aae1d763fbf315fa00fa31553b73ebf194267' },
      }),
      '07ec1639c89043aa0e3e2de82b96708f198cceab042d4a97044c66dd9f74e7f8',
    ],
    [
      'covers the content type',
      signatureOf('iam', 'https://iam.amazonaws.com/?Action=ListUsers&Version=2010-05-08', {
        headers: { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' },
      }),
      '5d672d79c15b13162d9279b0855cfba6789a8edb4c82c400e06b5924a6f2b5d7',
    ],
    [
      'escapes a path twice',
      signatureOf('bedrock', `${bedrock}invoke`, { headers: json, body: chat }),
      '74e9ad9c5296206d04cc1c19ff9053d257f83c09d239fd9f4c2690400ae5c980',
    ],
    [
      'of a stream',
      signatureOf('bedrock', `${bedrock}converse-stream`, { headers: json, body: chat }),
      'c675f8ee9e112b7fa385c4812f61d4ad6845755f7f2e0a55ed1e6313091aecc5',
    ],
  ])('%s', (_, signature, expected) => {
    expect(signature).toBe(expected)
  })
})
