/** Anthropic's messages as another vendor takes them beside its chats. */
export interface MessagesInterface {
  /** Hosts of the vendor that have it: servers of others may have its chats only. */
  readonly hosts: RegExp
  /** Its path there, whatever path the channel's address has. */
  readonly path: string
  /** Models that it serves. */
  readonly models: RegExp
  /** Parameters that it leaves out in silence, and that would change the answer. */
  readonly ignores?: readonly string[]
}
