import type { ChannelFacts } from '../../core/channel-config.ts'
import type { Signer } from '../../core/signer.ts'
import { type BedrockKey, bedrockKeyOf, isMantle } from './channel.ts'
import { type Scope, signV4 } from './sigv4.ts'

type AccountKey = Exclude<BedrockKey, { readonly apiKey: string }>

/** How the requests of a channel to one service are signed. */
type Signing = { readonly apiKey: string } | { readonly scope: Scope; readonly token: Readonly<Record<string, string>> }

/** Service -> channel -> how it signs, for as long as the channel is not changed. */
const known = { bedrock: new WeakMap<ChannelFacts, Signing>(), 'bedrock-mantle': new WeakMap<ChannelFacts, Signing>() } as const

/** Signs with the keys of an account, or sends an API key, which needs no signature (Amazon Bedrock, "API keys", a stored copy read 2026-11-22). */
export const signBedrock: Signer = (request, context) => {
  const { channel } = context
  const service = isMantle(request.url) ? 'bedrock-mantle' : 'bedrock'
  const signing = known[service].get(channel) ?? signingOf(channel, service)
  if ('apiKey' in signing) return { headers: { authorization: `Bearer ${signing.apiKey}` } }
  const { scope, token } = signing
  const { headers } = signV4({ ...request, headers: { ...request.headers, ...token } }, scope, context)
  return { headers: { ...token, ...headers } }
}

function signingOf(channel: ChannelFacts, service: keyof typeof known): Signing {
  const key = bedrockKeyOf(channel)
  if (key === null) throw new Error('the key must be ak|sk|region or API key|region')
  const signing = 'apiKey' in key ? key : withScope(key, service)
  known[service].set(channel, signing)
  return signing
}

function withScope({ ak, sk, region, sessionToken }: AccountKey, service: string): Signing {
  const token: Readonly<Record<string, string>> = sessionToken === '' ? {} : { 'x-amz-security-token': sessionToken }
  return { scope: { accessKey: ak, secretKey: sk, region, service }, token }
}
