import type { ParameterRow } from './place.ts'
import { rowsOfImport } from './rows-of-import.ts'
import { rowsOfResponses } from './rows-of-responses.ts'
import { rowsOfServer } from './rows-of-server.ts'
import { rowsOfSigners } from './rows-of-signers.ts'
import { rowsOfVendors } from './rows-of-vendors.ts'

/** How an export is called if its parameters alone do not determine it, or why it is not called. */
export type Row =
  | { readonly inputs: ParameterRow; call(value: unknown): unknown }
  /** It is called in several ways, such as once for each vendor. */
  | { readonly inputs: ParameterRow; readonly calls: Readonly<Record<string, (value: unknown) => unknown>> }
  | { readonly none: string }

/** Exports by `file#name`. What is not listed here is called by the types of its parameters (`parameter-types.ts`). */
export const rows: Readonly<Record<string, Row>> = {
  ...rowsOfSigners,
  ...rowsOfVendors,
  ...rowsOfResponses,
  ...rowsOfServer,
  ...rowsOfImport,
}
