/**
 * What a vendor bills for a place of a request body, and what the gateway does about it:
 * `tokens` nothing beyond the tokens that the response counts: it is forwarded;
 * `tier` a tier, a speed or a region: the response names the one that was used, and it is charged if the request names it too;
 * `priced` calls, pieces or another model with a price of their own;
 * `account` something that the vendor keeps for the account of the key: the setting `content_of_key` of the channel decides;
 * `relay` the relay reads it itself, and refuses or removes what it cannot charge;
 * `refused` it is billed in a way that has no price here, or no page says how: only a channel that allows it by name gets it.
 */
export type Ruling = 'tokens' | 'tier' | 'priced' | 'account' | 'relay' | 'refused'

/** What a member makes a vendor do, which responses report as counts. */
export type Effect = 'searches' | 'fileSearches' | 'containers' | 'images' | 'anything'

/** All that follow a model that fails, in any form: see `fallback-models.ts`. A text in place of the list is the vendor's own choice. */
export const inFallbacks = '[]*'

/** A place where a model is named, below the place of its row: `model`, `[]`, `[].model`, `inFallbacks`. */
export interface ModelPlace {
  readonly at: string
  /**
   * `instead`: it may serve in place of the requested model, and only the response's own model shows that. `after`: it serves if the requested
   * one declines, and the usage then names it. `beside`: it works for the requested one, in addition.
   */
  readonly role: 'instead' | 'after' | 'beside'
}

/** A model that a body names beside the requested one. */
export interface NamedModel {
  /** Where: `tools[2].model`. */
  readonly place: string
  readonly model: string
  readonly role: ModelPlace['role']
  /** How often it is called for advice, as the request allows or as usual; missing: it is no advisor. */
  readonly uses?: number
  /** How often it may be; missing: the request does not limit that. */
  readonly usesMax?: number
}

/** Members of a body, or types of its tools, with one ruling. */
export interface BodyRow {
  readonly names: readonly string[]
  readonly ruling: Ruling
  /** The page that says what is billed, and when it was `read`; `named`: its name is known, and nobody has read it for this row yet. */
  readonly source: string
  readonly effect?: Effect
  readonly models?: ModelPlace
  /** The value with which a member makes nothing. */
  readonly off?: string
  /** Versions of a type that end in a date share its row. */
  readonly anyDate?: true
  /**
   * All that a tool brings passes through here: the client runs it, or it searches the tools of the request. Every other tool lets the vendor
   * read more than the request has.
   */
  readonly isSeen?: true
  /** Containers in which the vendor runs code cost nothing beside it. */
  readonly freesCode?: true
}

/** Everything that bodies of one kind of call may have. */
export interface BodyTable {
  readonly members: readonly BodyRow[]
  /** Objects whose own members have rows, by their path. */
  readonly inner?: Readonly<Record<string, readonly BodyRow[]>>
  /** Lists whose entries have rows by the value of one of their members. */
  readonly lists?: Readonly<Record<string, { readonly by: string; readonly rows: readonly BodyRow[] }>>
  /** Names may be written in snake case instead of camel case. */
  readonly isCamel?: true
}
