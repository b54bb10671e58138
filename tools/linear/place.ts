import type { JsonObject } from '@sluice/vendors/core/json'
import type { Input } from './hostile-texts.ts'

/** Where a function is, and what is known of the data that it reads. */
export interface Place {
  readonly file: string
  /** Objects of the tests beside the file, and of the protocols that many files read. */
  readonly documents: readonly JsonObject[]
}

/** How an argument of a type is made. */
export type ParameterRow =
  /** Data from outside. `plain`: a harmless value, while another argument is hostile. */
  | { readonly plain: unknown; hostile(place: Place): readonly Input[] }
  /** Our own data, which nobody outside chooses. */
  | { ours(place: Place): unknown }
  /** The function is not called: it has no data of its own, or its time is not this thread's. */
  | { readonly none: string }
