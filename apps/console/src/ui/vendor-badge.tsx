import type { VendorColor } from '@sluice/vendors/core/vendor'
import { vendorMark } from '../lib/vendors.ts'
import { LetterTag } from './badge.tsx'

/** The mark of a vendor: two letters of its name in its colour. */
export function VendorBadge({ name, color }: { readonly name: string; readonly color: VendorColor }) {
  return <LetterTag tone={color}>{vendorMark(name)}</LetterTag>
}
