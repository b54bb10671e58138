/**
 * What the gateway changes in a request beyond its translation, because the vendor or its model would refuse it or read it wrongly. A channel
 * can switch each kind off; what was changed stands in the log row.
 */
export const rewriteKinds = [
  /** Names of tools that are too long, or have characters that the vendor refuses. */
  'tool_names',
  /** Ids of calls that the vendor refuses or that repeat. */
  'call_ids',
  /** Other members of tools and calls: choices without tools, empty lists, schemas. */
  'tools',
  /** Files and images in another form, place or media type. */
  'files',
  /** Parameters that the model does not have. */
  'parameters',
  /** A lower limit of output tokens. */
  'output_limit',
  /** Instructions and turns that are moved, merged or completed. */
  'messages',
  /** Lines that a client changes in each request. */
  'client_lines',
  /** Marks of the prompt cache. */
  'cache_marks',
  /** Characters that are no text. */
  'characters',
] as const

export type RewriteKind = (typeof rewriteKinds)[number]

export interface Rewrite {
  readonly kind: RewriteKind
  /**
   * What was changed, in the words of the request: `logit_bias` was left out, `temperature: 1.7 -> 1` and `mcp__files__read... -> mcp__files_1x9` were
   * changed. Text of the client: shown as text only.
   */
  readonly what: string
}

const rewritesMax = 20
const whatLengthMax = 160
const nothingOff: ReadonlySet<string> = new Set()

/** The rewrites of one request to one channel. Dialects ask before they rewrite, and note what they did. */
export class Rewrites {
  readonly #off: ReadonlySet<string>
  readonly #made: Rewrite[] = []

  /** @param off kinds that the channel has switched off */
  constructor(off: ReadonlySet<string> = nothingOff) {
    this.#off = off
  }

  /** Whether the channel allows this kind. */
  may(kind: RewriteKind): boolean {
    return !this.#off.has(kind)
  }

  /** Only the first ones are kept, and each only once. */
  note(kind: RewriteKind, what: string): void {
    const text = (what.length > whatLengthMax ? `${what.slice(0, whatLengthMax - 1)}…` : what).toWellFormed()
    const isKnown = this.#made.some((rewrite) => rewrite.kind === kind && rewrite.what === text)
    if (!isKnown && this.#made.length < rewritesMax) this.#made.push({ kind, what: text })
  }

  /** Whether a change of this kind was noted. */
  has(kind: RewriteKind): boolean {
    return this.#made.some((rewrite) => rewrite.kind === kind)
  }

  /** Whether a change of any kind was noted whose text begins with the name of this member. */
  names(member: string): boolean {
    return this.#made.some(({ what }) => what.startsWith(member))
  }

  get entries(): readonly Rewrite[] {
    return this.#made
  }
}
