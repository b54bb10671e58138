import type { Vendor } from '@sluice/vendors/core/vendor'

/** The members of a vendor's record that the console uses. The build takes out the others (`build/vendor-facts.ts`). */
export const vendorFacts = [
  'type',
  'name',
  'nameZh',
  'color',
  'group',
  'routes',
  'key',
  'configFields',
  'otherLabel',
  'needsOther',
  'otherDefault',
  'askBalance',
  'balance',
] as const satisfies readonly (keyof Vendor)[]

/** Those of its keys. */
export const keyFacts = ['isOptional', 'hint', 'hintZh', 'fields'] as const satisfies readonly (keyof Vendor['key'])[]

/** Those of its routes. */
export const routeFacts = ['baseUrl'] as const satisfies readonly (keyof Vendor['routes'])[]

export type VendorFacts = Omit<Pick<Vendor, (typeof vendorFacts)[number]>, 'key' | 'routes'> & {
  readonly key: Pick<Vendor['key'], (typeof keyFacts)[number]>
  readonly routes: Pick<Vendor['routes'], (typeof routeFacts)[number]>
}
