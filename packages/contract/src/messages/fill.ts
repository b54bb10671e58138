import { en, type MessageKey } from './en.ts'
import { zh } from './zh.ts'

export type Language = 'en' | 'zh'

export type MessageParams = Readonly<Record<string, string | number>>

/** The text of a message, with its parameters filled in. A parameter that is not given stays visible as `{name}`. */
export function messageText(key: MessageKey, params: MessageParams = {}, language: Language = 'en'): string {
  const catalogue = language === 'zh' ? zh : en
  return catalogue[key].replace(/\{(\w+)\}/g, (whole, name: string) => String(params[name] ?? whole))
}

export function isMessageKey(text: string): text is MessageKey {
  return Object.hasOwn(en, text)
}

/** Chinese for every `zh` preference that stands first, English otherwise. */
export function languageOf(acceptLanguage: string | null): Language {
  return acceptLanguage?.trim().toLowerCase().startsWith('zh') ? 'zh' : 'en'
}
