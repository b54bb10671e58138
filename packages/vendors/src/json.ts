/** JSON values as this package reads and writes them. Everything is read-only: a dialect never changes its input. */
export type Json = null | boolean | number | string | readonly Json[] | JsonObject
export interface JsonObject {
  readonly [key: string]: Json | undefined
}
