import type { Vendor } from '@sluice/vendors/core/vendor'

/** The members of a vendor's record that the console uses. The build takes out the others (`build/vendor-facts.ts`). */
export const vendorFacts = [
  'type',
  'name',
  'nameZh',
  'color',
  'group',
  'baseUrl',
  'isKeyOptional',
  'keyHint',
  'keyHintZh',
  'configFields',
  'keyFields',
  'otherLabel',
  'needsOther',
  'otherDefault',
  'askBalance',
  'balance',
] as const satisfies readonly (keyof Vendor)[]

export type VendorFacts = Pick<Vendor, (typeof vendorFacts)[number]>
