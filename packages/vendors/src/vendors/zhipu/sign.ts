import { base64Url } from '../../core/crypto-functions.ts'
import type { Signer } from '../../core/signer.ts'

/** How long a token is valid. Every request has its own. */
const validMs = 24 * 60 * 60 * 1000

const head = base64Url(JSON.stringify({ alg: 'HS256', sign_type: 'SIGN' }))

/** A token made of a key `id.secret` (docs.bigmodel.cn, "HTTP API: JWT", read 2026-11-22). Its times are in milliseconds. */
export const zhipuJwt: Signer = (_request, { channel, crypto, nowMs }) => {
  const [id = '', secret = ''] = channel.key.split('.')
  if (id === '' || secret === '') throw new Error('the key must be id.secret')
  const claims = base64Url(JSON.stringify({ api_key: id, exp: nowMs + validMs, timestamp: nowMs }))
  const signature = base64Url(crypto.hmacSha256(secret, `${head}.${claims}`))
  return { headers: { authorization: `Bearer ${head}.${claims}.${signature}` } }
}
