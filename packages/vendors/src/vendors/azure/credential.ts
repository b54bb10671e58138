import { type CredentialQuery, credentialIn } from '../../core/credential.ts'
import { messageOr } from '../../core/failure-parts.ts'
import { splitKey } from '../../core/split-key.ts'
import { at } from '../../core/vendor-query.ts'

/** The clouds of governments and of China have hosts of their own. */
const clouds: ReadonlyArray<readonly [RegExp, { readonly login: string; readonly service: string }]> = [
  [/\.azure\.us(?:[:/]|$)/, { login: 'login.microsoftonline.us', service: 'cognitiveservices.azure.us' }],
  [/\.azure\.cn(?:[:/]|$)/, { login: 'login.partner.microsoftonline.cn', service: 'cognitiveservices.azure.cn' }],
]
const publicCloud = { login: 'login.microsoftonline.com', service: 'cognitiveservices.azure.com' } as const

/** A tenant is an id or a domain; clouds that are not in the table give its whole authority, `https://login.example/tenant`. */
const tenantShape = /^[\w.-]{1,128}$/
const authorityShape = /^https?:\/\/[\w.:-]{1,253}\/[\w.-]{1,128}$/

/**
 * The token of an application, for its secret (Microsoft Entra, "OAuth 2.0 client credentials flow", and Azure OpenAI, "Authentication",
 * stored copies read 2026-11-23). The scope is the one that all its interfaces accept.
 */
export const askEntraToken: CredentialQuery = ({ baseUrl, key }, [response]) => {
  if (response === undefined) {
    const [tenant = '', id = '', secret = ''] = splitKey(key, 3)
    const isAuthority = authorityShape.test(tenant)
    if (!(isAuthority || tenantShape.test(tenant)) || id === '' || secret === '')
      return { failed: 'the key must be tenant|client id|client secret' }
    const { login, service } = clouds.find(([host]) => host.test(baseUrl))?.[1] ?? publicCloud
    const form = { grant_type: 'client_credentials', client_id: id, client_secret: secret, scope: `https://${service}/.default` }
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const url = `${isAuthority ? tenant : `https://${login}/${tenant}`}/oauth2/v2.0/token`
    return { request: { method: 'POST', url, headers, body: new URLSearchParams(form).toString() } }
  }
  const credential = credentialIn(response)
  if (credential !== null) return { result: credential }
  const words = at(response, 'error_description')
  return { failed: typeof words === 'string' ? words : messageOr(response, 'the response has no access token') }
}
