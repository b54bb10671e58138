import { describe, expect, test } from 'bun:test'
import { createVerify, generateKeyPairSync } from 'node:crypto'
import { cryptoFunctions } from '../../../test/crypto.ts'
import { askGoogleToken } from './service-account.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString()
const account = { type: 'service_account', client_email: 'robot@p.example', private_key: pem, private_key_id: 'key-1' }

const nowMs = 1_700_000_000_123

function contextOf(secret: string) {
  const config = { region: 'us', vertex_ai_project_id: 'p', vertex_ai_adc: secret }
  return { baseUrl: 'https://g.example', key: '', config, other: '', headers: {}, modelsPath: undefined, nowMs, crypto: cryptoFunctions }
}

function formOf(secret: object) {
  const step = askGoogleToken(contextOf(JSON.stringify(secret)), [])
  if (!('request' in step)) throw new Error(JSON.stringify(step))
  const { url, headers, body = '' } = step.request
  return { url, headers, form: Object.fromEntries(new URLSearchParams(body)) }
}

const decoded = (part: string | undefined): unknown => JSON.parse(Buffer.from(part ?? '', 'base64url').toString())

describe('the token of a service account', () => {
  test('is requested with an assertion that its key signs', () => {
    const { url, headers, form } = formOf(account)
    expect(url).toBe('https://oauth2.googleapis.com/token')
    expect(headers).toEqual({ 'content-type': 'application/x-www-form-urlencoded' })
    expect(form['grant_type']).toBe('urn:ietf:params:oauth:grant-type:jwt-bearer')
    const [header, claims, signature] = (form['assertion'] ?? '').split('.')
    expect(decoded(header)).toEqual({ alg: 'RS256', typ: 'JWT', kid: 'key-1' })
    expect(decoded(claims)).toEqual({
      iss: 'robot@p.example',
      scope: 'https://www.googleapis.com/auth/cloud-platform',
      aud: 'https://oauth2.googleapis.com/token',
      iat: 1_700_000_000,
      exp: 1_700_003_600,
    })
    expect(
      createVerify('RSA-SHA256')
        .update(`${header}.${claims}`)
        .verify(publicKey, signature ?? '', 'base64url'),
    ).toBe(true)
  })

  test('is requested at the address of the account, also if its key has escaped line ends', () => {
    const { url } = formOf({ ...account, private_key: pem.replaceAll('\n', '\\n'), token_uri: 'https://oauth.example/token' })
    expect(url).toBe('https://oauth.example/token')
  })

  test('of a user is requested with the refresh token', () => {
    const user = { type: 'authorized_user', client_id: 'i', client_secret: 's', refresh_token: 'r' }
    expect(formOf(user).form).toEqual({ grant_type: 'refresh_token', client_id: 'i', client_secret: 's', refresh_token: 'r' })
  })

  test('is read from the response, with its life', () => {
    const secret = contextOf(JSON.stringify(account))
    expect(askGoogleToken(secret, [{ access_token: 'ya29.x', expires_in: 3599 }])).toEqual({
      result: { value: 'ya29.x', expiresInSeconds: 3599 },
    })
    expect(askGoogleToken(secret, [{ error: 'invalid_grant', error_description: 'Invalid JWT Signature.' }])).toEqual({
      failed: 'Invalid JWT Signature.',
    })
  })

  test.each([
    ['{', 'the service account is not valid JSON'],
    ['{}', 'the service account needs client_email and private_key'],
    [JSON.stringify({ ...account, private_key: 'none' }), 'the private key of the service account cannot be read'],
    [JSON.stringify({ type: 'authorized_user' }), 'the credential needs client_id, client_secret and refresh_token'],
  ])('of %s is not requested: %s', (secret, failed) => {
    expect(askGoogleToken(contextOf(secret), [])).toEqual({ failed })
  })
})

test('an API key is sent as it is', () => {
  expect(askGoogleToken(contextOf('AQ.a-key'), [])).toMatchObject({ result: { value: 'AQ.a-key' } })
})
