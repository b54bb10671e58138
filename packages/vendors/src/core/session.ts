import type { Json, JsonObject } from './json.ts'
import type { Usage } from './usage.ts'

/** Bytes that were cut off strings of a long message, by name of the member; the message keeps the beginning of each. */
export type CutTexts = ReadonlyMap<string, number>

/** The meaning of one message of a session, from either side. `unread` = bytes of its text that were cut off. */
export type SessionEvent =
  /** Session settings: text that every response reads, bytes a second of audio, transcription model. Missing members do not change. */
  | {
      readonly kind: 'settings'
      readonly text?: string
      readonly unread: number
      readonly bytesInPerSecond?: number
      readonly bytesOutPerSecond?: number
      readonly transcriber?: string
    }
  /** Added to the conversation, and read by the next response. */
  | { readonly kind: 'input'; readonly text: string; readonly unread: number; readonly bytes: number; readonly images: readonly Json[] }
  /** Audio of the speaker. It becomes input when it is committed. */
  | { readonly kind: 'audio'; readonly bytes: number }
  /** Position in the audio at which speech begins or ends, in milliseconds. */
  | { readonly kind: 'speech'; readonly fromMs?: number; readonly toMs?: number }
  | { readonly kind: 'committed' }
  | { readonly kind: 'cleared' }
  /** A response begins. */
  | { readonly kind: 'begun' }
  /** A chunk of the response. */
  | {
      readonly kind: 'output'
      readonly text: string
      readonly unread: number
      readonly bytes: number
      /** The item that it belongs to. */
      readonly item?: string
      /** All that was written of the item, which may have come in chunks before. */
      readonly isWhole?: true
      /** What a server's tool brought, which the next response reads. */
      readonly toolOutput?: { readonly text: string; readonly unread: number }
    }
  /** The response is over; `null` = the vendor reports no usage. */
  | { readonly kind: 'done'; readonly usage: Usage | null }
  /** A transcription of the input audio begins, and ends. */
  | { readonly kind: 'transcribing' }
  | { readonly kind: 'transcribed'; readonly usage: Usage | null }

/** What was read of a client's message in a session. */
export interface ClientMessage {
  /** `null` = it costs nothing. */
  readonly event: SessionEvent | null
  /** Members to be judged before they are forwarded; none of a message that is audio alone. `null` = it is no JSON object. */
  readonly body: JsonObject | null
}
