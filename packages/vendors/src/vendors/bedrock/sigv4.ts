import { type CryptoFunctions, hex } from '../../core/crypto-functions.ts'
import type { SigningContext, UnsignedRequest } from '../../core/signer.ts'

/** What a signature is for. One that signs often should stay the same object: the key of its day is kept for it. */
export interface Scope {
  readonly accessKey: string
  readonly secretKey: string
  readonly region: string
  readonly service: string
}

/** The key that a scope last signed with: it is the same for a whole day, and kept no longer than its scope. */
const lastKeys = new WeakMap<Scope, { readonly date: string; readonly key: string | Uint8Array }>()

function keyOf(scope: Scope, date: string, crypto: CryptoFunctions): string | Uint8Array {
  const last = lastKeys.get(scope)
  if (last?.date === date) return last.key
  const steps = [date, scope.region, scope.service, 'aws4_request']
  const key = steps.reduce<string | Uint8Array>((signingKey, step) => crypto.hmacSha256(signingKey, step), `AWS4${scope.secretKey}`)
  lastKeys.set(scope, { date, key })
  return key
}

/**
 * AWS Signature Version 4 for any service, as the published examples test it (AWS, "Create a signed AWS API request", read 2026-11-22).
 */
export function signV4(request: UnsignedRequest, scope: Scope, { crypto, nowMs }: Pick<SigningContext, 'crypto' | 'nowMs'>) {
  const { host, pathname, search } = new URL(request.url)
  const time = compact(new Date(nowMs).toISOString())
  const date = time.slice(0, 8)
  const signed: Readonly<Record<string, string>> = { ...request.headers, host, 'x-amz-date': time }
  const names = Object.keys(signed).filter(isSigned).sort()
  const signedNames = names.join(';')
  let canonical = `${request.method}\n${encoded(pathname).replaceAll('%2F', '/')}\n${canonicalQuery(search)}\n`
  for (const name of names) canonical += `${name}:${withoutSpaces(signed[name] ?? '')}\n`
  canonical += `\n${signedNames}\n${hex(crypto.sha256(request.body))}`
  const range = `${date}/${scope.region}/${scope.service}/aws4_request`
  const toSign = `AWS4-HMAC-SHA256\n${time}\n${range}\n${hex(crypto.sha256(canonical))}`
  const signature = hex(crypto.hmacSha256(keyOf(scope, date, crypto), toSign))
  const authorization = `AWS4-HMAC-SHA256 Credential=${scope.accessKey}/${range}, SignedHeaders=${signedNames}, Signature=${signature}`
  return { headers: { 'x-amz-date': time, authorization } }
}

/** `20150830T123600Z` of `2015-08-30T12:36:00.000Z`. */
const compact = (iso: string): string => `${iso.slice(0, 4)}${iso.slice(5, 7)}${iso.slice(8, 13)}${iso.slice(14, 16)}${iso.slice(17, 19)}Z`

const withoutSpaces = (value: string): string => (value.includes('  ') ? value.replaceAll(/ +/g, ' ') : value).trim()

/** Headers that a proxy may change are not signed. */
const isSigned = (name: string): boolean => name === 'host' || name === 'content-type' || name.startsWith('x-amz-')

function canonicalQuery(search: string): string {
  if (search === '') return ''
  return [...new URLSearchParams(search)]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join('&')
}

/** Everything but letters, digits and `-._~` is escaped; the parts of a path are escaped a second time. */
function encoded(text: string): string {
  return encodeURIComponent(text).replaceAll(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`)
}
