import type { AcceptedIds } from './call-ids.ts'
import type { SchemaForm } from './tool-schemas.ts'

/** What a vendor takes of tools and calls. What is missing is as at most vendors. */
export interface CallForm {
  /** Names of functions. */
  readonly names?: RegExp
  readonly ids?: AcceptedIds
  readonly schemas?: SchemaForm
}
