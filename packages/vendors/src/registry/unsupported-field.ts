import type { ChatField, Dialect } from '../core/dialect.ts'
import type { Vendor } from '../core/vendor.ts'

/** The first of these fields that the vendor does not support and that changes the answer if it is left out. */
export function unsupportedField(
  { chat }: Pick<Vendor, 'chat'>,
  { lacks }: Pick<Dialect, 'lacks'>,
  fields: readonly ChatField[] = [],
): ChatField | undefined {
  return fields.find((field) => lacks?.includes(field) || chat?.drop?.includes(field))
}
