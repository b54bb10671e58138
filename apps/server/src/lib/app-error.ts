import type { MessageKey, MessageParams } from '@sluice/contract'
import { type ErrorCode, errorRow, isFault } from '@sluice/contract/errors'

/** One attempt that failed. */
interface FailureNote {
  readonly channel: number
  /** 0: there was no response. */
  readonly status: number
  readonly message: string
}

interface AppErrorOptions {
  /** Values for the `{names}` in the catalogue's text. */
  readonly params?: MessageParams
  /** A text of the catalogue that replaces the code's own, such as one for a single form field. */
  readonly messageKey?: MessageKey
  /** The member of the input that it is about; default: the one of the code's row. */
  readonly field?: string
  /** Texts of the upstream vendor that replace ours: secrets are already taken out. */
  readonly upstream?: {
    readonly message: string
    readonly type: string | null
    readonly param: string | null
    readonly code: string | null
  }
  /** The vendor's HTTP status, when it replaces the table's. */
  readonly status?: number
  /** Number of attempts before this error. */
  readonly attempts?: number
  /** Why each attempt failed: for the log only. */
  readonly failures?: readonly FailureNote[]
  /** Seconds for `Retry-After`. */
  readonly retryAfterSeconds?: number
  /** Keys added beside `success` and `message` in a response under `/api`. */
  readonly beside?: Readonly<Record<string, string | number>>
  readonly cause?: unknown
}

/** An error with a code of the contract's table. People read the catalogue's text; `cause` goes to the log only. */
export class AppError extends Error {
  readonly code: ErrorCode
  readonly options: AppErrorOptions

  constructor(code: ErrorCode, options: AppErrorOptions = {}) {
    super(code, { cause: options.cause })
    this.name = 'AppError'
    this.code = code
    this.options = options
  }

  /** A copy of the error with the number of failed attempts and their reasons. */
  after(attempts: number, failures: readonly FailureNote[] = []): AppError {
    return new AppError(this.code, { ...this.options, attempts, failures, cause: this.cause })
  }

  /** HTTP status on the relay. */
  get status(): number {
    return this.options.status ?? errorRow(this.code).status
  }

  /** Whether the server or a vendor caused it, and not the request: a vendor's 4xx about a request is passed on with its status. */
  get isFault(): boolean {
    return isFault(this.code) && (this.options.status ?? 500) >= 500
  }
}
