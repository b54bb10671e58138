import type { ChannelFacts } from '../../core/channel-config.ts'
import { splitKey } from '../../core/split-key.ts'

/** The service account, the authorized user, or the API key of a channel: the last part of its key, or the whole key. */
export function secretOf({ config, key }: Pick<ChannelFacts, 'config' | 'key'>): string {
  return config.vertex_ai_adc ?? splitKey(key, 3)[2] ?? key.trim()
}

/** An account is a JSON object, an API key is a word. */
export function isAccount(secret: string): boolean {
  return secret.startsWith('{')
}
