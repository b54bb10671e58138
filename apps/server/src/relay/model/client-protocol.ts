import type { JsonObject } from '@sluice/vendors/core/json'
import type { Rates } from './caller.ts'
import type { ClientError } from './client-error.ts'
import type { KeyForm } from './key-form.ts'
import type { Frame } from './upstream-response.ts'

/**
 * The protocol that a client speaks, as far as the relay itself writes in it: errors, heartbeats and headers. Requests and responses are read
 * and written by the dialects of its kinds (`KindRules.kind`).
 */
export interface ClientProtocol {
  readonly name: 'openai' | 'anthropic' | 'gemini'
  /** The body of a response that is an error. */
  errorBody(error: ClientError): JsonObject
  /** The event that reports an error in a stream. */
  readonly streamError: StreamError
  /** HTTP status of a response whose vendor is overloaded, if the protocol has one of its own. */
  readonly overloadedStatus?: number
  /** Headers and heartbeat of its streams. */
  readonly frame: Frame & { readonly beat: Uint8Array }
  /** Where its clients put their key. Missing: in any of the headers that official clients use. */
  readonly keyForms?: readonly KeyForm[]
  /** Headers of every response beside those that all protocols share. */
  readonly headers?: (requestId: string) => Readonly<Record<string, string>>
  /** The headers that report what remains of the limits per minute. Missing: the protocol has none. @param now in seconds */
  readonly rateHeaders?: (rates: Rates, now: number) => Readonly<Record<string, string>>
}

export type StreamError = (error: ClientError) => Uint8Array

/** Reports to the client of one stream how it ended, where that takes more than the error. */
export interface ErrorTeller {
  /** Called for each event that the client gets. */
  note(event: JsonObject): void
  /** @param eventCount number of events before it */
  error(error: ClientError, eventCount: number): Uint8Array
}

/** The response that a stream is about. */
export interface StreamHead {
  readonly id: string
  /** Seconds since the epoch. */
  readonly created: number
  readonly model: string
}
