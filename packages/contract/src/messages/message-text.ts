import { en, type MessageKey } from './en.ts'
import { fill, type Language, type MessageParams } from './fill.ts'
import { zh } from './zh.ts'

/** The text of a message, with its parameters filled in. */
export function messageText(key: MessageKey, params: MessageParams = {}, language: Language = 'en'): string {
  return fill((language === 'zh' ? zh : en)[key], params, language)
}

export function isMessageKey(text: string): text is MessageKey {
  return Object.hasOwn(en, text)
}
