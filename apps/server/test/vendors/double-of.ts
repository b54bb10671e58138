import { kindOf } from '@sluice/vendors/core/kind-of'
import type { Vendor } from '@sluice/vendors/core/vendor'
import { dialectOf } from '@sluice/vendors/registry/dialect-of'
import { vendors } from '@sluice/vendors/registry/list'
import { doubles } from './doubles/all.ts'
import { openaiDouble } from './doubles/openai.ts'
import type { VendorDouble } from './vendor-double.ts'

/** Keys of types whose keys have a shape, and whose double is one of another type. */
const keys: Readonly<Record<number, string>> = {
  22: 'fastgpt-z51pkjqm9nrk03a1rx2funoy-642adec15f04d67d4613efdb',
}

/** The double that speaks a vendor's wire: its own, one of another vendor with the same dialect, or OpenAI's. */
export function doubleOf(vendor: Vendor): VendorDouble {
  const own = doubles.find(({ type }) => type === vendor.type)
  if (own !== undefined) return own
  const model = vendor.models.names.find((name) => kindOf(name) === 'chat') ?? 'gpt-4o-mini'
  const dialect = dialectOf(vendor, 'chat', model)
  if (dialect?.passthrough !== undefined) return { ...openaiDouble, key: keys[vendor.type] ?? openaiDouble.key, model }
  const alike = doubles.find((double) => {
    const other = vendors.find(({ type }) => type === double.type)
    return other !== undefined && dialectOf(other, 'chat', double.model) === dialect
  })
  if (alike === undefined) throw new Error(`no double speaks the wire of ${vendor.name}`)
  return { ...alike, key: keys[vendor.type] ?? alike.key, model }
}
