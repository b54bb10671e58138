import type { ChannelFacts } from '../../core/channel-config.ts'
import { splitKey } from '../../core/split-key.ts'

/** What a Bedrock channel's key holds: keys of an account (the session's token if they are temporary), or an API key. */
export type BedrockKey =
  | { readonly ak: string; readonly sk: string; readonly sessionToken: string; readonly region: string }
  | { readonly apiKey: string; readonly region: string }

const regionShape = /^[a-z]{2}(?:-[a-z]{1,20}){1,4}-\d$/

/** `ak|sk|region`, `ak|sk|region|session token` or `API key|region`; members of the configuration take precedence. `null` = neither. */
export function bedrockKeyOf({ key, config }: Pick<ChannelFacts, 'key' | 'config'>): BedrockKey | null {
  const parts = splitKey(key, key.split('|').length).filter((part) => part !== '')
  if (parts.length === 2) {
    const [apiKey = '', region = ''] = parts
    return regionShape.test(region) ? { apiKey, region } : null
  }
  const [ak = config.ak ?? '', sk = config.sk ?? '', named = config.region ?? '', sessionToken = ''] = parts.length > 2 ? parts : []
  const region = named.split('|')[0] ?? ''
  if (!regionShape.test(region) || sk === '') return null
  return ak === '' ? { apiKey: sk, region } : { ak, sk, sessionToken, region }
}

/** The host of a region; China has a domain of its own (AWS, "Amazon Bedrock endpoints and quotas", a stored copy read 2026-11-22). */
export function bedrockAddress(facts: Pick<ChannelFacts, 'key' | 'config'>): string | null {
  const region = bedrockKeyOf(facts)?.region
  if (region === undefined) return null
  return `https://bedrock-runtime.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`
}

/** The older of the two hosts that speak OpenAI's and Anthropic's protocols ("Endpoints supported by Amazon Bedrock", read 2026-11-22). */
export const isMantle = (address: string): boolean => address.startsWith('https://bedrock-mantle.')
