/** What a channel type may have, in the order of the columns of `docs/vendors.md`. */
export const features = [
  'chat',
  'stream',
  'tools',
  'parallel tools',
  'structured output',
  'images in',
  'files in',
  'audio in',
  'reasoning',
  'cache usage',
  'embeddings',
  'rerank',
  'pictures',
  'videos',
  'songs',
  'speech',
  'transcripts',
  'moderation',
  'responses',
  'batches',
  'realtime',
  'balance',
  'model list',
] as const
export type Feature = (typeof features)[number]

/** Features that a chat uses by one of its parameters. */
export type ChatFeature =
  | Extract<Feature, 'tools' | 'structured output' | 'images in' | 'files in' | 'audio in'>
  | 'files by address'
  | 'audio by address'
  | 'videos in'
  | 'web search'

/** Parameters of a chat that change its response or tune its sampling, in the order of the columns of their table in `docs/vendors.md`. */
export const chatParameters = [
  'forced tool',
  'one call',
  'strict',
  'images in results',
  'images by address',
  'json',
  'stop',
  'seed',
  'log probabilities',
  'several choices',
  'penalties',
] as const
export type ChatParameter = (typeof chatParameters)[number]

/** Why no page of a vendor can be cited for what it lacks. */
export type Undocumented =
  /** It is the operator's own server, so its features are known only to whoever wrote it. */
  | { readonly why: 'own server' }
  /** `note`: what is known instead, and where a page was looked for: sentences for `docs/vendors.md`. `lookedFor`: the day. */
  | { readonly why: 'nothing published'; readonly note: string; readonly lookedFor: string }

/** What a vendor's own documentation says about features that its record and its dialects do not show. */
export interface VendorDocs {
  /** The page with the calls that it offers: the source for every feature that is refused or not offered and has no page of its own. */
  readonly page: string
  /** The day on which `page` was read, where the comment of the record does not name it. */
  readonly read?: string
  /** Of `page` no copy was found: the program that cites it and does what it says. */
  readonly citedBy?: string
  /** The page with all parameters of a chat, the same for what a chat lacks. Missing: `page` has them. */
  readonly chat?: string
  /** The pages that show that a feature is missing, or which forms it has. */
  readonly pages?: { readonly [F in Feature | ChatParameter]?: string }
  /** Not offered, although a request for it would be passed on: only what no request names, such as counts in a response. */
  readonly without?: readonly Feature[]
  /** Offered, but in a form of its own that no dialect here translates. */
  readonly untranslated?: readonly Feature[]
  /** A key as its kinds beside chats need it, where other keys have only chats. */
  readonly keyOfKinds?: string
  /** Models that are not listed, such as those without a known price, and have features that no listed one has. */
  readonly otherModels?: readonly string[]
}
