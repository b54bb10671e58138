import { type CredentialQuery, credentialIn } from '../../core/credential.ts'
import { base64Url } from '../../core/crypto-functions.ts'
import { messageOr } from '../../core/failure-parts.ts'
import { isObject, parseJson, textOr } from '../../core/is-object.ts'
import type { JsonObject } from '../../core/json.ts'
import { at, type QueryContext, type VendorQueryRequest } from '../../core/vendor-query.ts'
import { isAccount, secretOf } from './key.ts'

const tokenUri = 'https://oauth2.googleapis.com/token'
const scope = 'https://www.googleapis.com/auth/cloud-platform'
/** Google's longest life of an assertion. */
const lifeSeconds = 3_600
/** An API key is sent as it is. */
const keySeconds = 365 * 24 * 3_600

/**
 * The access token of a service account, for an assertion that its key signs; or of a user, for a refresh token (Google Identity, "Using
 * OAuth 2.0 for server to server applications" and "for web server applications", stored copies read 2026-11-22).
 */
export const askGoogleToken: CredentialQuery = (context, [response]) => {
  const secret = secretOf(context)
  if (!isAccount(secret))
    return secret === '' ? { failed: 'the key is missing' } : { result: { value: secret, expiresInSeconds: keySeconds } }
  if (response === undefined) return requestFor(context, parseJson(secret))
  const credential = credentialIn(response)
  return credential === null ? { failed: tokenError(response) } : { result: credential }
}

function requestFor(context: QueryContext, account: unknown): { readonly request: VendorQueryRequest } | { readonly failed: string } {
  if (!isObject(account)) return { failed: 'the service account is not valid JSON' }
  const { type, client_id: id, client_secret: secret, refresh_token: refresh } = account
  if (type === 'authorized_user') {
    const parts = { client_id: textOr(id, ''), client_secret: textOr(secret, ''), refresh_token: textOr(refresh, '') }
    if (Object.values(parts).includes('')) return { failed: 'the credential needs client_id, client_secret and refresh_token' }
    return { request: post(account, { grant_type: 'refresh_token', ...parts }) }
  }
  const assertion = assertionOf(context, account)
  if (typeof assertion !== 'string') return assertion
  return { request: post(account, { grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer', assertion }) }
}

function uriOf(account: JsonObject): string {
  return textOr(account['token_uri'], '') || tokenUri
}

function post(account: JsonObject, form: Readonly<Record<string, string>>): VendorQueryRequest {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' }
  return { method: 'POST', url: uriOf(account), headers, body: new URLSearchParams(form).toString() }
}

/** A JSON Web Token (RFC 7523) signed with RS256. */
function assertionOf({ crypto, nowMs }: QueryContext, account: JsonObject): string | { readonly failed: string } {
  const mail = textOr(account['client_email'], '')
  // Some tools escape the line ends twice.
  const key = textOr(account['private_key'], '').replaceAll('\\n', '\n')
  if (mail === '' || key === '') return { failed: 'the service account needs client_email and private_key' }
  const id = textOr(account['private_key_id'], '')
  const issued = Math.floor(nowMs / 1000)
  const header = { alg: 'RS256', typ: 'JWT', ...(id === '' ? {} : { kid: id }) }
  const claims = { iss: mail, scope, aud: uriOf(account), iat: issued, exp: issued + lifeSeconds }
  const signed = `${base64Url(JSON.stringify(header))}.${base64Url(JSON.stringify(claims))}`
  try {
    return `${signed}.${base64Url(crypto.rs256(key, signed))}`
  } catch {
    return { failed: 'the private key of the service account cannot be read' }
  }
}

function tokenError(response: Parameters<typeof at>[0]): string {
  const words = at(response, 'error_description')
  return typeof words === 'string' ? words : messageOr(response ?? null, 'the response has no access token')
}
