import { type CredentialQuery, credentialIn } from '../../core/credential.ts'
import { messageOr } from '../../core/failure-parts.ts'
import { splitKey } from '../../core/split-key.ts'
import { at } from '../../core/vendor-query.ts'

/** Baidu AI Cloud, "Obtain an access token", a stored copy read 2026-11-22: it is valid for thirty days. */
export const askBaiduToken: CredentialQuery = ({ baseUrl, key }, [response]) => {
  if (response === undefined) {
    const [id = '', secret = ''] = splitKey(key, 2)
    if (id === '' || secret === '') return { failed: 'the key must be APIKey|SecretKey' }
    const query = new URLSearchParams({ grant_type: 'client_credentials', client_id: id, client_secret: secret })
    return { request: { method: 'POST', url: `${new URL(baseUrl).origin}/oauth/2.0/token?${query}`, headers: {} } }
  }
  const credential = credentialIn(response)
  return credential === null ? { failed: tokenError(response) } : { result: credential }
}

function tokenError(response: Parameters<typeof at>[0]): string {
  const words = at(response, 'error_description')
  return typeof words === 'string' ? words : messageOr(response ?? null, 'the response has no access token')
}
