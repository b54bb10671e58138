import { vendorByType as recordByType, vendors as records } from '@sluice/vendors/list'
import type { VendorFacts } from './vendor-facts.ts'

/** Every vendor, in the order in which the form offers them. */
export const vendors: readonly VendorFacts[] = records

/** `null` = unknown channel type. */
export const vendorByType: (type: number) => VendorFacts | null = recordByType
