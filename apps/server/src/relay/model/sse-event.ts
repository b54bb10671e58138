/** One complete server-sent event as it came, or several without data that came together: a comment may be as short as three bytes. */
export interface SseEvent {
  /** The joined `data:` lines; `null` for events that have none (comments, heartbeats). */
  readonly data: string | null
  /** The bytes of the event, its blank line included. Shared with the chunk they came in: not to be changed. */
  readonly raw: Uint8Array
}
