import type { AcceptedIds } from '../protocols/calls/call-ids.ts'
import type { SchemaForm } from '../protocols/calls/tool-schemas.ts'

/** What a vendor takes of tools and calls. What is missing is as at most vendors. */
export interface CallForm {
  /** Names of functions. */
  readonly names?: RegExp
  readonly ids?: AcceptedIds
  readonly schemas?: SchemaForm
}
