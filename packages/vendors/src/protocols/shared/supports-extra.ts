import type { ChatDialect, Dialect } from '../../core/dialect.ts'
import type { ChatExtra, Target } from '../../core/request.ts'

/** Whether the chats of a vendor hold a part of the pivot that is none of OpenAI's. */
export type Holds = (extra: ChatExtra) => boolean

/** Whether a dialect sends requests in OpenAI's form. */
export function isOpenAIForm({ passthrough, isOpenAIForm: isForm }: Dialect): boolean {
  return passthrough !== undefined || isForm === true
}

/**
 * A dialect that translates leaves out what it does not know; OpenAI's form passes everything on, so the vendor's record says what it reads. Images of
 * the model are sent in another form where the vendor does not read them.
 */
export function supportsExtra(chat: ChatDialect, { extras }: Pick<Target, 'extras'>): Holds {
  const isForm = isOpenAIForm(chat)
  return (extra) => (!isForm && extra !== 'images') || extras?.includes(extra) === true || chat.holds?.includes(extra) === true
}

export const holdsAll: Holds = () => true
