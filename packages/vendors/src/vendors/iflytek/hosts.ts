import type { ChannelFacts } from '../../core/channel-config.ts'
import { splitKey } from '../../core/split-key.ts'

/** Calls that are no sessions: they are posted, and their signature says so. The vendor has a host for each. */
const hosts = { '/': 'https://emb-cn-huabei-1.xf-yun.com', '/v2.1/tti': 'https://spark-api.cn-huabei-1.xf-yun.com' } as const
type PostedPath = keyof typeof hosts

export const chatHost = 'https://spark-api.xf-yun.com'

/** The address of a call that has a host of its own; a channel at a proxy calls that. */
function addressAt(own: string, path: string, { baseUrl }: Pick<ChannelFacts, 'baseUrl'>): string {
  const { origin } = new URL(baseUrl)
  return `${origin === chatHost ? own : origin}${path}`
}

/** The address of a posted call. */
export const postedAddress = (path: PostedPath, channel: Pick<ChannelFacts, 'baseUrl'>): string => addressAt(hosts[path], path, channel)

/** The address of a session in which the vendor listens. */
export const transcriptAddress = (channel: Pick<ChannelFacts, 'baseUrl'>): string => addressAt('https://iat.xf-yun.com', '/v1', channel)

/** The address of a session in which the vendor speaks. */
export const speechAddress = (channel: Pick<ChannelFacts, 'baseUrl'>): string =>
  addressAt('https://cbm01.cn-huabei-1.xf-yun.com', '/v1/private/mcd9m97e6', channel)

export const isPosted = (path: string): boolean => Object.hasOwn(hosts, path)

/** The first part of a key `APPID|APISecret|APIKey`. */
export const appIdOf = ({ key }: Pick<ChannelFacts, 'key'>): string => splitKey(key, 3)[0] ?? ''
