import type { ChatDialect } from '../../core/dialect.ts'
import type { JsonObject } from '../../core/json.ts'
import type { Target } from '../../core/request.ts'
import { withFittingMedia } from '../media/chat-media.ts'
import { noteChangedTurns } from '../shared/changed-turns.ts'
import { isOpenAIForm } from '../shared/supports-extra.ts'
import { withPlainResults } from './messages.ts'

/**
 * A request of another protocol as a chat that the vendor reads: without what it refused before, with images and files in its forms, and results of
 * tools as texts where the form has nothing else.
 */
export function preparedChat(
  chat: ChatDialect,
  request: JsonObject,
  { refusal, model, rewrites }: Pick<Target, 'refusal' | 'model' | 'rewrites'>,
): JsonObject {
  const retried = refusal === undefined ? request : (chat.retryWithout?.(request, refusal, model) ?? request)
  noteChangedTurns(request, retried, rewrites)
  const fitting = withFittingMedia(retried, { textFiles: chat.textFiles, rewrites })
  return isOpenAIForm(chat) ? withPlainResults(fitting) : fitting
}
