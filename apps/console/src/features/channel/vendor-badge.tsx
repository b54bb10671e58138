import type { VendorColor } from '@sluice/vendors/vendor'
import { LetterTag } from '../../ui/badge.tsx'
import { vendorMark } from './vendor-name.ts'

/** The mark of a vendor: two letters of its name in its colour. */
export function VendorBadge({ name, color }: { readonly name: string; readonly color: VendorColor }) {
  return <LetterTag tone={color}>{vendorMark(name)}</LetterTag>
}
