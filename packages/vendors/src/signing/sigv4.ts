import { hex } from '../crypto-functions.ts'
import type { SigningContext, UnsignedRequest } from './signer.ts'

/** What a signature is for. */
interface Scope {
  readonly accessKey: string
  readonly secretKey: string
  readonly region: string
  readonly service: string
}

/**
 * AWS Signature Version 4 for any service, as the published examples test it (AWS, "Create a signed AWS API request", read 2026-11-22).
 */
export function signV4(request: UnsignedRequest, scope: Scope, { crypto, nowMs }: Pick<SigningContext, 'crypto' | 'nowMs'>) {
  const { host, pathname, searchParams } = new URL(request.url)
  const time = new Date(nowMs).toISOString().replaceAll(/[-:]|\.\d{3}/g, '')
  const date = time.slice(0, 8)
  const bodyHash = hex(crypto.sha256(request.body))
  const signed: Readonly<Record<string, string>> = { ...request.headers, host, 'x-amz-date': time }
  const names = Object.keys(signed).filter(isSigned).sort()
  const canonical = [
    request.method,
    pathname.split('/').map(encoded).join('/'),
    canonicalQuery(searchParams),
    ...names.map((name) => `${name}:${(signed[name] ?? '').trim().replaceAll(/ +/g, ' ')}`),
    '',
    names.join(';'),
    bodyHash,
  ].join('\n')
  const range = `${date}/${scope.region}/${scope.service}/aws4_request`
  const toSign = ['AWS4-HMAC-SHA256', time, range, hex(crypto.sha256(canonical))].join('\n')
  const steps = [date, scope.region, scope.service, 'aws4_request']
  const key = steps.reduce<string | Uint8Array>((last, step) => crypto.hmacSha256(last, step), `AWS4${scope.secretKey}`)
  const signature = hex(crypto.hmacSha256(key, toSign))
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope.accessKey}/${range}, SignedHeaders=${names.join(';')}, Signature=${signature}`
  return { headers: { 'x-amz-date': time, authorization } }
}

/** Headers that a proxy may change are not signed. */
const isSigned = (name: string): boolean => name === 'host' || name === 'content-type' || name.startsWith('x-amz-')

function canonicalQuery(query: URLSearchParams): string {
  return [...query]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&')
}

/** Everything but letters, digits and `-._~` is escaped; the parts of a path are escaped a second time. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}
