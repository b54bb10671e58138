import type { Signer } from '../signing/signer.ts'
import { signV4 } from '../signing/sigv4.ts'
import { bedrockKeyOf, isMantle } from './channel.ts'

/** Signs with the keys of an account, or sends an API key, which needs no signature (Amazon Bedrock, "API keys", a stored copy read 2026-11-22). */
export const signBedrock: Signer = (request, context) => {
  const key = bedrockKeyOf(context.channel)
  if (key === null) throw new Error('the key must be ak|sk|region or API key|region')
  if ('apiKey' in key) return { headers: { authorization: `Bearer ${key.apiKey}` } }
  const { ak: accessKey, sk: secretKey, region, sessionToken } = key
  const token: Readonly<Record<string, string>> = sessionToken === '' ? {} : { 'x-amz-security-token': sessionToken }
  const asked = { ...request, headers: { ...request.headers, ...token } }
  const { headers } = signV4(
    asked,
    { accessKey, secretKey, region, service: isMantle(request.url) ? 'bedrock-mantle' : 'bedrock' },
    context,
  )
  return { headers: { ...token, ...headers } }
}
