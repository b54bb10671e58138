import type { PriceRule } from '@sluice/contract'
import { defaultPrice, type Price, type PriceTerms } from '@sluice/vendors/registry/models/prices'
import { type Channel, modelAt } from '../model/channel.ts'
import { hasPrice, type ResolvedPrice, resolvePrice } from './resolve-price.ts'

/** What the cost of a request depends on, of its channel. */
export type CostedChannel = Pick<Channel, 'mapping'> & { readonly settings: Pick<Channel['settings'], 'costFactor' | 'costPrices'> }

/**
 * What the vendor of a channel charges for a model: the channel's own price, or else the vendor's list price, by the name that goes upstream or
 * else by the one that clients use (a deployment's name says nothing), times the channel's factor. `null`: neither is known.
 */
export function costPrice({ mapping, settings }: CostedChannel, model: string, terms: PriceTerms): ResolvedPrice | null {
  const { costFactor, costPrices } = settings
  const listPrice = (name: string): Price | null => defaultPrice(name, terms)
  const resolved = (name: string, price: Price): ResolvedPrice => {
    const resolvedPrice: ResolvedPrice = {
      ...resolvePrice(name, price, { group: costFactor, vendor: 1, retail: 1 }),
      ofTool(models) {
        const known = models.find((tool) => hasPrice(listPrice(tool)))
        return known === undefined ? null : { model: known, price: resolved(known, listPrice(known) ?? {}) }
      },
      ofType: () => resolvedPrice,
      dearestOf: () => resolvedPrice,
    }
    return resolvedPrice
  }
  const names = [modelAt({ mapping }, model), model]
  const rule = names.map((name) => costPrices.get(name)).find((entry) => entry !== undefined)
  const listed = names.map(listPrice).find(hasPrice) ?? null
  const price = rule === undefined ? listed : withRule(rule, rule.like === undefined ? listed : listPrice(rule.like))
  return hasPrice(price) ? resolved(model, price) : null
}

function withRule({ free, like: _like, ...fields }: PriceRule, other: Price | null): Price {
  return free === true ? { ratio: 0 } : { ...other, ...fields }
}
