import type { SideInterface } from './additional-protocol.ts'

/** OpenAI's responses as another vendor takes them beside its chats; it stores none. */
export interface ResponsesInterface extends SideInterface {
  /** Types of tools that it knows, all of them run by the client. */
  readonly tools: RegExp
  /** Levels of reasoning that it knows. */
  readonly efforts: RegExp
}
