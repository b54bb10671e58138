import { type Vendor, vendorGroups } from '../core/vendor.ts'
import * as records from './records.ts'

/** The types that come first within their group, because most channels have one. */
const firstTypes = [
  ...[1, 3, 14, 24, 42, 28, 33, 29, 35, 39, 41, 37, 38, 11],
  ...[36, 25, 40, 17, 16, 15, 23, 27, 18, 32, 26, 31, 19, 34],
  ...[20, 2, 4, 5, 6, 7, 9, 10, 12, 13, 21],
  ...[48, 49, 44, 46, 47, 45, 50],
]

/** Every vendor, in the order in which the channel form offers them: by group, the usual ones first. */
export const vendors: readonly Vendor[] = Object.values(records).flat().toSorted(byPlace)

function byPlace(one: Vendor, other: Vendor): number {
  return vendorGroups.indexOf(one.group) - vendorGroups.indexOf(other.group) || rankOf(one) - rankOf(other) || one.type - other.type
}

function rankOf({ type }: Vendor): number {
  const rank = firstTypes.indexOf(type)
  return rank === -1 ? firstTypes.length : rank
}

const byType: ReadonlyMap<number, Vendor> = new Map(vendors.map((vendor) => [vendor.type, vendor]))

/** `null` = unknown channel type. */
export function vendorByType(type: number): Vendor | null {
  return byType.get(type) ?? null
}
