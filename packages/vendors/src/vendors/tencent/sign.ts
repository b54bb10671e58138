import { hex } from '../../core/crypto-functions.ts'
import type { Signer, SigningContext, UnsignedRequest } from '../../core/signer.ts'
import { splitKey } from '../../core/split-key.ts'

/** TC3-HMAC-SHA256 (cloud.tencent.com, "Signature v3", read 2026-11-22) with a key `AppId|SecretId|SecretKey`; the first is not used. */
export const tc3: Signer = (request, context) => {
  const [, secretId = '', secretKey = ''] = splitKey(context.channel.key, 3)
  if (secretId === '' || secretKey === '') throw new Error('the key must be AppId|SecretId|SecretKey')
  return signTc3(request, { secretId, secretKey, signed: ['content-type', 'host', 'x-tc-action'] }, context)
}

interface Tc3Scope {
  readonly secretId: string
  readonly secretKey: string
  /** Names of the signed headers, sorted. */
  readonly signed: readonly string[]
}

/** The service is the first part of the host. The headers name the action in `x-tc-action`. */
export function signTc3(request: UnsignedRequest, scope: Tc3Scope, { crypto, nowMs }: Pick<SigningContext, 'crypto' | 'nowMs'>) {
  const { host } = new URL(request.url)
  const seconds = String(Math.floor(nowMs / 1000))
  const date = new Date(Number(seconds) * 1000).toISOString().slice(0, 10)
  const [service = ''] = host.split('.')
  const values: Readonly<Record<string, string>> = { ...request.headers, host }
  const lines = scope.signed.map((name) => `${name}:${name === 'x-tc-action' ? (values[name] ?? '').toLowerCase() : values[name]}`)
  const names = scope.signed.join(';')
  const canonical = ['POST', '/', '', ...lines, '', names, hex(crypto.sha256(request.body))].join('\n')
  const range = `${date}/${service}/tc3_request`
  const toSign = ['TC3-HMAC-SHA256', seconds, range, hex(crypto.sha256(canonical))].join('\n')
  const steps = [date, service, 'tc3_request']
  const key = steps.reduce<string | Uint8Array>((last, step) => crypto.hmacSha256(last, step), `TC3${scope.secretKey}`)
  const signature = hex(crypto.hmacSha256(key, toSign))
  const authorization = `TC3-HMAC-SHA256 Credential=${scope.secretId}/${range}, SignedHeaders=${names}, Signature=${signature}`
  return { headers: { 'x-tc-timestamp': seconds, authorization } }
}
