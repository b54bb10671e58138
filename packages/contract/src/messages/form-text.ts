import { fill, type Language, type MessageParams } from './fill.ts'
import { type FormKey, formEn } from './form-en.ts'
import { formZh } from './form-zh.ts'

/** As `messageText`, but with the messages of forms only, so that the console's bundle does not contain all others. */
export function formText(key: FormKey, params: MessageParams = {}, language: Language = 'en'): string {
  return fill((language === 'zh' ? formZh : formEn)[key], params, language)
}

export function isFormKey(text: string): text is FormKey {
  return Object.hasOwn(formEn, text)
}
