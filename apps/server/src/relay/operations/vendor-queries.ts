import type { VendorQuery } from '@sluice/vendors/core/vendor-query'
import { addressed, type StoredFacts } from '@sluice/vendors/registry/channel-facts'
import { vendorByType } from '@sluice/vendors/registry/list'
import { modelQuery } from '@sluice/vendors/registry/vendor-queries'
import { AppError } from '../../lib/app-error.ts'
import type { Channel } from '../model/channel.ts'
import type { Channels } from '../routing/channels.ts'
import type { Credentials } from '../upstream/credentials.ts'
import { type AskDeps, askVendor, type QueryableChannel } from '../upstream/query-vendor.ts'

export interface VendorQueryDeps extends AskDeps {
  readonly channels: Pick<Channels, 'current'>
  readonly credentials: Credentials
}

/** Maximum models returned. */
const modelsMax = 5_000
/** Largest balance in a vendor's unit, which may be characters. */
const balanceMax = 1e15
/** Valid model names of a channel; others could not be saved. */
const modelForm = /^[\w.:/@+-]{1,256}$/

/** Queries to vendors other than model calls. */
export interface VendorQueries {
  /** The remaining balance of the channel's key, in the vendor's unit. @throws AppError */
  balanceOf(channelId: number): Promise<number>
  /** Names of the models available to the channel's key, sorted. @throws AppError */
  upstreamModels(channelId: number): Promise<readonly string[]>
  /** Names of the models available to a channel that is not saved yet; an empty address is the vendor's default. @throws AppError */
  upstreamModelsOf(channel: StoredFacts & { readonly type: number }): Promise<readonly string[]>
}

export function createVendorQueries(deps: VendorQueryDeps): VendorQueries {
  async function usable(channelId: number): Promise<Channel> {
    const channel = (await deps.channels.current()).all.get(channelId)
    if (channel === undefined) throw new AppError('channel_unusable')
    return channel
  }

  async function run<Result>(target: QueryableChannel, query: VendorQuery<Result>): Promise<Result> {
    return await askVendor(target, query, { deps, credential: await deps.credentials.of(target) })
  }

  async function models(target: QueryableChannel): Promise<readonly string[]> {
    const query = modelQuery(target.vendor)
    if (query === null) throw new AppError('model_list_unsupported')
    const names = await run(target, query)
    return [...new Set(names)]
      .filter((name) => modelForm.test(name))
      .sort()
      .slice(0, modelsMax)
  }

  return {
    async balanceOf(channelId) {
      const channel = await usable(channelId)
      const { askBalance } = channel.vendor
      if (askBalance === undefined) throw new AppError('balance_unsupported')
      const balance = await run(channel, askBalance)
      // The difference of two numbers may be infinite.
      if (!Number.isFinite(balance) || Math.abs(balance) > balanceMax) throw new AppError('upstream_invalid_response')
      return balance
    },
    upstreamModels: async (channelId) => await models(await usable(channelId)),
    async upstreamModelsOf({ type, ...stored }) {
      const vendor = vendorByType(type)
      const target = vendor === null ? null : addressed(vendor, stored)
      if (target === null) throw new AppError('channel_unusable')
      return await models({ vendor: target.vendor, ...target.facts })
    },
  }
}
