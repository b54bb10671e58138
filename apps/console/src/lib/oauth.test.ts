import { expect, test } from 'bun:test'
import { isOffered, oauthAddress } from './oauth.ts'

const status = { github_oauth: true, github_client_id: 'gh id', lark_client_id: 'cli_1', server_address: 'https://gateway.example/' }

test('GitHub is called with the mail scope only, with state and challenge', () => {
  expect(oauthAddress('github', { state: 's&t', challenge: 'abc', address: '' }, status)).toBe(
    'https://github.com/login/oauth/authorize?client_id=gh+id&code_challenge=abc&code_challenge_method=S256&state=s%26t&scope=user%3Aemail',
  )
})

test('Lark sends the browser back to the address that the server names, too', () => {
  const address = new URL(oauthAddress('lark', { state: 'st', challenge: '', address: '' }, status))
  expect(address.origin + address.pathname).toBe('https://accounts.feishu.cn/open-apis/authen/v1/authorize')
  expect(Object.fromEntries(address.searchParams)).toEqual({
    client_id: 'cli_1',
    response_type: 'code',
    redirect_uri: 'https://gateway.example/oauth/lark',
    state: 'st',
  })
})

test('a service is offered only if the status says so', () => {
  expect(isOffered('github', { github_oauth: false, github_client_id: 'x' })).toBe(false)
  expect(isOffered('github', status)).toBe(true)
  expect(isOffered('lark', { lark_client_id: '' })).toBe(false)
  expect(isOffered('lark', status)).toBe(true)
  expect(isOffered('lark', {})).toBe(false)
})

test('the address that the server makes is opened as it is', () => {
  const address = 'https://accounts.google.com/o/oauth2/v2/auth?client_id=x&nonce=y'
  expect(oauthAddress('google', { state: 'st', challenge: 'abc', address }, status)).toBe(address)
})

test('Google and the OpenID provider are offered only if the status says so', () => {
  expect(isOffered('google', { google_oauth: true })).toBe(true)
  expect(isOffered('google', { oidc_login: true })).toBe(false)
  expect(isOffered('oidc', { oidc_login: true })).toBe(true)
  expect(isOffered('oidc', {})).toBe(false)
})
