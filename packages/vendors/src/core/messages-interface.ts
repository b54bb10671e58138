import type { SideInterface } from './additional-protocol.ts'

/** Anthropic's messages as another vendor takes them beside its chats. */
export interface MessagesInterface extends SideInterface {
  /** Parameters that it silently ignores, and that would change the response. */
  readonly ignores?: readonly string[]
}
