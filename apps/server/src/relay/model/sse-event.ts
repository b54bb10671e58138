/** One complete server-sent event, or several without data merged into one: a comment may be as short as three bytes. */
export interface SseEvent {
  /** The joined `data:` lines; `null` if there are none (comments, heartbeats). Decoded at the first use. */
  readonly data: string | null
  /** The name of the event, if it has one. */
  readonly name?: string | undefined
  /** The bytes of the event with its blank line. They share memory with the received chunk: do not modify them. */
  readonly raw: Uint8Array
  /** The whole body is JSON, in no frame of events. */
  readonly isWhole?: true
}
