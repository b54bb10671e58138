import { base64 } from '../../core/crypto-functions.ts'
import type { Signer } from '../../core/signer.ts'
import { splitKey } from '../../core/split-key.ts'
import { isPosted } from './hosts.ts'

/** The signed address of a WebSocket, or of a call that is posted, with a key `APPID|APISecret|APIKey` (xfyun.cn, "General URL authentication", read 2026-11-22). */
export const sparkUrl: Signer = ({ url }, { channel, crypto, nowMs }) => {
  const [, secret = '', key = ''] = splitKey(channel.key, 3)
  if (secret === '' || key === '') throw new Error('the key must be APPID|APISecret|APIKey')
  const { host, pathname } = new URL(url)
  const date = new Date(nowMs).toUTCString()
  const signature = base64(
    crypto.hmacSha256(secret, `host: ${host}\ndate: ${date}\n${isPosted(pathname) ? 'POST' : 'GET'} ${pathname} HTTP/1.1`),
  )
  const words = `api_key="${key}", algorithm="hmac-sha256", headers="host date request-line", signature="${signature}"`
  const authorization = base64(new TextEncoder().encode(words))
  return { url: `${url}?${new URLSearchParams({ authorization, date, host })}` }
}
