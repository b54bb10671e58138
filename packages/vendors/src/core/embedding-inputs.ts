/** What a vendor takes as the inputs of one request for embeddings. */
export interface EmbeddingInputs {
  /** The most of them; missing: as many as a body may have. */
  readonly most?: number | ((model: string) => number)
  /** It reads texts only: numbers of tokens mean nothing to it, or something else. */
  readonly isTextOnly?: true
}

/** Most inputs of a request at OpenAI ("Embeddings", `input`, API reference, read 2026-11-30); most servers take fewer. */
export const openaiInputsMax = 2_048

/** The most inputs that a vendor takes in one request; `Infinity` = it has no such limit, or none is known. */
export function inputsMaxAt({ most = Number.POSITIVE_INFINITY }: EmbeddingInputs = {}, model = ''): number {
  return typeof most === 'function' ? most(model) : most
}
