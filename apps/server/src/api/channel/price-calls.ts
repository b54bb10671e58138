import type { contract, PriceChoice, PriceRule } from '@sluice/contract'
import { AppError } from '../../lib/app-error.ts'
import { createPauses } from '../../lib/pauses.ts'
import type { Caller, Handlers } from '../implement.ts'
import { needScope } from '../need-scope.ts'

export interface PriceDeps {
  /** The models of all channels, sorted. */
  readonly offeredModels: () => Promise<readonly string[]>
  readonly hasPrice: (model: string) => boolean
  /** The vendors' list prices; models without one are left out. */
  readonly listPrices: (models: readonly string[]) => Record<string, PriceRule>
  readonly setPrice: (params: { readonly model: string; readonly price: PriceChoice; readonly by: Caller }) => Promise<void>
}

type PriceCalls = 'unpriced' | 'listPrices' | 'setPrice'

/** The calls about prices of models. Lists of models are long, so they are looked up in steps. */
export function priceCalls({
  offeredModels,
  hasPrice,
  listPrices,
  setPrice,
}: PriceDeps): Pick<Handlers<typeof contract.channel>, PriceCalls> {
  return {
    async unpriced({ models }) {
      const pause = createPauses()
      const unpriced: string[] = []
      for (const model of models === '' ? await offeredModels() : models.split(',')) {
        await pause()
        if (!hasPrice(model)) unpriced.push(model)
      }
      return unpriced
    },

    async listPrices({ models }) {
      const pause = createPauses()
      const prices: Record<string, PriceRule> = {}
      for (const model of models.split(',')) {
        await pause()
        Object.assign(prices, listPrices([model]))
      }
      return prices
    },

    async setPrice({ model, price }, caller) {
      // For a model without a price, the call belongs to the channel; another price is what options decide.
      if (hasPrice(model)) needScope(caller, 'option:write')
      const like = 'like' in price ? price.like : model
      if ('like' in price && (like === model || !hasPrice(like))) throw new AppError('price_source_not_found', { params: { model: like } })
      await setPrice({ model, price, by: caller })
      return null
    },
  }
}
