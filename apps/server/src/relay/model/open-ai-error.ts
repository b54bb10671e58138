/** An error in OpenAI's format, with the request id for support. */
export interface OpenAiError {
  readonly error: {
    readonly message: string
    readonly type: string
    readonly param: string | null
    readonly code: string | null
    readonly request_id: string
  }
}
