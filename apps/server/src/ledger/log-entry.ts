import { type CodedMessage, codedMessageText, type LogEvent } from '@sluice/contract'

/** One row of the usage log before it has an id. Units as in the contract's log row. */
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
  /**
   * JSON: a list of every class that was charged, as `relay/pricing/charge-text.ts` writes it, or an object of what `content` says, as `told`
   * does; empty where there is neither.
   */
  readonly detail: string
}

/** What a row says beside its text. */
export interface CodedDetail extends CodedMessage {
  /** Who did it. */
  readonly actor?: number
  readonly event?: LogEvent
}

/** What `content` says, for readers of either language. */
export function codedText({ code, params, ...rest }: CodedDetail): Pick<LogEntry, 'content' | 'detail'> {
  return { content: codedMessageText({ code, params }), detail: JSON.stringify({ code, params, ...rest }) }
}

/** Begins the request id of a row that came from another database: what it tells of was charged there and has no entry here. */
export const importedRequest = 'import:'

/** A row that is no request: top-up, admin, system. */
export function plainLog(given: Pick<LogEntry, 'userId' | 'createdAt' | 'type' | 'content' | 'username'> & Partial<LogEntry>): LogEntry {
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
    detail: '',
    ...given,
  }
}
