import { outputMaxAt, writesMore } from '@sluice/vendors/registry/request/rules-of'
import { type Channel, modelAt, type Route } from '../model/channel.ts'
import type { RequestParams } from '../model/request-params.ts'

/**
 * The parameters with the output limit that a vendor will be sent, where every channel that may respond lowers the client's limit: no more is
 * reserved. The first channel that does not lower it ends the search.
 */
export function withReachableLimit(
  params: RequestParams,
  { tiers }: Pick<Route, 'tiers'>,
  clientHeaders: Readonly<Record<string, string>> | undefined,
): RequestParams {
  const { model, maxTokens } = params
  if (maxTokens === null || maxTokens === 0 || writesMore(clientHeaders)) return params
  let highest = 0
  for (const { channels } of tiers) {
    for (const channel of channels) {
      const most = limitAt(channel, model)
      if (most === null || most >= maxTokens) return params
      highest = Math.max(highest, most)
    }
  }
  return highest === 0 ? params : { ...params, maxTokens: highest }
}

function limitAt({ vendor, mapping, settings }: Channel, model: string): number | null {
  return settings.rewritesOff.has('output_limit') ? null : outputMaxAt(vendor, modelAt({ mapping }, model))
}
