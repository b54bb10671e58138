import { type CodedMessage, codedMessageText, type LogEvent } from '@sluice/contract'

/** A row of the usage log before it has an id. Units as in the contract's log row. */
export interface LogEntry {
  readonly userId: number
  /** Seconds since the epoch. */
  readonly createdAt: number
  readonly type: number
  readonly content: string
  readonly username: string
  readonly tokenName: string
  readonly modelName: string
  readonly upstreamModel: string
  readonly quota: number
  readonly promptTokens: number
  readonly completionTokens: number
  readonly cachedTokens: number
  readonly channelId: number
  readonly requestId: string
  readonly elapsedMs: number
  readonly firstByteMs: number
  readonly isStream: boolean
  readonly attempts: number
  readonly endReason: string
  readonly isEstimated: boolean
  readonly isUsageSuspect: boolean
  /** What the vendor charges for it, in quota. `null`: that is not known, or the row is no request. */
  readonly cost: number | null
  /** `false`: the server or a vendor failed. `null`: the client caused the end, the row is no request, or that is not known. */
  readonly isServed: boolean | null
  /**
   * JSON: a list of all line items (written by `relay/pricing/charge-text.ts`), or an object with the coded message of `content`; empty if
   * there is neither.
   */
  readonly detail: string
}

/** The coded message of a log row. */
export interface CodedDetail extends CodedMessage {
  /** The id of the user who did it. */
  readonly actor?: number
  readonly event?: LogEvent
}

/** The English text and the coded message of a log row. */
export function codedText({ code, params, ...rest }: CodedDetail): Pick<LogEntry, 'content' | 'detail'> {
  return { content: codedMessageText({ code, params }), detail: JSON.stringify({ code, params, ...rest }) }
}

/** Adds a member to the detail of a row, which is a list of line items or an object (read by `detail.ts` of the log's calls). */
export function detailWith(detail: string, name: string, value: unknown): string {
  const members = detail.startsWith('{') ? detail.slice(1, -1) : `"charges":${detail === '' ? '[]' : detail}`
  return `{${members},"${name}":${JSON.stringify(value)}}`
}

/** Prefix of the request id of imported rows: they were charged elsewhere and have no entry here. */
export const importedRequest = 'import:'

/** A log row without a request: top-up, admin, system. */
export function plainLog(fields: Pick<LogEntry, 'userId' | 'createdAt' | 'type' | 'content' | 'username'> & Partial<LogEntry>): LogEntry {
  return {
    tokenName: '',
    modelName: '',
    upstreamModel: '',
    quota: 0,
    promptTokens: 0,
    completionTokens: 0,
    cachedTokens: 0,
    channelId: 0,
    requestId: '',
    elapsedMs: 0,
    firstByteMs: 0,
    isStream: false,
    attempts: 0,
    endReason: '',
    isEstimated: false,
    isUsageSuspect: false,
    cost: null,
    isServed: null,
    detail: '',
    ...fields,
  }
}
