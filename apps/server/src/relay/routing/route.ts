import { AppError } from '../../lib/app-error.ts'
import type { Caller } from '../model/caller.ts'
import type { Channel, ChannelMap, Route } from '../model/channel.ts'
import type { RequestParams } from '../model/request-params.ts'
import { tierOf } from './candidates.ts'

/** @throws AppError no_channel, model_not_found, channel_pin_unknown, channel_pin_disabled */
export function route(map: ChannelMap, caller: Pick<Caller, 'groups' | 'pin'>, model: string): Route {
  const { groups, pin } = caller
  if (pin !== null) return pinnedRoute(map, pin, groups)
  const modelRoute = map.route(groups, model)
  if (modelRoute !== null) return modelRoute
  throw map.knows(groups, model)
    ? new AppError('no_channel', { params: { model, group: groups.join() } })
    : new AppError('model_not_found', { params: { model } })
}

/** How Google's lists name models. */
const listPrefix = 'models/'

/** The request with the plain name of a model that it names as Google's lists do, unless a channel has a model of just that name. */
export function withListedModel<Read extends { readonly params: RequestParams }>(
  map: ChannelMap,
  { groups }: Pick<Caller, 'groups'>,
  read: Read,
): Read {
  const { model } = read.params
  if (!model.startsWith(listPrefix) || map.knows(groups, model)) return read
  return { ...read, params: { ...read.params, model: model.slice(listPrefix.length) } }
}

/** The channels of a route that have all models that a body names, as its own model needs a channel. @throws AppError model_not_found */
export function routeWithNamed(
  map: ChannelMap,
  { groups, pin }: Pick<Caller, 'groups' | 'pin'>,
  { modelRoute, params }: { readonly modelRoute: Route; readonly params: Pick<RequestParams, 'model' | 'use'> },
): Route {
  const others = (params.use?.models ?? []).filter(({ model }) => model !== params.model)
  if (pin !== null || others.length === 0) return modelRoute
  let channels = modelRoute.tiers.flatMap((tier) => tier.channels)
  for (const { model, place } of others) {
    const having = new Set(map.route(groups, model)?.tiers.flatMap((tier) => tier.channels))
    channels = channels.filter((channel) => having.has(channel))
    if (channels.length === 0) throw namedModelError(model, place)
  }
  const kept = new Set(channels)
  const tiers = modelRoute.tiers.map((tier) => tier.channels.filter((channel) => kept.has(channel))).filter((tier) => tier.length > 0)
  return { ...modelRoute, tiers: tiers.map(tierOf), types: [...new Set(channels.map(({ vendor }) => vendor.type))] }
}

/** Characters of a client's name of a model in an error. */
const modelCharsMax = 80

/** The error for a model in a body that no channel of the account has beside the requested one. */
export function namedModelError(model: string, place: string): AppError {
  return new AppError('model_not_found', {
    messageKey: 'named_model_not_found',
    params: { model: model.slice(0, modelCharsMax), name: place },
  })
}

/**
 * The one channel that an administrator's key names. It serves to try a channel, so groups, model list and priority are ignored; the price
 * is that of the account's first group that the channel serves. No other channel is tried.
 */
function pinnedRoute({ all }: ChannelMap, pin: string, groups: readonly string[]): Route {
  const channel = /^[1-9]\d{0,15}$/.test(pin) ? all.get(Number(pin)) : undefined
  if (channel === undefined) throw new AppError('channel_pin_unknown', { params: { channel: pin.slice(0, 20) } })
  if (!channel.isEnabled) throw new AppError('channel_pin_disabled', { params: { channel: channel.id } })
  return routeTo(channel, groups)
}

/** The route to one channel; the price is that of the first of the groups that it serves. */
export function routeTo(channel: Channel, groups: readonly string[]): Route {
  const served = groups.find((group) => channel.groups.includes(group))
  return { tiers: [tierOf([channel])], group: served ?? groups[0] ?? 'default', types: [channel.vendor.type] }
}
