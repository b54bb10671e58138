/** An error as clients of OpenAI read it, with the id of the request that support will ask for. */
export interface OpenAiError {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string | null
    readonly request_id: string
  }
}
