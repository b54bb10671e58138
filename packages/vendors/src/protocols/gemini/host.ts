import type { ChannelFacts } from '../../core/channel-config.ts'
import { endsInVersion, withoutTrailingSlashes } from '../../core/join-url.ts'
import type { Target } from '../../core/request.ts'

/** Where models of this protocol are served: the two services have different paths, and differ in few fields. */
export interface GeminiHost {
  /** The path of a call of a model, such as `generateContent`. */
  readonly pathOf: (target: Pick<Target, 'model' | 'channel'>, action: string) => string
  /** Calls of functions and their results carry ids. */
  readonly keepsCallIds: boolean
  /** A count of tokens is requested with the whole request as one member. */
  readonly wrapsCounted: boolean
}

/** The path before the names of models and operations. A channel's further setting is the version, if its address does not end in one. */
export function versionPath({ baseUrl, other }: Pick<ChannelFacts, 'baseUrl' | 'other'>): string {
  return endsInVersion(withoutTrailingSlashes(baseUrl)) ? '' : `/${other === '' ? 'v1beta' : other}`
}

/** The Gemini API. */
export const developerApi: GeminiHost = {
  pathOf: ({ model, channel }, action) => `${versionPath(channel)}/${model.includes('/') ? model : `models/${model}`}:${action}`,
  keepsCallIds: true,
  wrapsCounted: true,
}
