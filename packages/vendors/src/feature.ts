/** What a channel type may have, in the order of the columns of `docs/vendors.md`. */
export const features = [
  'chat',
  'stream',
  'tools',
  'parallel tools',
  'structured output',
  'pictures in',
  'files in',
  'reasoning',
  'cache usage',
  'embeddings',
  'rerank',
  'pictures',
  'speech',
  'transcripts',
  'moderation',
  'responses',
  'realtime',
  'balance',
  'model list',
] as const
export type Feature = (typeof features)[number]

/** What a vendor's own documentation says about features that its record and its dialects cannot tell. */
export interface VendorDocs {
  /** The page with the calls that it offers: the source for every feature that is refused or not offered. */
  readonly page: string
  /** Not offered, although a request for it would be passed on. */
  readonly without?: readonly Feature[]
  /** Offered, but in a form of its own that no dialect here translates. */
  readonly untranslated?: readonly Feature[]
}
