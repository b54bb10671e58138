import { describe, expect, test } from 'bun:test'
import { cryptoFunctions as crypto } from '../../test/crypto.ts'
import type { ChannelFacts } from '../core/channel-config.ts'
import { sparkUrl } from '../vendors/iflytek/sign.ts'
import { signTc3, tc3 } from '../vendors/tencent/sign.ts'
import { zhipuJwt } from '../vendors/zhipu/sign.ts'

const channel = (key: string): ChannelFacts => ({ baseUrl: 'https://none.example', key, config: {}, other: '' })
const nothing = { method: 'POST', url: 'https://none.example/', headers: {}, body: '' }

describe('a TC3 signature', () => {
  // The vendor's published example, whose secret key ends in asterisks, and a value computed apart from this code.
  const body = '{"Limit": 1, "Filters": [{"Values": ["\\u672a\\u547d\\u540d"], "Name": "instance-name"}]}'
  const headers = { 'content-type': 'application/json; charset=utf-8', 'x-tc-action': 'DescribeInstances' }
  const request = { method: 'POST', url: 'https://cvm.tencentcloudapi.com/', headers, body }
  test.each([
    [['content-type', 'host'], 'Gu5t9xGARNpq86cd98joQYCN3*******', '2230eefd229f582d8b1b891af7107b91597240707d778ab3738f756258d7652c'],
    [['content-type', 'host'], 'Gu5t9xGARNpq86cd98joQYCN3EXAMPLE', '72e494ea809ad7a8c8f7a4507b9bddcbaa8e581f516e8da2f66e2c5a96525168'],
    [['content-type', 'host', 'x-tc-action'], '*'.repeat(32), '10b1a37a7301a02ca19a647ad722d5e43b4b3cff309d421d85b46093f6ab6c4f'],
  ])('with the headers %p is the published one', (signed, secretKey, signature) => {
    const { authorization } = signTc3(request, { secretId: 'AKID', secretKey, signed }, { crypto, nowMs: 1_551_113_065_999 }).headers
    expect(authorization).toBe(
      `TC3-HMAC-SHA256 Credential=AKID/2019-02-25/cvm/tc3_request, SignedHeaders=${signed.join(';')}, Signature=${signature}`,
    )
  })

  test('covers the body of a chat', () => {
    const chat = {
      method: 'POST',
      url: 'https://hunyuan.tencentcloudapi.com/',
      headers: { 'content-type': 'application/json', 'x-tc-action': 'ChatCompletions' },
      body: '{"Model":"hunyuan-lite","Messages":[{"Role":"user","Content":"hi"}],"Stream":false}',
    }
    const context = { channel: channel('1|AKID|Gu5t9xGARNpq86cd98joQYCN3EXAMPLE'), crypto, nowMs: 1_700_000_000_000 }
    const { headers: signed = {} } = tc3(chat, context)
    expect(signed['x-tc-timestamp']).toBe('1700000000')
    expect(signed['authorization']).toEndWith('Signature=4a8ef5488b4f7998deca10cd0bcf3d8d08a8b8cb953551d26628d1f595267d8f')
  })

  test('needs a key of three parts', () => {
    expect(() => tc3(nothing, { channel: channel('sk-1'), crypto, nowMs: 0 })).toThrow('AppId|SecretId|SecretKey')
  })
})

describe('a token of Zhipu', () => {
  test('has the claims in milliseconds and is signed with the second part of the key', () => {
    const { headers = {} } = zhipuJwt(nothing, { channel: channel('testid.testsecret'), crypto, nowMs: 1_700_000_000_000 })
    expect(headers['authorization']).toBe(
      'Bearer eyJhbGciOiJIUzI1NiIsInNpZ25fdHlwZSI6IlNJR04ifQ.eyJhcGlfa2V5IjoidGVzdGlkIiwiZXhwIjoxNzAwMDg2NDAwMDAwLCJ0aW1lc3RhbXAiOjE3MDAwMDAwMDAwMDB9.IBTEcaGK4AZZE7Yafa1d0L6FDgswFbzEf6AbsvzhO7E',
    )
  })

  test('needs a key of two parts', () => {
    expect(() => zhipuJwt(nothing, { channel: channel('testid'), crypto, nowMs: 0 })).toThrow('id.secret')
  })
})

describe('a signed address of iFlytek', () => {
  test('is the one of the published example', () => {
    const key = 'app|MjlmNzkzNmZkMDQ2OTc0ZDdmNGE2ZTZi|addd2272b6d8b7c8abdd79531420ca3b'
    const request = { ...nothing, url: 'wss://spark-api.xf-yun.com/v1.1/chat' }
    const { url = '' } = sparkUrl(request, { channel: channel(key), crypto, nowMs: Date.UTC(2023, 4, 5, 10, 43, 39) })
    const query = new URL(url).searchParams
    expect(query.get('authorization')).toBe(
      'YXBpX2tleT0iYWRkZDIyNzJiNmQ4YjdjOGFiZGQ3OTUzMTQyMGNhM2IiLCBhbGdvcml0aG09ImhtYWMtc2hhMjU2IiwgaGVhZGVycz0iaG9zdCBkYXRlIHJlcXVlc3QtbGluZSIsIHNpZ25hdHVyZT0iejVnSGR1M3B4VlY0QURNeWs0Njd3T1dEUTlxNkJRelIzbmZNVGpjL0RhUT0i',
    )
    expect(url).toContain('&date=Fri%2C+05+May+2023+10%3A43%3A39+GMT&host=spark-api.xf-yun.com')
  })

  test('needs a key of three parts', () => {
    expect(() => sparkUrl(nothing, { channel: channel('a|b'), crypto, nowMs: 0 })).toThrow('APPID|APISecret|APIKey')
  })
})
