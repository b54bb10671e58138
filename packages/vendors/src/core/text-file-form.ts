import type { JsonObject } from './json.ts'

/** How chats of a dialect take files that are text. Missing: as texts. */
export interface TextFiles {
  /** Types that are sent as files. */
  readonly takes?: (type: string) => boolean
  /** A part in the vendor's own form. */
  readonly part?: (name: string, text: string) => JsonObject
}
