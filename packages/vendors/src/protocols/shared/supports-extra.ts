import type { ChatDialect, ChatExtra, Dialect, Target } from '../../core/dialect.ts'
import type { JsonObject } from '../../core/json.ts'
import { withPlainResults } from '../compat/messages.ts'
import { withFittingMedia } from '../media/chat-media.ts'
import { noteChangedTurns } from './changed-turns.ts'

/** Whether the chats of a vendor hold a part of the pivot that is none of OpenAI's. */
export type Holds = (extra: ChatExtra) => boolean

/** Whether a dialect sends requests in OpenAI's form. */
export function isOpenAIForm({ passthrough, isOpenAIForm: isForm }: Dialect): boolean {
  return passthrough !== undefined || isForm === true
}

/**
 * A dialect that translates leaves out what it does not know; OpenAI's form passes everything on, so the vendor's record says what it reads. Pictures of
 * the model are told in another way where the vendor does not read them.
 */
export function holdsOf(chat: ChatDialect, { extras }: Pick<Target, 'extras'>): Holds {
  const isForm = isOpenAIForm(chat)
  return (extra) => (!isForm && extra !== 'images') || extras?.includes(extra) === true || chat.holds?.includes(extra) === true
}

export const holdsAll: Holds = () => true

/**
 * A request of another protocol as a chat that the vendor reads: without what it refused before, with pictures and files in its forms, and results of
 * tools as texts where the form has nothing else.
 */
export function preparedChat(
  chat: ChatDialect,
  made: JsonObject,
  { refusal, model, rewrites }: Pick<Target, 'refusal' | 'model' | 'rewrites'>,
): JsonObject {
  const mended = refusal === undefined ? made : (chat.mended?.(made, refusal, model) ?? made)
  noteChangedTurns(made, mended, rewrites)
  const fitting = withFittingMedia(mended, { textFiles: chat.textFiles, rewrites })
  return isOpenAIForm(chat) ? withPlainResults(fitting) : fitting
}
