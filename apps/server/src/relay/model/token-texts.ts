/** The texts of lists of token numbers. `null`: the tokenizer of the model is not known here, or has no such tokens. */
export type TextsOfTokens = (lists: ReadonlyArray<readonly number[]>, model: string) => Promise<readonly string[] | null>
