import type { ExactNumber } from './exact-number.ts'

/** JSON values as this package reads and writes them. Everything is read-only: a dialect never changes its input. */
export type Json = null | boolean | number | string | ExactNumber | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json | undefined
}
