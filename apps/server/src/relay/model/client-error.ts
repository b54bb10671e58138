/** The error that a client gets; its protocol determines the form. */
export interface ClientError {
  /** The HTTP status that it has, or would have if it is sent in a stream. */
  readonly status: number
  readonly message: string
  /** `type`, `param` and `code` as OpenAI's form has them. */
  readonly type: string
  readonly param: string | null
  readonly code: string | null
  /** When the client may ask again, if that is known. */
  readonly retryAfterSeconds?: number | undefined
  /** For support. */
  readonly requestId: string
}
