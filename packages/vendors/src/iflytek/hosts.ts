import type { ChannelFacts } from '../channel-config.ts'
import { splitKey } from '../split-key.ts'

/** Calls that are no sessions: they are posted, and their signature says so. The vendor has a host for each. */
const hosts = { '/': 'https://emb-cn-huabei-1.xf-yun.com', '/v2.1/tti': 'https://spark-api.cn-huabei-1.xf-yun.com' } as const
type PostedPath = keyof typeof hosts

export const chatHost = 'https://spark-api.xf-yun.com'

/** The address of a posted call; a channel at a proxy calls that. */
export function postedAddress(path: PostedPath, { baseUrl }: Pick<ChannelFacts, 'baseUrl'>): string {
  const { origin } = new URL(baseUrl)
  return `${origin === chatHost ? hosts[path] : origin}${path}`
}

export const isPosted = (path: string): boolean => Object.hasOwn(hosts, path)

/** The first part of a key `APPID|APISecret|APIKey`. */
export const appIdOf = ({ key }: Pick<ChannelFacts, 'key'>): string => splitKey(key, 3)[0] ?? ''
