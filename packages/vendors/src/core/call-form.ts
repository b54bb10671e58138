/** What a vendor takes of tools and calls. What is missing is as at most vendors. */
export interface CallForm {
  /** Names of functions. */
  readonly names?: RegExp
  readonly ids?: AcceptedIds
  readonly schemas?: SchemaForm
}

/** Ids of calls that a vendor takes. */
export interface AcceptedIds {
  readonly lengthMax: number
  readonly pattern?: RegExp
  /** No two calls of a conversation may have the same; of one turn, they never may. */
  readonly areUnique?: true
}

/** What a vendor wants at the top of a schema of a function. */
export interface SchemaForm {
  /** Keywords that it refuses or does not read there. */
  readonly lacks?: readonly string[]
  readonly wantsType?: true
  readonly wantsProperties?: true
  /** `strict` is refused with other schemas than those of OpenAI's strict ones. */
  readonly checksStrict?: true
}
