import type { FollowedKind } from '@sluice/vendors/core/task'
import type { Vendor } from '@sluice/vendors/core/vendor'
import { followedDialectOf } from '@sluice/vendors/registry/batches/batch-dialect-of'
import { dialectOf } from '@sluice/vendors/registry/dialect-of'
import { isFollowedKind } from '@sluice/vendors/registry/task-dialect-of'
import { unsupportedParameter } from '@sluice/vendors/registry/unsupported'
import { type Channel, modelAt } from '../model/channel.ts'
import { type KindRules, nameOfSubcall } from '../model/kind-rules.ts'
import type { RequestParams } from '../model/request-params.ts'
import { unsendable } from './unsendable.ts'

/** What decides which channels can serve a request. */
export interface ServedRequest {
  readonly params: Pick<RequestParams, 'model' | 'nativeOnly' | 'webSearch' | 'fields' | 'use'>
  readonly rules: { readonly kind: KindRules['kind'] | FollowedKind; readonly subcall?: KindRules['subcall'] }
}

/** The parameter of a request that keeps a channel from serving it; `null`: the channel can serve it, and may be sent all of it. */
export function unservedParameter(vendor: Vendor, channel: Channel, request: ServedRequest): string | null {
  return lackedParameter(vendor, channel, request) ?? unsendable(channel, request.params.use)?.place ?? null
}

/** The parameter that a vendor does not support, with a fallback kind where that is enough; `model`: the vendor does not have the kind. */
export function lackedParameter(vendor: Vendor, channel: Pick<Channel, 'mapping'>, { params, rules }: ServedRequest): string | null {
  const model = modelAt(channel, params.model)
  if (isFollowedKind(rules.kind)) return followedDialectOf(vendor, rules.kind, model) === null ? 'model' : null
  const dialect = dialectOf(vendor, rules.kind, model)
  if (dialect === null) return 'model'
  if (rules.subcall !== undefined && vendor.compactsResponses !== true) return nameOfSubcall(rules.subcall)
  const field = unsupportedParameter(vendor, { dialect, fields: params.fields })
  if (field !== undefined || dialect.fallbackKind === undefined) return field ?? null
  return params.nativeOnly?.name ?? (dialect.searchesWeb === true ? null : (params.webSearch?.name ?? null))
}
