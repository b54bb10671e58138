import type { MessageKey } from '@sluice/contract'
import { type ErrorCode, errorRow } from '@sluice/contract/errors'

export type ErrorParams = Readonly<Record<string, string | number>>

/** One attempt that failed. */
interface FailureNote {
  readonly channel: number
}

interface AppErrorOptions {
  /** Fills the `{names}` of the text in the catalogue. */
  readonly params?: ErrorParams
  /** Another text of the catalogue than the code's own: the words of one form field. */
  readonly messageKey?: MessageKey
  /** Texts of the upstream vendor that pass through instead of ours: already safe to show. */
  readonly upstream?: {
    readonly message: string
    readonly type: string | null
    readonly param: string | null
    readonly code: string | null
  }
  /** HTTP status, where the answer carries the vendor's own instead of the table's. */
  readonly status?: number
  /** Channels that were tried before this. */
  readonly attempts?: number
  /** Why each of them failed: for the log only. */
  readonly failures?: readonly FailureNote[]
  /** Seconds for `Retry-After`. */
  readonly retryAfterSeconds?: number
  /** Keys that stand beside `success` and `message` in an answer under `/api`. */
  readonly beside?: Readonly<Record<string, string | number>>
  readonly cause?: unknown
}

/** An error with a code of the table. People read the catalogue's text; `cause` goes to the log only. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly options: AppErrorOptions

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(code, { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.options = options
  }

  /** The same error, saying how many channels had been tried, and why they failed. */
  after(attempts: number, failures: readonly FailureNote[] = []): AppError {
    return new AppError(this.code, { ...this.options, attempts, failures, cause: this.cause })
  }

  /** HTTP status on the relay. */
  get status(): number {
    return this.options.status ?? errorRow(this.code).status
  }
}
