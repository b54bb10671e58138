import type { ChannelFacts } from '../../../core/channel-config.ts'
import { isObject, parseJson, textOr } from '../../../core/is-object.ts'
import { splitKey } from '../../../core/split-key.ts'
import type { GeminiHost } from '../../../protocols/gemini/host.ts'
import { isAccount, secretOf } from '../key.ts'

/** `region|project|account`, or an API key alone or in the account's place. */
export function isKey(key: string): boolean {
  const secret = splitKey(key, 3)[2] ?? key.trim()
  return isAccount(secret) ? /"(?:private_key|refresh_token)"/.test(secret) : /^[\w.-]{20,}$/.test(secret)
}

/** The project of the channel, or else of its service account; empty = none, which only API keys may have. */
function projectOf(channel: Pick<ChannelFacts, 'config' | 'key'>): string {
  const { vertex_ai_project_id: projectId } = channel.config
  if (projectId !== undefined) return projectId
  const account = isAccount(secretOf(channel)) ? parseJson(secretOf(channel)) : undefined
  return isObject(account) ? textOr(account['project_id'], '') : ''
}

/** A name of a region, and nothing that could change the host. */
const isRegion = /^[a-z0-9-]{1,40}$/

/**
 * The region of the channel. Channels that were imported have it in their further setting: alone, or as the default of regions by model.
 * Without one, it is `global`, where the newest models are.
 */
function regionOf({ config, other }: Pick<ChannelFacts, 'config' | 'other'>): string {
  if (config.region !== undefined) return config.region
  const listed = other.startsWith('{') ? parseJson(other) : undefined
  const region = isObject(listed) ? textOr(listed['default'], '') : other
  return isRegion.test(region) ? region : 'global'
}

/** The address for a channel. An account without a project has none, so such a channel is refused when it is saved. */
export function addressOf(channel: Omit<ChannelFacts, 'baseUrl'>): string {
  const isPlaceless = isAccount(secretOf(channel)) && projectOf(channel) === ''
  return isPlaceless ? `${regionalHost}/{vertex_ai_project_id}` : hostIn(regionOf(channel))
}

/** The service's address in a region (Google Cloud, "Locations", a stored copy read 2026-11-22). */
function hostIn(region: string): string {
  if (region === 'global') return 'https://aiplatform.googleapis.com'
  if (!isRegion.test(region)) return regionalHost
  return region === 'us' || region === 'eu' ? `https://aiplatform.${region}.rep.googleapis.com` : regionalHost.replace('{region}', region)
}

/** A channel whose region is invalid has no address. */
export const regionalHost = 'https://{region}-aiplatform.googleapis.com'

/**
 * The path before the models of a publisher: with project and place, or for API keys without a project the short one (Google Cloud,
 * "Express mode", and "Locations", stored copies read 2026-11-22).
 */
export function placePath(channel: ChannelFacts): string {
  const project = projectOf(channel)
  if (project === '') return '/v1'
  return `/v1/projects/${encodeURIComponent(project)}/locations/${encodeURIComponent(regionOf(channel))}`
}

/** The path of a call of a publisher's model. */
export function modelPath(channel: ChannelFacts, publisher: string, call: string): string {
  return `${placePath(channel)}/publishers/${publisher}/models/${call}`
}

/** A model that an account has tuned is deployed under a number. */
const isEndpoint = /^\d+$/

/** Gemini's models at Google Cloud; calls of functions have no ids there. */
export const vertexAi: GeminiHost = {
  pathOf: ({ model, channel }, action) =>
    isEndpoint.test(model) ? `${placePath(channel)}/endpoints/${model}:${action}` : modelPath(channel, 'google', `${model}:${action}`),
  keepsCallIds: false,
  wrapsCounted: false,
}
